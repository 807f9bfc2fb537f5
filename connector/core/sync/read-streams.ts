import type { Client, Pause } from "../client/client.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import { certain, invariant, SurveyExportError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { say } from "../text/message.ts";
import type { ListTask, SyncEvent } from "./list-task.ts";
import { Outage } from "./outage.ts";
import { type Left, planSync, type SyncOptions } from "./plan-sync.ts";
import type { StreamProgress } from "./stream-progress.ts";

/** What came back to the loop: the result of a request, or news that nothing else comes for a while. */
type Completion =
  | { readonly task: ListTask; readonly page: unknown }
  | { readonly task: ListTask; readonly thrown: unknown }
  | { readonly pause: Pause | undefined }
  | { readonly isTime: true };

/** How long no event may be emitted before a "waiting" is. */
const QUIET_MS = 60_000;

/**
 * Reads the streams: every response and every respondent that the streams' states do not cover, each once, and after
 * each page the state that covers everything emitted so far (spec/sync.md).
 *
 * The caller pulls. Pages in flight or waiting to be pulled are bounded by the number of slots, so a slow caller slows
 * the requests. Leaving the loop early ends the requests.
 *
 * @throws SurveyExportError only for a defect; the service's failures come as "failure" events. The signal's reason
 * when that is aborted
 */
export function readStreams<Name extends string>(
  client: Client,
  options: SyncOptions<Name>,
): AsyncGenerator<SyncEvent<Name>, void> {
  return events(client, options) as AsyncGenerator<SyncEvent<Name>, void>;
}

async function* events(client: Client, options: SyncOptions): AsyncGenerator<SyncEvent, void> {
  const { clock } = client.host;
  const { inOrder = false, signal } = options;
  const run = new Run(client, options);
  const { streams, warnings } = run.plan;
  const slots = client.maxConcurrentRequests;
  try {
    for (const { definition, cursor } of streams) {
      yield { type: "start", stream: definition.name, state: cursor.state() };
    }
    for (;;) {
      run.fill(slots);
      if (run.isIdle && !run.waitsForTime()) break;
      const completion = await run.completions.next();
      if (signal?.aborted) throw signal.reason;
      const taken = run.take(completion);
      if (run.outage.error) break;
      // The next requests are on their way while the caller works; a caller in order may want no more.
      if (!inOrder) run.fill(slots);
      for (const event of taken) {
        run.quietSinceMs = clock.monotonicMs();
        yield event;
      }
      options.onProgress?.(run.left());
    }
    yield* run.outage.end();
    yield* run.plan.gone.end(streams, warnings);
    warnings.summarize();
    for (const stream of streams) {
      yield* stream.finish();
      warnings.stillOpen(stream.definition.name, stream.cursor.open.count);
      if (run.outage.error && run.mayLack(stream)) yield* stream.failed(run.outage.error);
      const { definition, cursor, isIncomplete } = stream;
      yield { type: "end", stream: definition.name, state: cursor.state(), complete: !isIncomplete };
    }
  } finally {
    run.stop();
  }
}

/** The requests of one call of `readStreams`. */
class Run {
  readonly plan;
  readonly outage: Outage;
  readonly completions = new CompletionQueue<Completion>();
  quietSinceMs: number;
  readonly #client: Client;
  readonly #abort = new AbortController();
  readonly #stopListening: () => void;
  readonly #inFlight = new Set<ListTask>();

