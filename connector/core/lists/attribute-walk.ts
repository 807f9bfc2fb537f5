import { leavesList } from "../client/address.ts";
import { LARGEST_PAGE, respondentAttributesPath } from "../client/endpoints.ts";
import type { Page } from "../client/page.ts";
import { certain, SurveyExportError } from "../errors.ts";
import { isNestedTooDeeply, isObject } from "../text/json.ts";
import { type Message, respondentId, say } from "../text/message.ts";
import { emptyPage, endsWithEmptyPage } from "./list-errors.ts";
import { PaginationGuard } from "./pagination-guard.ts";

/** An attribute as the list holds it. */
export interface Attribute {
  readonly id: number;
  readonly [field: string]: unknown;
}

export interface AttributeProgress {
  readonly items: readonly Attribute[];
  readonly problem: SurveyExportError | undefined;
  readonly warning: Message | undefined;
}

/**
 * One walk through a respondent's attributes, like `ListWalk`, for a list that has no timestamps. Each attribute is
 * delivered once. Ends by the rules of `PaginationGuard`; if the links lead in a circle, the list is requested once
 * more from its beginning with the largest page.
 */
export class AttributeWalk {
  readonly #uuid: string;
  readonly #guard = new PaginationGuard();
  readonly #seen = new Set<number>();
  #isLargestTried: boolean;
  #path: string | undefined;

  constructor(respondentUuid: string, itemsPerPage: number) {
    this.#uuid = respondentUuid;
    this.#isLargestTried = itemsPerPage === LARGEST_PAGE;
    this.#path = respondentAttributesPath(respondentUuid, itemsPerPage);
  }

  get path(): string | undefined {
    return this.#path;
  }

  accept(page: Page): AttributeProgress {
    const path = certain(this.#path, "the path");
    const items: Attribute[] = [];
    let problem: SurveyExportError | undefined;
    let warning: Message | undefined;
    for (const item of page.items) {
      if (!isAttribute(item) || isNestedTooDeeply(item)) problem ??= unreadable(this.#list);
      else if (!this.#seen.has(item.id)) {
        this.#seen.add(item.id);
        items.push(item);
      }
    }
    const itemCount = page.items.length;
    const hasUnreadable = problem !== undefined;
    const step = this.#guard.after({
      ...{ path, itemCount, hasNews: items.length > 0, hasUnreadable, moved: false, next: page.next },
    });
    this.#path = step.kind === "again" ? path : undefined;
    if (step.kind === "follow") {
      const refused = leavesList(path, step.path);
      if (refused) problem = refused;
      else this.#path = step.path;
      if (itemCount === 0) warning = emptyPage(this.#list, undefined);
    }
    if (step.kind === "stuck") {
      if (this.#isLargestTried) problem ??= stuck(this.#list);
      else this.#requestAll();
    }
    if (step.kind === "ended by an empty page") warning = endsWithEmptyPage(this.#list, undefined);
    return { items, problem, warning };
  }

  #requestAll(): void {
    this.#isLargestTried = true;
    this.#path = respondentAttributesPath(this.#uuid, LARGEST_PAGE);
  }

  /** For messages. */
  get #list(): Message {
    return say`attributes of respondent ${respondentId(this.#uuid)}`;
  }
}

/** Without a whole number as `id` an attribute has no key to be stored under. */
function isAttribute(item: unknown): item is Attribute {
  return isObject(item) && Number.isSafeInteger(item.id);
}

function stuck(list: Message): SurveyExportError {
  return new SurveyExportError(
    "system",
    "stuck",
    say`The list of ${list} could not be read to its end: the link to the next page leads back.`,
    { advice: say`The next sync tries again. Report this to the service.` },
  );
}

function unreadable(list: Message): SurveyExportError {
  return new SurveyExportError(
    "system",
    "unreadable_item",
    say`The list of ${list} holds an attribute without a usable id.`,
    {
      advice: say`What cannot be read was left out, and the next sync tries again. Report this to the service.`,
    },
  );
}
