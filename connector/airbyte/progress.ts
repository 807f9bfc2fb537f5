import {
  type Clock,
  counted,
  fixed,
  given,
  joined,
  type Left,
  listed,
  type Message,
  type Pause,
  type RateLimiter,
  type RequestCounts,
  type StateSnapshot,
  type StreamName,
  type StreamState,
  say,
} from "@survey-export/core";
import type { Selection } from "./configuration.ts";

const DRAW_EVERY_MS = 1000;
const TELL_EVERY_MS = 30_000;
const MINUTE_MS = 60_000;

/** What is read. */
export interface Reading {
  readonly streams: readonly StreamName[];
  readonly selection: Selection;
  readonly client: ObservedClient;
}

/** What is seen of the client. */
export interface ObservedClient {
  readonly counts: RequestCounts;
  readonly rateLimiter: Pick<RateLimiter, "lowered" | "allowanceWaitMs" | "requestsInLastMinute">;
}

/** How a read ended. `stopped`: by the user or the platform, before its end. */
export type Ending = "complete" | "incomplete" | "stopped";

export type Draw = (line: Message) => void;

/**
 * How a read gets on. On a terminal, `draw` shows one live line each second. Without one there is a sentence for the log
 * every half minute: lines on a standard error that is no terminal would be shown as errors by the platform.
 */
export class Progress {
  readonly #clock: Clock;
  readonly #draw: Draw | undefined;
  readonly #reading: Reading;
  readonly #beganMs: number;
  #pause: Pause | undefined;
  #left: Left | undefined;
  readonly #counts = new Map<StreamName, number>();
  readonly #states = new Map<StreamName, StateSnapshot>();
  readonly #incomplete = new Map<string, Set<string>>();

  /** `draw`: shows the live line of a terminal; the empty message removes it. */
  constructor(clock: Clock, reading: Reading, draw?: Draw) {
    this.#clock = clock;
    this.#reading = reading;
    this.#draw = draw;
    this.#beganMs = clock.monotonicMs();
    for (const name of reading.streams) this.#counts.set(name, 0);
  }

  records(stream: StreamName, count: number, state: StateSnapshot): void {
    this.#counts.set(stream, (this.#counts.get(stream) ?? 0) + count);
    this.#states.set(stream, state);
  }

  waiting(pause: Pause | undefined): void {
    if (pause) this.#pause = pause;
  }

  left(left: Left): void {
    this.#left = left;
  }

  /** `surveyId`: of the list that failed, if it was that of a survey. */
  failed(stream: string, surveyId?: string): void {
    const surveys = this.#incomplete.get(stream) ?? new Set();
    this.#incomplete.set(stream, surveyId === undefined ? surveys : surveys.add(surveyId));
  }