  constructor(client: Client, options: SyncOptions) {
    const { signal } = options;
    if (signal?.aborted) throw signal.reason;
    this.#client = client;
    this.plan = planSync(client, options);
    this.outage = new Outage(client);
    this.quietSinceMs = client.host.clock.monotonicMs();
    const onAbort = (): void => this.#abort.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const stopPauses = client.onPause((pause) => this.completions.push({ pause }));
    this.#stopListening = () => {
      signal?.removeEventListener("abort", onAbort);
      stopPauses();
    };
    // Ends with the run, by the signal.
    this.#watchQuiet(client.host.clock).catch(() => {});
  }

  get #areAllGivenUp(): boolean {
    return this.plan.streams.every(({ isGivenUp }) => isGivenUp);
  }

  get isIdle(): boolean {
    return this.#inFlight.size === 0 && this.completions.isEmpty;
  }

  /** Sends requests until the slots are full or nothing can be requested now. */
  fill(slots: number): void {
    // What surveys would still show, no stream takes.
    if (this.#areAllGivenUp) return;
    while (this.#inFlight.size < slots) {
      const task = this.plan.scheduler.next(this.isIdle, this.#client.host.clock.monotonicMs());
      if (task === undefined) return;
      invariant(!this.#inFlight.has(task), () => say`a list was asked for its next page twice at once`);
      this.#inFlight.add(task);
      this.#request(task).then(
        (page) => this.completions.push({ task, page }),
        (thrown: unknown) => this.completions.push({ task, thrown }),
      );
    }
  }

  /** Passes a result to its task. */
  take(completion: Completion): readonly SyncEvent[] {
    if ("isTime" in completion) return [];
    if ("pause" in completion) return [{ type: "waiting", pause: completion.pause }];
    const { task } = completion;
    this.#inFlight.delete(task);
    const events =
      "page" in completion
        ? [...this.outage.good(), ...task.accept(completion.page)]
        : this.#fail(task, completion.thrown);
    task.returned();
    return events;
  }

  /** Whether something is to be requested later, and nothing before: another call of `fill` follows then. */
  waitsForTime(): boolean {
    const { clock } = this.#client.host;
    const { wakeAtMs } = this.plan.scheduler;
    if (wakeAtMs === undefined || this.#areAllGivenUp) return false;
    const wait = clock.sleep(Math.max(0, wakeAtMs - clock.monotonicMs()), this.#abort.signal);
    // An abort ends the wait, too: the loop then sees the signal.
    wait.catch(() => {}).then(() => this.completions.push({ isTime: true }));
    return true;
  }

  /** Whether something may be left to read for a stream: surveys that were read to their end need nobody else. */
  mayLack(stream: StreamProgress): boolean {
    return stream.isIncomplete || stream.respondents !== undefined || this.plan.surveys.left > 0;
  }

  left(): Left {
    const { surveys, respondents } = this.plan;
    return {
      surveys: surveys.left,
      respondents: respondents.reduce((sum, { waiting }) => sum + waiting, 0),
      pages: surveys.pages,
      pagesLeft: () => surveys.pagesLeft,
    };
  }

  stop(): void {
    this.#stopListening();
    this.#abort.abort();
  }

  async #request(task: ListTask): Promise<unknown> {
    const parse = (body: string, present: Timestamp): unknown => {
      const page = task.parse(body, present);
      this.plan.bound.at ??= present;
      return page;
    };
    return this.#client.get(
      certain(task.path, "the path"),
      parse,
      this.#abort.signal,
      task.attempts ?? this.outage.attempts,
    );
  }

  #fail(task: ListTask, thrown: unknown): readonly SyncEvent[] {
    const error = SurveyExportError.from(thrown);
    const events = task.fail(error, this.#client.host.clock.monotonicMs());
    // A task that requests another way has not failed.
    return error.scope === "list" && task.path !== undefined ? events : this.outage.failed(error, events);
  }

  /** Wakes the loop if nothing was emitted for a while, and at the end of an outage. */
  async #watchQuiet(clock: Clock): Promise<void> {
    for (;;) {
      await clock.sleep(Math.min(QUIET_MS, this.outage.dueInMs), this.#abort.signal);
      this.outage.check();
      const isQuiet = clock.monotonicMs() - this.quietSinceMs >= QUIET_MS;
      if (isQuiet || this.outage.error) this.completions.push({ pause: undefined });
      if (this.outage.error) return;
    }
  }
}

/** Results in the order in which they arrive, for one reader that takes one at a time. */
class CompletionQueue<T> {
  readonly #results: T[] = [];
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.#results.length === 0;
  }

  push(result: T): void {
    this.#results.push(result);
    this.#wake?.();
  }

  /** The oldest result not taken yet, once there is one. */
  async next(): Promise<T> {
    if (this.isEmpty) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    return certain(this.#results.shift(), "a result");
  }
}
