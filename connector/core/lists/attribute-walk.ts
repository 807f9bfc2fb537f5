import { LARGEST_PAGE, respondentAttributesPath } from "../client/endpoints.ts";
import { leavesList } from "../client/link.ts";
import { isNestedTooDeeply, isObject, type Page } from "../client/page.ts";
import { SurveyExportError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import { PaginationGuard } from "./pagination-guard.ts";

/** An attribute as the list holds it. */
export interface Attribute {
  readonly id: number;
  readonly [field: string]: unknown;
}

export interface AttributeProgress {
  readonly items: readonly Attribute[];
  readonly problem: SurveyExportError | undefined;
  readonly warning: string | undefined;
}

/**
 * One walk through a respondent's attributes, like `ListWalk`, for a list that has no timestamps. Each attribute is
 * delivered once. Ends by the rules of `PaginationGuard`; where the links lead in a circle, the list is requested once
 * more from its beginning with the largest page.
 */
export class AttributeWalk {
  readonly #uuid: string;
  readonly #guard = new PaginationGuard();
  readonly #seen = new Set<number>();
  #pageSize: number;
  #isLargestTried: boolean;
  #path: string | undefined;

  constructor(respondentUuid: string, itemsPerPage: number) {
    this.#uuid = respondentUuid;
    this.#pageSize = itemsPerPage;
    this.#isLargestTried = itemsPerPage === LARGEST_PAGE;
    this.#path = respondentAttributesPath(respondentUuid, itemsPerPage);
  }

  get path(): string | undefined {
    return this.#path;
  }

  accept(page: Page): AttributeProgress {
    const path = this.#path!;
    const items: Attribute[] = [];
    let problem: SurveyExportError | undefined;
    let warning: string | undefined;
    for (const item of page.items) {
      if (!isAttribute(item) || (page.isTooDeep && isNestedTooDeeply(item)))
        problem ??= unreadable(this.#uuid);
      else if (!this.#seen.has(item.id)) {
        this.#seen.add(item.id);
        items.push(item);
      }
    }
    const hasNews = items.length > 0;
    const hasUnreadable = problem !== undefined;
    const step = this.#guard.after({
      ...{ path, itemCount: page.items.length, hasNews, hasUnreadable, moved: false, next: page.next },
    });
    this.#path = undefined;
    if (this.#guard.skippedEmptyPage) problem ??= hidden(this.#uuid);
    if (step.kind === "follow") {
      const refused = leavesList(path, step.path);
      if (refused) problem = refused;
      else this.#path = step.path;
    }
    if (step.kind === "confirm")
      this.#requestAll(this.#pageSize === LARGEST_PAGE ? LARGEST_PAGE - 1 : LARGEST_PAGE);
    if (step.kind === "stuck") {
      if (this.#isLargestTried) problem ??= stuck(this.#uuid);
      else this.#requestAll(LARGEST_PAGE);
      this.#isLargestTried = true;
    }
    if (step.kind === "stuck at an empty page") problem ??= hidden(this.#uuid);
    if (step.kind === "ended by an empty page") warning = endsEmpty(this.#uuid);
    return { items, problem, warning };
  }

  #requestAll(pageSize: number): void {
    this.#pageSize = pageSize;
    this.#path = respondentAttributesPath(this.#uuid, pageSize);
  }
}

/** Without a whole number as `id` an attribute has no key to be stored under. */
function isAttribute(item: unknown): item is Attribute {
  return isObject(item) && Number.isSafeInteger(item.id);
}

const listOf = (uuid: string): string => `The list of attributes of respondent ${quote(uuid)}`;

function stuck(uuid: string): SurveyExportError {
  return new SurveyExportError(
    "system",
    "stuck",
    `${listOf(uuid)} could not be read to its end: the link to the next page leads back.`,
    { advice: "The next sync tries again. Report this to the service." },
  );
}

function hidden(uuid: string): SurveyExportError {
  return new SurveyExportError(
    "system",
    "broken_answer",
    `${listOf(uuid)} holds an empty page that says there is more.`,
    { advice: "The next sync reads the list again. Report this to the service." },
  );
}

function unreadable(uuid: string): SurveyExportError {
  return new SurveyExportError(
    "system",
    "unreadable_item",
    `${listOf(uuid)} holds an attribute without a usable id.`,
    { advice: "It was left out, and the next sync tries again. Report this to the service." },
  );
}

function endsEmpty(uuid: string): string {
  return `${listOf(uuid)} ends with an empty page that says there is more and links to itself. The list was requested again with another page size and ends in the same way, so this counts as the end of the list.`;
}
