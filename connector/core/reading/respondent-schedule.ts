import type { Clock } from "../ports.ts";
import type { Errand } from "./respondent-queue.ts";
import type { RespondentStreamReading } from "./stream-reading.ts";

export interface RespondentTask {
  readonly reading: RespondentStreamReading;
  readonly errand: Errand;
}

/** A respondent that answered 404 is asked again this much later, or at the end of the sync. */
const ASK_AGAIN_MS = 60_000;

/** Which respondent to ask for next, over all streams that read respondents. */
export interface RespondentSchedule {
  /** Lists that go on first, then the stream with most people waiting, then those due to be asked again. */
  next(): RespondentTask | undefined;
  /** Who is to be asked again, now that nothing else is left to do. */
  nextAtEnd(): RespondentTask | undefined;
  /** The list has more pages. */
  goOn(task: RespondentTask): void;
  /** The service does not know the respondent: true if they are asked for again later, false if that was it. */
  askLater(task: RespondentTask): boolean;
}

export function createRespondentSchedule(
  readings: readonly RespondentStreamReading[],
  clock: Clock,
): RespondentSchedule {
  const goingOn: RespondentTask[] = [];
  const missing: RespondentTask[] = [];
  return {
    next() {
      const task = goingOn.shift();
      if (task) return task;
      const longest = readings.reduce<RespondentStreamReading | undefined>(
        (most, reading) => (reading.queue.waiting > (most?.queue.waiting ?? 0) ? reading : most),
        undefined,
      );
      const errand = longest?.queue.next();
      if (longest && errand) return { reading: longest, errand };
      const [due] = missing;
      return due && clock.now() - due.errand.missingSinceMs! >= ASK_AGAIN_MS ? missing.shift() : undefined;
    },
    nextAtEnd: () => missing.shift(),
    goOn(task) {
      goingOn.push(task);
    },
    askLater(task) {
      if (task.errand.missingSinceMs !== undefined) return false;
      task.errand.missingSinceMs = clock.now();
      missing.push(task);
      return true;
    },
  };
}
