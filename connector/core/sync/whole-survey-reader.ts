import { addMicroseconds, type Timestamp } from "../coverage/timestamp.ts";
import type { WholeSurveyStream } from "../streams/definition.ts";
import type { StreamInSync } from "./stream-in-sync.ts";
import type { SurveyPage } from "./survey-list.ts";

/** Reads a stream whose records say which surveys were read whole, and how many responses each has. */
export class WholeSurveyReader {
  readonly stream: StreamInSync;
  readonly #definition: WholeSurveyStream;
  readonly #began: Timestamp;
  readonly #startDate: Timestamp | null;
  /** By survey, how many responses came. */
  readonly #counts = new Map<string, number>();

  /** `began`: when the sync began, by the host's clock. `startDate`: null to read from the beginning. */
  constructor(
    stream: StreamInSync,
    definition: WholeSurveyStream,
    began: Timestamp,
    startDate: Timestamp | null,
  ) {
    this.stream = stream;
    this.#definition = definition;
    this.#began = began;
    this.#startDate = startDate;
  }

  /** Counts the responses of a page, and covers it. */
  async take(page: SurveyPage): Promise<void> {
    const { length } = this.stream.wantedOf(page);
    this.#counts.set(page.surveyId, (this.#counts.get(page.surveyId) ?? 0) + length);
    await this.stream.deliverPage(page, length, []);
  }

  /** Emits a record of each survey that was read whole: its coverage is one interval from the start date on. */
  finish(): void {
    const { surveys, warnings, failedSurveys } = this.stream;
    for (const [surveyId, numberOfResponses] of this.#counts) {
      const [interval, ...others] = surveys.of(surveyId).covered;
      const isWhole = others.length === 0 && interval?.[0] === this.#startDate;
      if (interval === undefined || !isWhole || failedSurveys.has(surveyId)) continue;
      const [older, edge] = interval;
      // An edge proves nothing.
      const survey = { numberOfResponses, older, newer: addMicroseconds(edge, -1) };
      const origin = { surveyId, began: this.#began, unknown: warnings.unknown };
      // Not after an early end.
      this.stream.deliver(this.#definition.records(survey, origin), 0, surveyId).catch(() => {});
    }
  }
}
