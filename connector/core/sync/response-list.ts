import type { Gap } from "../coverage/coverage.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import { certain } from "../errors.ts";
import { respondentResponsesPath } from "../lists/endpoints.ts";
import { type Item, type ItemPage, isReadable, parseItemPage, seenOn } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import type { RespondentResponseStream } from "../streams/definition.ts";
import { isObject } from "../text/json.ts";
import { respondentId, say } from "../text/message.ts";
import {
  type RespondentList,
  type RespondentListOptions,
  type RespondentPage,
  secondOf,
} from "./respondent-list.ts";
import type { StreamInSync } from "./stream-in-sync.ts";

/** One respondent's responses to surveys that are not configured: the others come from the surveys' own lists. */
export class ResponseList implements RespondentList<ItemPage> {
  newest = Number.NEGATIVE_INFINITY;
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

  parse(body: string, present: Timestamp, isDated: boolean): ItemPage {
    return parseItemPage(body, certain(this.#walk, "the walk").requestNewer, present, isDated);
  }

  accept(page: ItemPage): RespondentPage {
    const walk = certain(this.#walk, "the walk");
    for (const { timestamp } of page.items.filter(isReadable))
      this.newest = Math.max(this.newest, secondOf(timestamp));
    const { items, problem, warning, ...read } = walk.accept(page);
    if (walk.path === undefined) this.#walk = this.#nextWalk();
    const { unknown } = this.#stream.warnings;
    const origin = { respondentUuid: this.#options.uuid, unknown, present: page.present };
    const wanted = items.filter((item) => this.#isWanted(item));
    const records = wanted.flatMap((item) => this.#definition.records(item, origin));
    return { records, read, seen: seenOn(page, items), problem, warning };
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

/** A response of a survey as a respondent's list shows it. */
export function withoutAttributes(item: Item): Item {
  const { respondent } = item.response;
  const response = {
    ...item.response,
    attributes: [],
    ...(isObject(respondent) && { respondent: { ...respondent, attributes: [] } }),
  };
  return { ...item, response, raw: item.raw === item.response ? response : item.raw };
}