  /** Shows the progress from now on, whatever the read waits for, until the signal is aborted. */
  async show(signal: AbortSignal, tell: (line: Message) => void): Promise<void> {
    const everyMs = this.#draw ? DRAW_EVERY_MS : TELL_EVERY_MS;
    try {
      for (;;) {
        this.#draw?.(this.#now());
        await this.#clock.sleep(everyMs, signal);
        if (this.#draw === undefined) tell(say`Reading: ${this.#now()}`);
      }
    } catch {
      this.#draw?.(say``);
    }
  }

  /** @returns the summary, which is the run's last line */
  end(ending: Ending): Message {
    const took = fixed((this.#tookMs / 1000).toFixed(1));
    if (ending === "incomplete")
      return say`Failed after ${took} s. Incomplete: ${this.#whatFailed()}. ${this.#delivered()}`;
    const facts = joined([recordsOf(this.#counts), ...this.#requests()], " · ");
    return ending === "complete"
      ? say`Read in ${took} s: ${facts}`
      : say`Stopped before the end, after ${took} s: ${facts}`;
  }

  get #tookMs(): number {
    return this.#clock.monotonicMs() - this.#beganMs;
  }

  #delivered(): Message {
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    if (total === 0) return say`Nothing was delivered.`;
    const were = counted(total, say`record was`, say`records were`);
    return say`${were} delivered. The next sync resumes from the last state.`;
  }

  #whatFailed(): Message {
    return joined(
      [...this.#incomplete].map(([name, surveys]) => {
        const stream = this.#counts.has(name as StreamName) ? fixed(name) : given(name);
        if (surveys.size === 0) return say`${stream}`;
        const noun = surveys.size === 1 ? say`survey` : say`surveys`;
        return say`${stream} (${noun} ${listed([...surveys].map(given), 5)})`;
      }),
      ", ",
    );
  }

  /** What matters first comes first, since a narrow terminal cuts the end off. */
  #now(): Message {
    const withRecords = [...this.#counts].filter(([, count]) => count > 0);
    const facts = [...this.#waits(), ...this.#share(), ...this.#surveys()];
    return joined([...facts, recordsOf(withRecords), ...this.#requests()], " · ");
  }

  #waits(): Message[] {
    const { allowanceWaitMs = 0, lowered } = this.#reading.client.rateLimiter;
    const pausedMs = (this.#pause?.untilMs ?? 0) - this.#clock.now();
    const seconds = Math.ceil(Math.max(pausedMs, allowanceWaitMs) / 1000);
    if (seconds > 1) {
      const isAsked = pausedMs > 0 && this.#pause?.reason === "unavailable";
      const why = isAsked ? say`the service asked for a pause` : say`the rate limit is reached`;
      return [say`waiting ${seconds} s (${why})`];
    }
    return lowered ? [say`slower for a while (others use the rate limit, too)`] : [];
  }

  /** The share of the wanted time range that was read, and an estimate of the time left. */
  #share(): Message[] {
    const { selection, client } = this.#reading;
    const states = [...this.#states.values()].map((state) => state.toJSON());
    const share = shareRead(states, selection);
    if (share === undefined) return [];
    const percentage = say`${Math.floor(share * 100)} %`;
    const { requestsInLastMinute } = client.rateLimiter;
    // Many requests start at once, so an estimate from less than a minute would be a guess.
    if (!this.#left?.pages || this.#tookMs < MINUTE_MS || requestsInLastMinute === 0) return [percentage];
    const { pages, pagesLeft, respondents } = this.#left;
    // Pages lead to respondents, and dense times have more pages: the share of the time would tell little.
    const requestsLeft = (pagesLeft() * client.counts.requests) / pages + respondents;
    const minutes = Math.max(1, Math.ceil(requestsLeft / requestsInLastMinute));
    const time = minutes < 120 ? say`${minutes} min` : say`${Math.round(minutes / 60)} h`;
    return [percentage, say`about ${time} left`];
  }

  #surveys(): Message[] {
    const all = this.#reading.selection.surveyIds.length;
    return all > 1 ? [say`${all - (this.#left?.surveys ?? all)} of ${all} surveys`] : [];
  }

  #requests(): Message[] {
    const { requests, retries } = this.#reading.client.counts;
    return [
      counted(requests, say`request`, say`requests`),
      ...(retries > 0 ? [counted(retries, say`retry`, say`retries`)] : []),
    ];
  }
}

const recordsOf = (counts: Iterable<readonly [stream: StreamName, count: number]>): Message =>
  joined(
    [...counts].map(([name, count]) => say`${fixed(name)} ${count}`),
    ", ",
  );

/**
 * How much of the wanted time range the streams cover, 0 to 1: of each survey from the start date to the newest
 * response seen, the mean over surveys and streams. Undefined without a start date, since nobody knows how far
 * back the lists go. For people: dates of milliseconds will do.
 */
function shareRead(states: readonly StreamState[], { startDate, surveyIds }: Selection): number | undefined {
  if (startDate === undefined || states.length === 0 || surveyIds.length === 0) return undefined;
  const startMs = Date.parse(startDate);
  let sum = 0;
  for (const { surveys } of states) {
    for (const id of surveyIds) {
      // A survey may be named as a property that every object has.
      const spans = (Object.hasOwn(surveys, id) && surveys[id]) || [];
      const newestMs = Date.parse(spans.at(-1)?.[1] ?? startDate);
      const coveredMs = spans.reduce((total, [older, newer]) => {
        const fromMs = older === null ? startMs : Math.max(startMs, Date.parse(older));
        return total + Math.max(0, Date.parse(newer) - fromMs);
      }, 0);
      sum += newestMs > startMs ? coveredMs / (newestMs - startMs) : 0;
    }
  }
  return sum / (states.length * surveyIds.length);
}
