import { respondentResponsesPath } from "../client/endpoints.ts";
import { parsePage } from "../client/page.ts";
import { addMicroseconds, earlier, grainOf, later, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import { AttributeWalk } from "../lists/attribute-walk.ts";
import { type Item, isReadable, parseItemPage } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import type {
  RespondentAttributeStream,
  RespondentResponseStream,
  RespondentStream,
  Unknown,
} from "../streams/definition.ts";
import { type Message, respondentId, say } from "../text/message.ts";
import type { Lead } from "./people.ts";
import { HELD_ALL, HELD_NOTHING, type Held, heldBetween } from "./people-read.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import { recordsOf } from "./stream-records.ts";

/** What a page of a respondent's list brought. */
export interface RespondentPage {
  readonly records: readonly StreamRecord[];
  readonly problems: readonly SurveyExportError[];
  readonly warning: Message | undefined;
  /** Whether something of the list may be hidden by an empty page. */
  readonly hasHole: boolean;
}

/** Reading one respondent's list, whole. `parse` gives a step that moves on when it is called. */
export interface RespondentList {
  readonly path: string | undefined;
  parse(body: string, present: Timestamp): () => RespondentPage;
  /** See `ListWalk.replaceLink`. */
  replaceLink(): boolean;
  /** Whether the list held this response, as far as it was read. */
  holds(lead: Lead): boolean;
  /** What the list held. */
  readonly held: Held;
}

export interface RespondentListOptions {
  readonly uuid: string;
  readonly itemsPerPage: number;
  readonly startDate: Timestamp | undefined;
  readonly endDate: Timestamp | undefined;
  readonly unknown: Unknown;
  readonly cursor: StreamCursor;
  /** The responses that led to the respondent. They may become more while the list is read. */
  readonly leads: readonly Lead[];
  readonly isConfigured: boolean;
}

/** Opens the list that a stream reads of each respondent. */
export function openRespondentList(
  definition: RespondentStream,
  options: RespondentListOptions,
): RespondentList {
  return definition.reads === "respondent responses"
    ? new ResponseList(definition, options)
    : new AttributeList(definition, options);
}

/**
 * The responses of one respondent, from the newest one down to the start date. Those that an earlier sync delivered are
 * left out. The walk ends early at a page of such responses only, if every response that led there has come and this
 * sync reads nothing of any survey below: then nothing can lead there any more.
 */
class ResponseList implements RespondentList {
  readonly #stream: RespondentResponseStream;
  readonly #options: RespondentListOptions;
  readonly #walk: ListWalk;
  readonly #uuids = new Set<string>();
  #span: { readonly oldest: Timestamp; readonly newest: Timestamp } | undefined;
  #hasEndedEarly = false;

  constructor(stream: RespondentResponseStream, options: RespondentListOptions) {
    const { uuid, itemsPerPage, startDate, endDate } = options;
    this.#stream = stream;
    this.#options = options;
    this.#walk = new ListWalk({
      ...{ older: startDate ?? null, newer: endDate, requestEnd: null, itemsPerPage },
      pathOf: (window) => respondentResponsesPath(uuid, window),
      list: say`respondent ${respondentId(uuid)}`,
    });
  }

  get path(): string | undefined {
    return this.#hasEndedEarly ? undefined : this.#walk.path;
  }

  get held(): Held {
    return this.#span ? heldBetween(this.#span.oldest, this.#span.newest) : HELD_NOTHING;
  }

  holds({ uuid }: Lead): boolean {
    return this.#uuids.has(uuid);
  }

  replaceLink(): boolean {
    return this.#walk.replaceLink();
  }

  parse(body: string, present: Timestamp): () => RespondentPage {
    const page = parseItemPage(body, this.#walk.notAfter, present);
    return () => {
      const { items, open, problem, warning } = this.#walk.accept(page);
      for (const item of items) this.#note(item);
      const problems = problem ? [problem] : [];
      const wanted = items.filter((item) => !this.#wasDelivered(item));
      const { uuid, unknown, leads, cursor } = this.#options;
      const origin = { respondentUuid: uuid, unknown, present };
      const records = recordsOf(wanted, this.#stream, origin, (_, error) => problems.push(error));
      const isKnown = wanted.length === 0 && items.length > 0 && page.items.every(isReadable);
      if (isKnown && this.#span && leads.every((lead) => this.holds(lead)))
        this.#hasEndedEarly = cursor.isWholeBelow(this.#span.oldest);
      return { records, problems, warning, hasHole: open.length > 0 };
    };
  }

  #note({ uuid, timestamp }: Item): void {
    this.#uuids.add(uuid);
    const { oldest, newest } = this.#span ?? { oldest: timestamp, newest: timestamp };
    this.#span = { oldest: earlier(oldest, timestamp), newest: later(newest, timestamp) };
  }

  /**
   * With its survey; a response to another survey with everything of the people whom the configuration names. Not if it
   * led there.
   */
  #wasDelivered({ uuid, survey, timestamp }: Item): boolean {
    const { cursor, leads, isConfigured } = this.#options;
    if (survey === undefined || leads.some((lead) => lead.uuid === uuid)) return false;
    const surveyId = String(survey.id);
    if (cursor.reads(surveyId)) return cursor.wasDelivered({ surveyId, timestamp });
    const { deliveredBelow } = cursor.configured;
    if (!isConfigured || deliveredBelow === undefined) return false;
    return addMicroseconds(timestamp, grainOf(timestamp) - 1) < deliveredBelow;
  }
}

/** The attributes of one respondent. All of one reading have the time of its first page: an older one is gone. */
class AttributeList implements RespondentList {
  readonly held = HELD_ALL;
  readonly #stream: RespondentAttributeStream;
  readonly #options: RespondentListOptions;
  readonly #walk: AttributeWalk;
  #readAt: Timestamp | undefined;

  constructor(stream: RespondentAttributeStream, options: RespondentListOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#walk = new AttributeWalk(options.uuid, options.itemsPerPage);
  }

  get path(): string | undefined {
    return this.#walk.path;
  }

  holds(): boolean {
    return true;
  }

  replaceLink(): boolean {
    return false;
  }

  parse(body: string, present: Timestamp): () => RespondentPage {
    const page = parsePage(body);
    return () => {
      this.#readAt ??= present;
      const { items, problem, warning, hasHole } = this.#walk.accept(page);
      const { uuid, unknown } = this.#options;
      const problems = problem ? [problem] : [];
      const origin = { respondentUuid: uuid, unknown, present: this.#readAt };
      const records = recordsOf(items, this.#stream, origin, (_, error) => problems.push(error));
      return { records, problems, warning, hasHole };
    };
  }
}
