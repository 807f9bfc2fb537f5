import type { Interval } from "../coverage/coverage.ts";
import { LATEST, type Timestamp } from "../coverage/timestamp.ts";
import { respondentAttributesPath } from "../lists/endpoints.ts";
import { type Numbered, numberedIn } from "../lists/item.ts";
import { KeyedList } from "../lists/keyed-list.ts";
import { withoutId } from "../lists/list-errors.ts";
import { type Page, parsePage } from "../lists/page.ts";
import type { RespondentAttributeStream } from "../streams/definition.ts";
import { type Message, respondentId, say } from "../text/message.ts";
import type { RespondentList, RespondentListOptions, RespondentPage } from "./respondent-list.ts";
import type { StreamInSync } from "./stream-in-sync.ts";

/** The attributes of one respondent. Each is delivered once, with the time of the first page. */
export class AttributeList implements RespondentList<AttributePage> {
  readonly newest = Number.POSITIVE_INFINITY;
  readonly #stream: StreamInSync;
  readonly #definition: RespondentAttributeStream;
  readonly #uuid: string;
  readonly #name: Message;
  readonly #list: KeyedList<Numbered>;
  #readAt: Timestamp | undefined;

  constructor(
    stream: StreamInSync,
    definition: RespondentAttributeStream,
    { uuid, itemsPerPage }: RespondentListOptions,
  ) {
    this.#stream = stream;
    this.#definition = definition;
    this.#uuid = uuid;
    this.#name = say`attributes of respondent ${respondentId(uuid)}`;
    const pathOf = (size: number): string => respondentAttributesPath(uuid, size);
    const list = this.#name;
    this.#list = new KeyedList({ itemsPerPage, pathOf, parse: numberedIn, list, mayEndEmpty: true });
  }

  get path(): string | undefined {
    return this.#list.path;
  }

  parse(body: string, present: Timestamp): AttributePage {
    return { ...parsePage(body), present };
  }

  accept(page: AttributePage): RespondentPage {
    this.#readAt ??= page.present;
    const { items, unreadable, hides, problem, warning } = this.#list.accept(page);
    const { unknown } = this.#stream.warnings;
    const origin = { respondentUuid: this.#uuid, unknown, present: this.#readAt };
    const error = withoutId(this.#name, say`an attribute`);
    const read = {
      covered: [],
      unreadable: unreadable > 0 ? [{ range: WHOLE, error, count: unreadable }] : [],
      doubtful: hides ? [WHOLE] : [],
    };
    const records = items.flatMap((attribute) => this.#definition.records(attribute, origin));
    return { records, read, seen: undefined, problem, warning };
  }
}

type AttributePage = Page & { readonly present: Timestamp };

/** Nobody knows where in such a list something is missing. */
const WHOLE: Interval = [null, LATEST];
