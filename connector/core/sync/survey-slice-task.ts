import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { type ItemPage, isReadable, parseItemPage } from "../lists/item.ts";
import type { ListWalk } from "../lists/list-walk.ts";
import { counted, given, type Message, say } from "../text/message.ts";
import type { SyncEvent } from "./events.ts";
import type { ListTask } from "./list-task.ts";
import type { Slice } from "./split.ts";
import { isFarAbove } from "./stream-cursor.ts";
import type { StreamProgress } from "./stream-progress.ts";
import type { SurveyList } from "./survey-list.ts";
import type { Warnings } from "./warnings.ts";

/** What the slices of all surveys share. */
export interface SurveyWork {
  readonly streams: readonly StreamProgress[];
  readonly turns: { returned(slice: SurveySliceTask): void };
  readonly warnings: Warnings;
}

/** A slice of a survey's list as a unit of work: its pages go to every stream. */
export class SurveySliceTask implements Slice, ListTask<ItemPage> {
  readonly survey: SurveyList<SurveySliceTask>;
  readonly walk: ListWalk;
  readonly edges: ReadonlySet<Timestamp>;
  cutPages: number;
  readonly #work: SurveyWork;

  constructor(survey: SurveyList<SurveySliceTask>, slice: Slice, work: SurveyWork) {
    this.survey = survey;
    this.walk = slice.walk;
    this.edges = slice.edges;
    this.cutPages = slice.cutPages;
    this.#work = work;
  }

  get path(): string | undefined {
    return this.survey.isOpen(this) ? this.walk.path : undefined;
  }

  parse(body: string, present: Timestamp): ItemPage {
    return parseItemPage(body, this.walk.notAfter, present);
  }

  accept(page: ItemPage): SyncEvent[] {
    if (!this.survey.isOpen(this)) return [];
    const surveyPage = this.survey.accept(this, page);
    this.#warn(surveyPage.warning, page);
    const { problem } = surveyPage;
    return this.#work.streams.flatMap((stream) => {
      const events = stream.acceptSurveyPage(this.survey.id, surveyPage, this.survey.newestSeen);
      if (problem) events.push(...stream.failed(problem, this.survey.id));
      return events;
    });
  }

  fail(error: SurveyExportError): SyncEvent[] {
    if (!this.survey.isOpen(this)) return [];
    if (error.code === "rejected" && this.walk.retryWithoutEnd()) return [];
    const failed = (named: SurveyExportError): SyncEvent[] =>
      this.#work.streams.flatMap((stream) => stream.failed(named, this.survey.id));
    const isReplaced = error.scope === "list" && this.walk.replaceLink();
    if (error.code === "refused_link") {
      if (!isReplaced) this.walk.stop();
      return failed(error);
    }
    if (isReplaced) {
      this.#warnings.linkReplaced(say`survey ${given(this.survey.id)}`, error);
      return [];
    }
    this.survey.stop();
    return failed(error.code === "not_found" ? this.#notFound(error) : error);
  }

  returned(): void {
    this.#work.turns.returned(this);
  }

  get #warnings(): Warnings {
    return this.#work.warnings;
  }

  #warn(warning: Message | undefined, page: ItemPage): void {
    if (warning) this.#warnings.emptyPage(warning);
    const newest = page.items.find(isReadable);
    if (newest && isFarAbove(newest.timestamp, page.present)) {
      this.#warnings.fromFuture({ ...newest, surveyId: this.survey.id }, page.present);
    }
  }

  #notFound(error: SurveyExportError): SurveyExportError {
    const { id, pages } = this.survey;
    if (pages > 0) {
      return error.restated(
        "transient",
        say`Survey ${given(id)} was not found any more after ${counted(pages, say`page`, say`pages`)} (status ${error.status ?? 404}).`,
        say`The responses read so far were delivered; the next sync continues there. If it goes on, ask the service.`,
      );
    }
    return error.restated(
      "config",
      say`Survey ${given(id)} was not found (status ${error.status ?? 404}).`,
      say`Remove it from survey_ids or correct the id. This does not affect the other surveys.`,
    );
  }
}
