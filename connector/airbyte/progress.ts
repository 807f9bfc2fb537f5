import type { Client, Pause, StateSnapshot, StreamName } from "@survey-export/core";
import type { Selection } from "./configuration.ts";

/** What a read is about to do. */
export interface Beginning {
  readonly streams: readonly StreamName[];
  readonly selection: Selection;
  readonly client: Pick<Client, "counts"> & { readonly rateLimiter: { readonly lowered: boolean } };
}

/**
 * Shows people how a read gets on. Each method returns protocol lines to write, often none: on a terminal it draws
 * instead.
 */
export interface Progress {
  begin(beginning: Beginning): void;
  records(stream: StreamName, count: number, state: StateSnapshot): string;
  waiting(pause: Pause | undefined): string;
  /** `stopped`: the user or the platform ended the read early. @returns the summary */
  end(stopped: boolean): string | undefined;
}

/** The same progress, unable to fail a sync: from its first error on it shows nothing. */
export function harmless(progress: Progress): Progress {
  let failed = false;
  const attempt = <Result>(action: () => Result, otherwise: Result): Result => {
    if (failed) return otherwise;
    try {
      return action();
    } catch {
      failed = true;
      return otherwise;
    }
  };
  return {
    begin: (beginning) => attempt(() => progress.begin(beginning), undefined),
    records: (stream, count, state) => attempt(() => progress.records(stream, count, state), ""),
    waiting: (pause) => attempt(() => progress.waiting(pause), ""),
    end: (stopped) => attempt(() => progress.end(stopped), undefined),
  };
}
