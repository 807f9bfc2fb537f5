import {
  type Client,
  type Clock,
  counted,
  fixed,
  given,
  joined,
  listed,
  type Message,
  type Pause,
  type StreamName,
  type SyncProgress,
  say,
} from "@survey-export/core";
import { aboutHowLong } from "./duration.ts";
import { type Moment, remainingMs } from "./remaining-time.ts";

/** The time that remains is estimated by what happened in the last minute: the service may be slower now. */
const RECENT_MS = 60_000;
const DRAW_EVERY_MS = 1000;
const TELL_EVERY_MS = 30_000;
/** So long a silence of the service, in seconds, is worth a word. */
const LONG_SILENCE = 10;

/** What is seen of the client. */
type ObservedClient = Pick<Client, "counts"> & {
  readonly history: Pick<Client["history"], "silentMs" | "reason">;
  readonly rateLimiter: Pick<Client["rateLimiter"], "lowered" | "allowanceWaitMs" | "requestsPerMinute">;
};

/** How a read ended. `stopped`: by the user or the platform, before its end. */
export type Ending = "complete" | "incomplete" | "stopped";

/**
 * How a read gets on. On a terminal, `draw` shows one live line each second. Without one there is a sentence for the log
 * every half minute: lines on a standard error that is no terminal would be shown as errors by the platform.
 */
export class Progress {
  readonly #clock: Clock;
  readonly #client: ObservedClient;
  readonly #beganMs: number;
  readonly #waitsFor: () => Message | undefined;
  #pause: Pause | undefined;
  #sync: SyncProgress | undefined;
  readonly #counts: Map<StreamName, number>;
  /** When the read began. */
  #first: Moment | undefined;
  /** Of the last minute, oldest first, and one that is older. */
  #recent: Moment[] = [];
  readonly #incomplete = new Map<string, Set<string>>();

  /** `waitsFor`: what the destination waits for now, which comes before all that the service does. */
  constructor(
    clock: Clock,
    client: ObservedClient,
    streams: Iterable<StreamName>,
    waitsFor: () => Message | undefined = () => undefined,
  ) {
    this.#clock = clock;
    this.#client = client;
    this.#beganMs = clock.monotonicMs();
    this.#waitsFor = waitsFor;
    this.#counts = new Map([...streams].map((name) => [name, 0]));
  }

  records(stream: StreamName, count: number): void {
    this.#counts.set(stream, (this.#counts.get(stream) ?? 0) + count);
  }

  waiting(pause: Pause | undefined): void {
    if (pause) this.#pause = pause;
  }

  follow(sync: SyncProgress): void {
    this.#sync = sync;
    this.#first = this.#moment();
    this.#recent = [this.#first];
  }

