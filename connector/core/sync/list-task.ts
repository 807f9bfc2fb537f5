import type { Pause } from "../client/client.ts";
import type { StateSnapshot } from "../coverage/stream-state.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";

/** `Name`: the names of the streams that are read. */
export type SyncEvent<Name extends string = string> =
  /** The stream begins; the state is the one it was given, without the range that the lookback re-opened. */
  | { readonly type: "start"; readonly stream: Name; readonly state: StateSnapshot }
  /** Records, and the state that covers everything up to and including them. `surveyId`: of the list that held them. */
  | {
      readonly type: "records";
      readonly stream: Name;
      readonly surveyId?: string;
      readonly records: readonly StreamRecord[];
      readonly state: StateSnapshot;
    }
  /** Something of the stream could not be read; the rest goes on, and the stream ends incomplete. */
  | {
      readonly type: "failure";
      readonly stream: Name;
      readonly error: SurveyExportError;
      readonly surveyId?: string;
    }
  /** Nothing else to emit for a while: the service asked for a pause, or is slow. */
  | { readonly type: "waiting"; readonly pause: Pause | undefined }
  /** The stream's last state. */
  | {
      readonly type: "end";
      readonly stream: Name;
      readonly state: StateSnapshot;
      readonly complete: boolean;
    };

/**
 * The unit of work of a sync: a slice of a survey's list, or the list of a respondent, read page by page. The loop
 * requests `path`, parses the body, and passes the result back; the task returns the events to emit.
 */
export interface ListTask<Page = unknown> {
  /** The next path to request; undefined when the task has ended. */
  readonly path: string | undefined;
  /** Most attempts of the next request; undefined = as the retry policy says. */
  readonly attempts?: number | undefined;
  /** @throws SurveyExportError `broken_answer` for a body that is worth another request */
  parse(body: string, present: Timestamp): Page;
  /** Takes a page in and moves on. */
  accept(page: Page): SyncEvent[];
  /** The request failed for good, at `nowMs` (monotonic). The task ends, unless it requests another way. */
  fail(error: SurveyExportError, nowMs: number): SyncEvent[];
  /** The result was taken in: the task waits for another turn if it goes on. */
  returned(): void;
}

/** Attempts of a request that only tries whether something still fails. */
export const ATTEMPTS_OF_A_TRY = 2;

/** Gives out the respondents of one stream. All times are monotonic milliseconds. */
export interface RespondentSource {
  /** Respondents that wait. */
  readonly waiting: number;
  next(nowMs: number): ListTask | undefined;
  /** What is requested only if nothing else is left to request or under way. */
  nextAtTheEnd(nowMs: number): ListTask | undefined;
  /** When `nextAtTheEnd` may give something that it does not give now. */
  readonly wakeAtMs: number | undefined;
  /** Surveys show nobody else: the people whom the configuration names come now. */
  addConfigured(): void;
}

/** The first task that still has something to request: another slice's page may have ended a slice. */
export function takeOpen<Task extends ListTask>(tasks: Task[]): Task | undefined {
  for (;;) {
    const task = tasks.shift();
    if (task === undefined || task.path !== undefined) return task;
  }
}
