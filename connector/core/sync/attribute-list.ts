import { leavesList } from "../client/address.ts";
import { LARGEST_PAGE, respondentAttributesPath } from "../client/endpoints.ts";
import { type Page, parsePage } from "../client/page.ts";
import { LATEST, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Attribute } from "../lists/item.ts";
import { emptyPage, endedEarly, endsWithEmptyPage, unreadableAttribute } from "../lists/list-errors.ts";
import { type NextStep, PaginationGuard } from "../lists/pagination-guard.ts";
import type { RespondentAttributeStream } from "../streams/definition.ts";
import { cutBelow, isObject } from "../text/json.ts";
import { type Message, respondentId, say } from "../text/message.ts";
import type { PersonList, PersonListOptions, PersonPage } from "./person-list.ts";
import type { StreamInSync } from "./stream-in-sync.ts";

/**
 * The attributes of one person: a list without timestamps. Each is delivered once, with the time of the first page.
 * `PaginationGuard` ends it. If the links lead in a circle, it is requested once more, from its beginning with the largest page.
 */
export class AttributeList implements PersonList {
  readonly newest = LATEST;
  path: string | undefined;
  readonly #stream: StreamInSync;
  readonly #definition: RespondentAttributeStream;
  readonly #uuid: string;
  readonly #guard = new PaginationGuard();
  readonly #seen = new Set<number>();
  #isLargestTried: boolean;
  #readAt: Timestamp | undefined;

  constructor(
    stream: StreamInSync,
    definition: RespondentAttributeStream,
    { uuid, itemsPerPage }: PersonListOptions,
  ) {
    this.#stream = stream;
    this.#definition = definition;
    this.#uuid = uuid;
    this.#isLargestTried = itemsPerPage === LARGEST_PAGE;
    this.path = respondentAttributesPath(uuid, itemsPerPage);
  }

  parse(body: string, present: Timestamp): () => PersonPage {
    const page = parsePage(body);
    return () => {
      this.#readAt ??= present;
      return this.#accept(page, this.#readAt);
    };
  }

  #accept({ items, next }: Page, present: Timestamp): PersonPage {
    const path = this.path ?? "";
    const readable = items.filter(isAttribute).map((attribute) => cutBelow(attribute));
    const attributes: Attribute[] = [];
    for (const attribute of readable) {
      if (!this.#seen.has(attribute.id)) attributes.push(attribute);
      this.#seen.add(attribute.id);
    }
    const unreadable = items.length - readable.length;
    const step = this.#guard.after({
      ...{ path, itemCount: items.length, hasNews: attributes.length > 0, moved: false, next },
      hasUnreadable: unreadable > 0,
    });
    const origin = { respondentUuid: this.#uuid, unknown: this.#stream.warnings.unknown, present };
    return {
      records: attributes.flatMap((attribute) => this.#definition.records(attribute, origin)),
      read: undefined,
      hides: unreadable > 0 || (step.kind === "follow" && items.length === 0),
      unreadable: unreadable > 0 ? [{ error: unreadableAttribute(this.#list), count: unreadable }] : [],
      problem: this.#proceed(step, path),
      warning: this.#warningAt(step, items.length),
    };
  }

  /** Decides what is requested next, if anything. */
  #proceed(step: NextStep, path: string): SurveyExportError | undefined {
    this.path = step.kind === "again" ? path : undefined;
    if (step.kind === "follow") {
      const refused = leavesList(path, step.path);
      if (refused) return refused;
      this.path = step.path;
    }
    if (step.kind === "stuck") {
      if (this.#isLargestTried) return endedEarly(this.#list, undefined);
      this.#isLargestTried = true;
      this.path = respondentAttributesPath(this.#uuid, LARGEST_PAGE);
    }
    return undefined;
  }

  #warningAt({ kind }: NextStep, itemCount: number): Message | undefined {
    if (kind === "ended by an empty page") return endsWithEmptyPage(this.#list, undefined);
    return kind === "follow" && itemCount === 0 ? emptyPage(this.#list, undefined) : undefined;
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