  #moment(): Moment {
    const { responses, waitingLists = 0 } = this.#sync ?? {};
    const atMs = this.#clock.monotonicMs();
    const { requests } = this.#client.counts;
    return { atMs, requests, responses: responses?.read ?? 0, waiting: waitingLists };
  }

  /** `surveyIds`: those of which something is missing. */
  failed(stream: string, surveyIds: readonly string[] = []): void {
    const surveys = this.#incomplete.get(stream) ?? new Set();
    this.#incomplete.set(stream, surveys.union(new Set(surveyIds)));
  }

  /**
   * Shows the progress from now on, whatever the read waits for, until the signal is aborted. `draw`: shows the live line of
   * a terminal; the empty message removes it. Without it, `report` is given a sentence for the log.
   */
  async show(
    signal: AbortSignal,
    report: (line: Message) => void,
    draw?: (line: Message) => void,
  ): Promise<void> {
    try {
      for (;;) {
        draw?.(this.#now());
        await this.#clock.sleep(draw ? DRAW_EVERY_MS : TELL_EVERY_MS, signal);
        if (draw === undefined) report(say`Reading: ${this.#now()}`);
      }
    } catch {
      draw?.(say``);
    }
  }

  /** `destination`: where the records went, as "in /path". @returns the summary, which is the run's last line */
  end(ending: Ending, destination?: Message): Message {
    const took = fixed(((this.#clock.monotonicMs() - this.#beganMs) / 1000).toFixed(1));
    if (ending === "incomplete")
      return say`Failed after ${took} s. Incomplete: ${this.#whatFailed()}. ${this.#delivered()}`;
    const parts = [recordsOf(this.#counts), ...this.#requests()];
    const facts = joined(destination ? [...parts, destination] : parts, " · ");
    return ending === "complete"
      ? say`Read in ${took} s: ${facts}`
      : say`Stopped before the end, after ${took} s: ${facts}`;
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
    const facts = [
      ...this.#waits(),
      ...this.#share(),
      ...this.#timeLeft(),
      ...this.#surveys(),
      ...this.#respondents(),
    ];
    return joined([...facts, recordsOf(withRecords), ...this.#requests()], " · ");
  }

  #waits(): Message[] {
    const waitsFor = this.#waitsFor();
    if (waitsFor) return [waitsFor];
    const { allowanceWaitMs = 0, lowered } = this.#client.rateLimiter;
    const seconds = Math.ceil(Math.max(this.#pausedMs, allowanceWaitMs) / 1000);
    if (seconds > 1) {
      const why = this.#isPauseAsked ? say`the service asked for a pause` : say`the rate limit is reached`;
      return [say`waiting ${seconds} s (${why})`];
    }
    const silent = this.#silentSeconds;
    if (silent >= LONG_SILENCE)
      return [say`no good answer from the service for ${silent} s (${this.#client.history.reason})`];
    return lowered ? [say`slower for a while (others use the rate limit, too)`] : [];
  }

  get #pausedMs(): number {
    return (this.#pause?.untilMs ?? 0) - this.#clock.now();
  }

  get #isPauseAsked(): boolean {
    return this.#pausedMs > 0 && this.#pause?.reason === "unavailable";
  }

  get #silentSeconds(): number {
    return Math.floor(this.#client.history.silentMs(this.#beganMs) / 1000);
  }

  /** About how much time is left. Nothing while the service does not answer, since nobody knows when it will. */
  #timeLeft(): Message[] {
    const { responses } = this.#sync ?? {};
    if (responses === undefined) return [];
    const now = this.#moment();
    const before = this.#momentBefore(now);
    if (this.#isPauseAsked || this.#silentSeconds >= LONG_SILENCE) return [];
    const { requestsPerMinute } = this.#client.rateLimiter;
    const leftMs = remainingMs(before, now, responses.about, requestsPerMinute);
    return leftMs === undefined ? [] : [say`${aboutHowLong(leftMs)} left`];
  }

  /**
   * Remembers the moment. @returns the one of a minute ago; the first one if the read is younger, or if no page has come since:
   * with a low limit, the people of a few pages take minutes
   */
  #momentBefore(now: Moment): Moment {
    const isOld = ({ atMs }: Moment): boolean => atMs <= now.atMs - RECENT_MS;
    this.#recent = [...this.#recent.slice(Math.max(0, this.#recent.findLastIndex(isOld))), now];
    const [before = now] = this.#recent;
    return before.responses === now.responses ? (this.#first ?? now) : before;
  }

  /** The service's own count may be old. */
  #share(): Message[] {
    const { responses } = this.#sync ?? {};
    return responses ? [say`${responses.read} of about ${responses.about} responses`] : [];
  }

  /** How many of several surveys were read. */
  #surveys(): Message[] {
    const { all, remaining } = this.#sync?.surveys ?? { all: 0, remaining: 0 };
    return all < 2 ? [] : [say`${all - remaining} of ${all} surveys`];
  }

  #respondents(): Message[] {
    const { respondents } = this.#sync ?? {};
    return respondents ? [say`respondents: ${respondents.waiting} waiting, ${respondents.read} read`] : [];
  }

  #requests(): Message[] {
    const { requests, retries } = this.#client.counts;
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
