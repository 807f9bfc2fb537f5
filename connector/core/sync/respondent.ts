import { latest, type Timestamp } from "../coverage/timestamp.ts";
import { type Item, respondentOf } from "../lists/item.ts";
import type { Origin } from "../streams/definition.ts";
import { respondentKey } from "../text/uuid.ts";
import type { Warnings } from "./warnings.ts";

/** Somebody to ask for, and the newest response that led there; undefined if the configuration names them. */
export interface Respondent {
  readonly key: string;
  /** As the service writes the id in a response, else as the configuration does: a service may know no other. */
  readonly uuid: string;
  readonly newest: Timestamp | undefined;
}

/** Whether the response of a survey names its respondent; else there is a warning. */
export function hasRespondent(
  item: Item,
  { surveyId = "" }: Pick<Origin, "surveyId">,
  warnings: Warnings,
): boolean {
  if (respondentOf(item) !== undefined) return true;
  warnings.nameless(surveyId, item);
  return false;
}

/** The key of the respondent who gave `item`; empty if it names nobody. */
export const keyOf = (item: Item): string => respondentKey(respondentOf(item) ?? "");

/** The respondents who gave `items`, each once. */
export function respondentsOf(items: readonly Item[]): Respondent[] {
  const respondents = new Map<string, Respondent>();
  for (const item of items) {
    const uuid = respondentOf(item) ?? "";
    const key = respondentKey(uuid);
    respondents.set(key, { key, uuid, newest: latest(respondents.get(key)?.newest, item.timestamp) });
  }
  return [...respondents.values()];
}
