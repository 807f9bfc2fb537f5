import type { Timestamp } from "../../coverage/timestamp.ts";
import { respondentAttributesPath } from "../../lists/endpoints.ts";
import { numberedIn } from "../../lists/item.ts";
import { KeyedList } from "../../lists/keyed-list.ts";
import { withoutId } from "../../lists/list-errors.ts";
import { type Page, parsePage } from "../../lists/page.ts";
import type { RespondentAttributeStream } from "../../streams/definition.ts";
import { respondentId, say } from "../../text/message.ts";
import type { StreamInSync } from "../stream-in-sync.ts";
import type { RespondentList, RespondentListOptions } from "./respondent.ts";

type AttributePage = Page & { readonly present: Timestamp };

/** The attributes of one respondent. Each is delivered once, with the time of the first page. */
export function attributeList(
  { warnings }: StreamInSync,
  definition: RespondentAttributeStream,
  { uuid, itemsPerPage }: RespondentListOptions,
): RespondentList<AttributePage> {
  const name = say`attributes of respondent ${respondentId(uuid)}`;
  const list = new KeyedList({
    pathOf: (size) => respondentAttributesPath(uuid, size),
    itemsPerPage,
    parse: numberedIn,
    list: name,
  });
  let readAt: Timestamp | undefined;
  return {
    newest: Number.POSITIVE_INFINITY,
    get path() {
      return list.path;
    },
    parse: (body, present) => ({ ...parsePage(body), present }),
    accept(page) {
      readAt ??= page.present;
      const { items, unreadable: count, problem } = list.accept(page);
      const origin = { respondentUuid: uuid, unknown: warnings.unknown, present: readAt };
      const records = items.flatMap((attribute) => definition.records(attribute, origin));
      const unreadable = count > 0 ? [{ error: withoutId(name, say`an attribute`), count }] : [];
      return { records, unreadable, isWhole: count === 0, problem };
    },
  };
}
