import type { ListTask } from "./list-task.ts";

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
