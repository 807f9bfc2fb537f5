import { parseTimestamp, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { isObject } from "../text/json.ts";
import { say } from "../text/message.ts";
import { canBeSegment, LARGEST_PAGE, surveysPath } from "./endpoints.ts";
import { idText, type ListedSurvey } from "./item.ts";
import { KeyedList } from "./keyed-list.ts";
import { pagesOutOfOrder, surveysHidden, TOO_MANY, tooManySurveys } from "./list-errors.ts";
import type { Page } from "./page.ts";

/** More surveys, or records with more characters in all, are no list of surveys. */
const [MOST_SURVEYS, MOST_CHARACTERS] = [20_000, 50_000_000];

/**
 * The list of surveys, walked from its beginning, 100 a page (S14). It judges the list for all who read it: `check`, a
 * sync and n8n.
 */
export class ListedSurveys {
  /** By id, in the order of the list. */
  readonly found = new Map<string, ListedSurvey>();
  /** Records that no survey can be read from: a list with one is not whole. */
  unreadable = 0;
  /** How many pages have come. */
  pages = 0;
  readonly #list: KeyedList<ListedSurvey>;
  /** When the last survey so far was created. */
  #oldest: Timestamp | undefined;
  #isOrdered = true;
  #isOnePage = true;
  #problem: SurveyExportError | undefined;
  #characters = 0;

  /** `from`: a link of the list to begin with. @throws SurveyExportError `refused_link` if it leads elsewhere */
  constructor(from?: string) {
    this.#list = new KeyedList<ListedSurvey>({
      pathOf: surveysPath,
      itemsPerPage: LARGEST_PAGE,
      from,
      parse: surveyIn,
      list: LIST,
    });
  }

  /** The next path to request; undefined at the end. */
  get path(): string | undefined {
    return this.#problem?.code === "too_large" ? undefined : this.#list.path;
  }

  /** Why surveys are missing, so far: the list cannot be followed, or holds ten records that cannot be read, or nothing else. */
  get problem(): SurveyExportError | undefined {
    if (this.#problem) return this.#problem;
    const isHidden = this.unreadable >= TOO_MANY || (this.unreadable > 0 && this.found.size === 0);
    return isHidden ? surveysHidden(this.unreadable, this.found.size) : undefined;
  }

  accept(page: Page): void {
    const { path } = this;
    const { items, unreadable, problem } = this.#list.accept(page);
    this.pages++;
    this.#isOnePage &&= this.path === undefined || this.path === path;
    this.unreadable += unreadable;
    for (const survey of items) this.#add(survey);
    // A list of one page hides nothing, whatever its order is.
    const isHiding = !this.#isOrdered && !this.#isOnePage;
    this.#problem ??= problem ?? (isHiding ? pagesOutOfOrder(LIST) : undefined);
    if (this.found.size > MOST_SURVEYS || this.#characters > MOST_CHARACTERS)
      this.#problem = tooManySurveys(this.found.size);
  }

  #add(survey: ListedSurvey): void {
    this.#characters += JSON.stringify(survey.fields).length;
    this.found.set(survey.id, survey);
    const { createdAt } = survey;
    if (createdAt === undefined) return;
    this.#isOrdered &&= this.#oldest === undefined || createdAt <= this.#oldest;
    this.#oldest = createdAt;
  }
}

const LIST = say`surveys`;

/** A record of the list; undefined without an id that can be part of a URL. */
export function surveyIn(fields: unknown): ListedSurvey | undefined {
  if (!isObject(fields)) return undefined;
  const { name, type, responses } = fields;
  const id = idText(fields.id);
  if (id === undefined || !canBeSegment(id)) return undefined;
  return {
    id,
    name: textOrNull(name),
    type: textOrNull(type),
    responses: Number.isSafeInteger(responses) ? Math.max(0, responses as number) : undefined,
    createdAt: parseTimestamp(fields.created_at),
    fields,
  };
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
