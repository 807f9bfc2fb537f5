import { parseTimestamp, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { isObject } from "../text/json.ts";
import { type Message, say } from "../text/message.ts";
import { canBeSegment, LARGEST_PAGE, surveysPath } from "./endpoints.ts";
import type { ListedSurvey } from "./item.ts";
import { KeyedList } from "./keyed-list.ts";
import { pagesOutOfOrder } from "./list-errors.ts";
import type { Page } from "./page.ts";

/** The list of surveys, walked from its beginning, 100 a page (S14). */
export class ListedSurveys {
  /** By id, in the order of the list. */
  readonly found = new Map<string, ListedSurvey>();
  /** Why something may be missing. */
  problem: SurveyExportError | undefined;
  /** Records that no survey can be read from. */
  unreadable = 0;
  /** How many pages have come. */
  pages = 0;
  readonly #list: KeyedList<ListedSurvey>;
  /** When the last survey so far was created. */
  #oldest: Timestamp | undefined;
  #isOrdered = true;

  /** `from`: a link of the list to begin with. @throws SurveyExportError `refused_link` if it leads elsewhere */
  constructor(from?: string) {
    const shape = { itemsPerPage: LARGEST_PAGE, pathOf: surveysPath, parse: surveyIn, list: LIST };
    this.#list = new KeyedList<ListedSurvey>({ ...shape, from });
  }

  /** The next path to request; undefined at the end. */
  get path(): string | undefined {
    return this.#list.path;
  }

  /** @returns a warning */
  accept(page: Page): Message | undefined {
    const { items, unreadable, problem, warning } = this.#list.accept(page);
    this.pages++;
    this.unreadable += unreadable;
    for (const survey of items) {
      this.found.set(survey.id, survey);
      const created = parseTimestamp(survey.fields.created_at);
      if (created === undefined) continue;
      this.#isOrdered &&= this.#oldest === undefined || created <= this.#oldest;
      this.#oldest = created;
    }
    // A list of one page hides nothing, whatever its order is.
    const isHiding = !this.#isOrdered && (this.pages > 1 || this.path !== undefined);
    this.problem ??= problem ?? (isHiding ? pagesOutOfOrder(LIST) : undefined);
    return warning;
  }
}

const LIST = say`surveys`;

/** A record of the list; undefined without an id that can be part of a URL. */
export function surveyIn(fields: unknown): ListedSurvey | undefined {
  if (!isObject(fields)) return undefined;
  const { id, name, type } = fields;
  if (typeof id !== "string" || !canBeSegment(id)) return undefined;
  return { id, name: textOrNull(name), type: textOrNull(type), fields };
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
