import type { Gap } from "../../coverage/coverage.ts";
import { respondentResponsesPath, type Window } from "../../lists/endpoints.ts";
import { type Item, type ItemPage, idText, isReadable, parseItemPage } from "../../lists/item.ts";
import { ListWalk } from "../../lists/list-walk.ts";
import type { RespondentResponseStream } from "../../streams/definition.ts";
import { isObject } from "../../text/json.ts";
import { respondentId, say } from "../../text/message.ts";
import type { StreamInSync } from "../stream-in-sync.ts";
import { type RespondentList, type RespondentListOptions, secondOf } from "./respondent.ts";

/** One respondent's responses to surveys that are not read: the others come from the surveys' own lists. */
export function responseList(
  stream: StreamInSync,
  definition: RespondentResponseStream,
  { uuid, itemsPerPage, areSurveysNamed }: RespondentListOptions,
  wanted: Gap,
): RespondentList<ItemPage> {
  const { warnings } = stream;
  const { coverage } = stream;
  const list = say`respondent ${respondentId(uuid)}`;
  const pathOf = (window: Window): string => respondentResponsesPath(uuid, window);
  const walk = new ListWalk({
    ...wanted,
    itemsPerPage,
    list,
    unreadable: new Set(),
    pathOf,
  });
  const isWanted = ({ survey, timestamp }: Item): boolean => {
    const id = idText(survey?.id);
    if (id === undefined) warnings.withoutSurvey(uuid, timestamp);
    if (id === undefined || coverage.includes(id)) return false;
    if (areSurveysNamed) warnings.surveyNotNamed(id);
    return true;
  };
  let newest = Number.NEGATIVE_INFINITY;
  return {
    get newest() {
      return newest;
    },
    get path() {
      return walk.path;
    },
    parse: (body, ...received) => parseItemPage(body, walk.newestAllowed, ...received),
    accept(page) {
      for (const item of page.items)
        if (isReadable(item)) newest = Math.max(newest, secondOf(item.timestamp));
      const { items, problem, holes } = walk.accept(page);
      const origin = { respondentUuid: uuid, unknown: warnings.unknown, present: page.present };
      const records = items.filter(isWanted).flatMap((item) => definition.records(item, origin));
      const unreadable = holes.flatMap((hole) => hole.unreadable ?? []);
      return { records, unreadable, isWhole: holes.length === 0, problem };
    },
  };
}

/** A response of a survey as a respondent's list shows it. */
export function withoutAttributes(item: Item): Item {
  const { respondent } = item.response;
  const response = {
    ...item.response,
    attributes: [],
    ...(isObject(respondent) && { respondent: { ...respondent, attributes: [] } }),
  };
  return { ...item, response, raw: item.raw === item.response ? response : item.raw };
}
