import type { Pause, StreamName, StreamState, Traffic } from "@survey-export/core";
import type { Configuration } from "./configuration.ts";

/** What a read is about to do. */
export interface Beginning {
  readonly streams: readonly StreamName[];
  readonly configuration: Configuration;
  readonly traffic: Readonly<Traffic>;
}

/**
 * Tells people how a read gets on. Each method returns protocol lines to write, often none: on a terminal it draws
 * instead.
 */
export interface Progress {
  begin(beginning: Beginning): void;
  records(stream: StreamName, count: number, state: StreamState): string;
  waiting(pause: Pause | undefined): string;
  /** The summary, or nothing where it has been drawn. */
  end(): string | undefined;
}
