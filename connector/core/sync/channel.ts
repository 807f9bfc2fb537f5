import type { Pause } from "../client/client.ts";
import type { StateSnapshot } from "../coverage/stream-state.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { StreamRecord } from "../streams/column.ts";

/** `Name`: the names of the streams that are read. */
export type SyncEvent<Name extends string = string> =
  /** The stream begins; the state is the one it was given. */
  | { readonly type: "start"; readonly stream: Name; readonly state: StateSnapshot }
  /**
   * Records, and the state that covers everything up to and including them, until the next event is taken. `surveyId`: of the
   * list that held them.
   */
  | {
      readonly type: "records";
      readonly stream: Name;
      readonly surveyId: string | undefined;
      readonly records: readonly StreamRecord[];
      /**
       * The UUIDs of the responses whose records these are, also of those that have none: what an earlier sync stored of them
       * is outdated. Empty if the records are of another list than a survey's.
       */
      readonly responses: readonly string[];
      readonly state: StateSnapshot;
      /** Whether the survey was read to its end. */
      readonly isLast: boolean;
    }
  /** A list failed: that of a survey, or another one. It may still be read. At the end, `failure` says what is missing. */
  | { readonly type: "noted"; readonly surveyId: string | undefined; readonly error: SurveyExportError }
  /** Something of these streams could not be read; the rest was read, and they end incomplete. At the end of a sync. */
  | {
      readonly type: "failure";
      readonly streams: readonly Name[];
      readonly error: SurveyExportError;
      /** The surveys of which something is missing; none if it is not about surveys. */
      readonly surveyIds: readonly string[];
    }
  /** Items that cannot be read were omitted. The next sync tries again. With a few, the stream is still complete. */
  | {
      readonly type: "unreadable";
      readonly stream: Name;
      /** How many items. */
      readonly count: number;
      readonly error: SurveyExportError;
      readonly surveyId: string | undefined;
    }
  /** About how many responses the surveys have that are read, by their list. */
  | { readonly type: "counted"; readonly responses: number }
  /** Nothing else to emit for a while: the service asked for a pause, or is slow. */
  | { readonly type: "waiting"; readonly pause: Pause | undefined }
  /** The stream's last state. */
  | {
      readonly type: "end";
      readonly stream: Name;
      readonly state: StateSnapshot;
      readonly complete: boolean;
    };

/** What waits to be taken. */
interface Entry {
  /** Makes the event. */
  make(): SyncEvent;
  /** The caller has it. */
  taken(): void;
}

/**
 * Connects everything that reads with the one generator that yields: events in the order in which they were put. An event is
 * made when the caller takes it. So a state covers what the caller was given, and nothing that still waits (I1).
 */
export class Channel {
  readonly #entries: Entry[] = [];
  #wake: () => void = () => {};
  #isClosed = false;
  #thrown: { readonly value: unknown } | undefined;
  /** The sync ends early: nothing is covered any more. */
  isOver = false;
  /** When the caller took something last, in monotonic milliseconds. */
  lastTakenMs: number;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.lastTakenMs = clock.monotonicMs();
  }

  /** `make`: makes the event. @returns a promise of the moment when the caller takes it; a reader waits for that */
  put(make: () => SyncEvent): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed) return;
      this.#entries.push({ make, taken: resolve });
      this.#wake();
    });
  }

  /** Nothing more comes. What was put before is still given. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Ends the channel at once, with an error for the caller. */
  fail(value: unknown): void {
    this.isOver = true;
    this.#thrown ??= { value };
    this.close();
  }

  /** The next event; undefined after the last one. */
  async next(): Promise<{ readonly event: SyncEvent; taken(): void } | undefined> {
    while (this.#entries.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#thrown) throw this.#thrown.value;
    this.lastTakenMs = this.#clock.monotonicMs();
    const entry = this.#entries.shift();
    return entry && { event: entry.make(), taken: entry.taken };
  }
}
