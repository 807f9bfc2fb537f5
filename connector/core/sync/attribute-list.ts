import { LATEST, type Timestamp } from "../coverage/timestamp.ts";
import { respondentAttributesPath } from "../lists/endpoints.ts";
import { type Numbered, numberedIn } from "../lists/item.ts";
import { KeyedList } from "../lists/keyed-list.ts";
import { withoutId } from "../lists/list-errors.ts";
import { parsePage } from "../lists/page.ts";
import type { RespondentAttributeStream } from "../streams/definition.ts";
import { type Message, respondentId, say } from "../text/message.ts";
import type { RespondentList, RespondentListOptions, RespondentPage } from "./response-list.ts";
import type { StreamInSync } from "./stream-in-sync.ts";

/** The attributes of one person. Each is delivered once, with the time of the first page. */
export class AttributeList implements RespondentList {
  readonly newest = LATEST;
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

  parse(body: string, present: Timestamp): () => RespondentPage {
    const page = parsePage(body);
    return () => {
      this.#readAt ??= present;
      const { items, unreadable, ...read } = this.#list.accept(page);
      const { unknown } = this.#stream.warnings;
      const origin = { respondentUuid: this.#uuid, unknown, present: this.#readAt };
      return {
        ...read,
        records: items.flatMap((attribute) => this.#definition.records(attribute, origin)),
        read: undefined,
        unreadable:
          unreadable > 0 ? [{ error: withoutId(this.#name, say`an attribute`), count: unreadable }] : [],
      };
    };
  }
}
