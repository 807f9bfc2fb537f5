import { addMicroseconds, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyStream, WholeSurveyStream } from "../streams/definition.ts";
import type { StreamInSync } from "./stream-in-sync.ts";
import type { SurveyPage } from "./survey-list.ts";
import type { Settings } from "./sync-options.ts";

export interface SurveyReaderOptions {
  readonly stream: StreamInSync;
  readonly definition: SurveyStream | WholeSurveyStream;
  /** When the sync began, by the host's clock. */
  readonly began: Timestamp;
  readonly settings: Settings;
}

/** Reads a stream whose records are the responses of the surveys themselves, or say which surveys were read whole. */
export class SurveyReader {
  readonly stream: StreamInSync;
  readonly #options: SurveyReaderOptions;
  /** How many responses came, by survey. */
  readonly #counts = new Map<string, number>();

  constructor(options: SurveyReaderOptions) {
    this.stream = options.stream;
    this.#options = options;
  }

  /** Delivers a page and covers it. */
  async take(page: SurveyPage): Promise<void> {
    const { surveyId, survey } = page;
    const { definition, began } = this.#options;
    const items = this.stream.wantedOf(page);
    this.#counts.set(surveyId, (this.#counts.get(surveyId) ?? 0) + items.length);
    const origin = { surveyId, survey, began, unknown: this.stream.warnings.unknown };
    const records =
      definition.reads === "survey responses"
        ? items.flatMap((item) => definition.records(item, origin))
        : [];
    await this.stream.deliverPage(page, items.length, records);
  }

  /** Emits what is known of the surveys that were read whole: their coverage is one interval from the start date on. */
  finish(): void {
    const { surveys, warnings, failedSurveys } = this.stream;
    const { definition, began, settings } = this.#options;
    const { startDate } = settings;
    if (definition.reads === "survey responses") return;
    for (const [surveyId, numberOfResponses] of this.#counts) {
      const [interval, ...others] = surveys.of(surveyId).covered;
      const isWhole = others.length === 0 && interval?.[0] === (startDate ?? null);
      if (interval === undefined || !isWhole || failedSurveys.has(surveyId)) continue;
      const [older, edge] = interval;
      // An edge proves nothing.
      const newer = addMicroseconds(edge, -1);
      const origin = { surveyId, began, unknown: warnings.unknown };
      const records = definition.records({ numberOfResponses, older, newer }, origin);
      // Not after an early end.
      this.stream.deliver(records, 0, surveyId).catch(() => {});
    }
  }
}
