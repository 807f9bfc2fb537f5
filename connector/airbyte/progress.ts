import {
  type Client,
  type Clock,
  counted,
  fixed,
  joined,
  type Message,
  type Pause,
  type StateSnapshot,
  type StreamName,
  say,
} from "@survey-export/core";
import type { Selection } from "./configuration.ts";
import { shareWalked } from "./share-walked.ts";

const DRAW_EVERY_MS = 250;
const TELL_EVERY_MS = 30_000;

/** What a read is about to do. */
export interface Beginning {
  readonly streams: readonly StreamName[];
  readonly selection: Selection;
  readonly client: Pick<Client, "counts"> & { readonly rateLimiter: { readonly lowered: boolean } };
}

/**
 * How a read gets on: on a terminal `draw` shows one live line, else each method returns a sentence every half minute,
 * for the log. Lines on a standard error that is no terminal would be shown as errors by the platform.
 */
export class Progress {
  readonly #clock: Clock;
  readonly #draw: ((line: Message) => void) | undefined;
  #beginning: Beginning | undefined;
  #beganMs = 0;
  #shownMs = Number.NEGATIVE_INFINITY;
  #pause: Pause | undefined;
  readonly #counts = new Map<StreamName, number>();
  readonly #states = new Map<StreamName, StateSnapshot>();

  /** `draw`: shows the live line of a terminal; the empty message removes it. */
  constructor(clock: Clock, draw?: (line: Message) => void) {
    this.#clock = clock;
    this.#draw = draw;
  }

  begin(beginning: Beginning): void {
    this.#beginning = beginning;
    this.#beganMs = this.#clock.monotonicMs();
    if (this.#draw === undefined) this.#shownMs = this.#beganMs;
    for (const name of beginning.streams) this.#counts.set(name, 0);
  }

  records(stream: StreamName, count: number, state: StateSnapshot): Message | undefined {
    this.#counts.set(stream, (this.#counts.get(stream) ?? 0) + count);
    this.#states.set(stream, state);
    return this.#isDue ? this.#show() : undefined;
  }

  waiting(pause: Pause | undefined): Message | undefined {
    if (pause) this.#pause = pause;
    return this.#draw || this.#isDue ? this.#show() : undefined;
  }

  /** `isStopped`: the user or the platform ended the read early. @returns the summary */
  end(isStopped: boolean): Message | undefined {
    if (this.#beginning === undefined) return undefined;
    this.#pause = undefined;
    this.#draw?.(say``);
    const seconds = fixed(((this.#clock.monotonicMs() - this.#beganMs) / 1000).toFixed(1));
    const how = isStopped ? say`Stopped before the end, after` : say`Read in`;
    return say`${how} ${seconds} s: ${this.#facts(this.#beginning)}`;
  }

  get #isDue(): boolean {
    const everyMs = this.#draw ? DRAW_EVERY_MS : TELL_EVERY_MS;
    return this.#clock.monotonicMs() - this.#shownMs >= everyMs;
  }

  #show(): Message | undefined {
    if (this.#beginning === undefined) return undefined;
    this.#shownMs = this.#clock.monotonicMs();
    const facts = this.#facts(this.#beginning);
    if (this.#draw === undefined) return say`Reading: ${facts}`;
    this.#draw(facts);
    return undefined;
  }

  /** What matters first comes first, since a narrow terminal cuts the end off. */
  #facts({ client, selection }: Beginning): Message {
    const { requests, retries } = client.counts;
    const minutes = (this.#clock.monotonicMs() - this.#beganMs) / 60_000;
    // The first minute's pace would be a guess: many requests start at once.
    const pace = minutes < 1 ? say`` : say` (${fixed(String(Math.round(requests / minutes)))} a minute)`;
    const share = shareWalked(
      [...this.#states.values()].map((state) => state.toJSON()),
      selection,
    );
    return joined(
      [
        ...this.#paceFacts(client.rateLimiter.lowered),
        joined(
          [...this.#counts].map(([name, count]) => say`${fixed(name)} ${count}`),
          ", ",
        ),
        ...(share === undefined ? [] : [say`${Math.floor(share * 100)} % of the time range`]),
        say`${counted(requests, say`request`, say`requests`)}${pace}`,
        counted(retries, say`retry`, say`retries`),
      ],
      " · ",
    );
  }

  #paceFacts(isLowered: boolean): Message[] {
    const nowMs = this.#clock.now();
    const pause = this.#pause;
    if (pause !== undefined && pause.untilMs > nowMs) {
      const why = pause.reason === "rate_limited" ? say`rate limit reached` : say`service unavailable`;
      return [say`waiting ${Math.ceil((pause.untilMs - nowMs) / 1000)} s (${why})`];
    }
    return isLowered ? [say`slower for a while (rate limit reached)`] : [];
  }
}
