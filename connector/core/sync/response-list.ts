import type { Gap } from "../coverage/coverage.ts";
import type { Seen } from "../coverage/list-coverage.ts";
import { latest, type Timestamp } from "../coverage/timestamp.ts";
import { certain, type SurveyExportError } from "../errors.ts";
import type { Read, Unreadable } from "../lists/coverage-tracker.ts";
import { respondentResponsesPath } from "../lists/endpoints.ts";
import { type Item, isReadable, parseItemPage, seenOn } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import type { StreamRecord } from "../streams/column.ts";
import type { RespondentResponseStream } from "../streams/definition.ts";
import { type Message, respondentId, say } from "../text/message.ts";
import type { StreamInSync } from "./stream-in-sync.ts";

/** What a page of a person's list brought. */
export interface RespondentPage {
  readonly records: readonly StreamRecord[];
  /** What was read of a list that has a coverage; undefined for attributes. */
  readonly read: (Read & { readonly seen: Seen }) | undefined;
  /** Whether it hides something: the list counts as not read. */
  readonly hides: boolean;
  /** What is wrong with the list, beside items that cannot be read. */
  readonly problem: SurveyExportError | undefined;
  /** Items that cannot be read. */
  readonly unreadable: readonly Omit<Unreadable, "range">[];
  readonly warning: Message | undefined;
}

/** Reading one person's list, page by page. `parse` gives a step that moves on when it is called. */
export interface RespondentList {
  /** The next path to request; undefined at the end. */
  readonly path: string | undefined;
  parse(body: string, present: Timestamp, isDated: boolean): () => RespondentPage;
  /**
   * The newest response that the list shows, wherever it lies: one that is behind a survey lacks what led there.
   * `LATEST` of a list that cannot be behind; undefined while it has shown none.
   */
  readonly newest: Timestamp | undefined;
}

export interface RespondentListOptions {
  /** As the service writes it in a response, else as the configuration does. */
  readonly uuid: string;
  readonly itemsPerPage: number;
  /** Whether the configuration names the surveys to read. Default: no. */
  readonly areSurveysNamed?: boolean;
}

/** One person's responses to surveys that are not configured: the others come from the surveys' own lists. */
export class ResponseList implements RespondentList {
  newest: Timestamp | undefined;
  readonly #stream: StreamInSync;
  readonly #definition: RespondentResponseStream;
  readonly #options: RespondentListOptions;
  /** Those that are not read yet. */
  readonly #gaps: Gap[];
  readonly #unreadable = new Set<string>();
  #walk: ListWalk | undefined;

  /** `gaps`: what to read of it, oldest first. */
  constructor(
    stream: StreamInSync,
    definition: RespondentResponseStream,
    options: RespondentListOptions,
    gaps: readonly Gap[],
  ) {
    this.#stream = stream;
    this.#definition = definition;
    this.#options = options;
    this.#gaps = [...gaps];
    this.#walk = this.#nextWalk();
  }

  get path(): string | undefined {
    return this.#walk?.path;
  }

  parse(body: string, present: Timestamp, isDated: boolean): () => RespondentPage {
    const walk = certain(this.#walk, "the walk");
    const page = parseItemPage(body, walk.requestNewer, present, isDated);
    return () => {
      for (const { timestamp } of page.items.filter(isReadable)) this.newest = latest(this.newest, timestamp);
      const { items, problem, warning, covered, unreadable, doubtful } = walk.accept(page);
      if (walk.path === undefined) this.#walk = this.#nextWalk();
      const { uuid } = this.#options;
      const origin = { respondentUuid: uuid, unknown: this.#stream.warnings.unknown, present };
      const wanted = items.filter((item) => this.#isWanted(item));
      const records = wanted.flatMap((item) => this.#definition.records(item, origin));
      const read = { covered, unreadable, doubtful, seen: seenOn(page, items) };
      return { records, read, hides: unreadable.length + doubtful.length > 0, problem, warning, unreadable };
    };
  }

  #nextWalk(): ListWalk | undefined {
    const gap = this.#gaps.pop();
    const { uuid, itemsPerPage } = this.#options;
    if (gap === undefined) return undefined;
    return new ListWalk({
      ...gap,
      requestOlder: null,
      itemsPerPage,
      list: say`respondent ${respondentId(uuid)}`,
      unreadable: this.#unreadable,
      pathOf: (window) => respondentResponsesPath(uuid, window),
    });
  }

  #isWanted({ survey, timestamp }: Item): boolean {
    const id = survey?.id;
    if (typeof id === "string") {
      const isWanted = !this.#stream.surveys.reads(id);
      if (isWanted && this.#options.areSurveysNamed) this.#stream.warnings.surveyNotNamed(id);
      return isWanted;
    }
    this.#stream.warnings.withoutSurvey(this.#options.uuid, timestamp);
    return false;
  }
}
