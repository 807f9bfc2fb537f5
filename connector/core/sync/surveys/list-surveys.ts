import type { Client, Reply } from "../../client/client.ts";
import { parseTimestamp, type Timestamp } from "../../coverage/timestamp.ts";
import type { SurveyExportError } from "../../errors.ts";
import { canBeSegment, LARGEST_PAGE, surveysPath } from "../../lists/endpoints.ts";
import { idText, type ListedSurvey } from "../../lists/item.ts";
import { KeyedList } from "../../lists/keyed-list.ts";
import {
  notListed,
  pagesOutOfOrder,
  surveysHidden,
  surveysOmitted,
  TOO_MANY,
  tooManySurveys,
} from "../../lists/list-errors.ts";
import { type Page, parsePage } from "../../lists/page.ts";
import { isObject } from "../../text/json.ts";
import { say } from "../../text/message.ts";

/** A page of the service's list of surveys, newest created first. */
export interface ListedPage {
  /** Those that no page before has shown. */
  readonly surveys: readonly ListedSurvey[];
  /** Where the list continues, for `from` of a later call; undefined at its end, and while that is in doubt. */
  readonly next: string | undefined;
}

/**
 * The surveys that the service lists, a hundred for each request, as far as the caller goes. `from`: where to begin.
 * Records without a usable id are a warning, as soon as the first one comes.
 * @throws SurveyExportError; `surveys_not_listed` if the service does not list its surveys; what the list contradicts, and
 * a list that hides most of itself, once all that it shows was given
 */
export async function* listSurveys(
  client: Client,
  signal?: AbortSignal,
  from?: string,
): AsyncGenerator<ListedPage, void> {
  const list = new ListOfSurveys(from);
  let isTold = false;
  for await (const page of list.read((path) => client.get(path, parsePage, signal))) {
    if (list.unreadable > 0 && !isTold)
      client.host.log("warn", surveysOmitted(list.unreadable), "items_omitted");
    isTold = list.unreadable > 0;
    yield page;
  }
  const { problem, readAt } = list;
  if (problem) throw problem.code === "not_found" && readAt === undefined ? notListed(problem) : problem;
}

/** More surveys, or records with more characters in all, are no list of surveys. */
const [MOST_SURVEYS, MOST_CHARACTERS] = [20_000, 50_000_000];
const LIST = say`surveys`;

/** The list of surveys, as far as it was read. This is the one place that requests its pages, and judges them (S14). */
export class ListOfSurveys {
  /** By id, in the order of the list. */
  readonly found = new Map<string, ListedSurvey>();
  /** Records that no survey can be read from: a list with one is not whole. */
  unreadable = 0;
  /** The service's present at the first page; undefined until that came. */
  readAt: Timestamp | undefined;
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

  /** Reads on, until the list ends, a request fails, or the caller has enough. */
  async *read(get: (path: string) => Promise<Reply<Page>>): AsyncGenerator<ListedPage, void> {
    for (let path = this.#path; path !== undefined; path = this.#path) {
      const reply = await get(path);
      if ("error" in reply) {
        this.#problem = reply.error;
        return;
      }
      this.readAt ??= reply.present;
      const surveys = this.#accept(reply.page);
      yield { surveys, next: this.#path === path ? undefined : this.#path };
    }
  }

  /** Whether nothing more of it is requested. */
  get isRead(): boolean {
    return this.#path === undefined;
  }

  /**
   * Why surveys are missing, so far: a request failed, the list cannot be followed, or it holds ten records that cannot be
   * read, or nothing else.
   */
  get problem(): SurveyExportError | undefined {
    if (this.#problem) return this.#problem;
    const isHidden = this.unreadable >= TOO_MANY || (this.unreadable > 0 && this.found.size === 0);
    return isHidden ? surveysHidden(this.unreadable, this.found.size) : undefined;
  }

  /** The next path to request; undefined at the end. */
  get #path(): string | undefined {
    return this.#problem?.code === "too_large" ? undefined : this.#list.path;
  }

  /** Takes a page in. @returns the surveys that no page before has shown */
  #accept(page: Page): readonly ListedSurvey[] {
    const path = this.#path;
    const { items, unreadable, problem } = this.#list.accept(page);
    this.#isOnePage &&= this.#path === undefined || this.#path === path;
    this.unreadable += unreadable;
    for (const survey of items) this.#add(survey);
    // A list of one page hides nothing, whatever its order is.
    const isHiding = !this.#isOrdered && !this.#isOnePage;
    this.#problem ??= problem ?? (isHiding ? pagesOutOfOrder(LIST) : undefined);
    if (this.found.size > MOST_SURVEYS || this.#characters > MOST_CHARACTERS)
      this.#problem = tooManySurveys(this.found.size);
    return items;
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
