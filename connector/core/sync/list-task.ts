import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { SyncEvent } from "./events.ts";

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
