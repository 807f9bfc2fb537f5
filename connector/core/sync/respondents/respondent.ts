import { latest, msOf, type Timestamp } from "../../coverage/timestamp.ts";
import type { SurveyExportError } from "../../errors.ts";
import { type Item, respondentOf } from "../../lists/item.ts";
import type { Unreadable } from "../../lists/list-walk.ts";
import type { StreamRecord } from "../../streams/column.ts";
import type { Origin } from "../../streams/definition.ts";
import { respondentKey } from "../../text/uuid.ts";
import type { Warnings } from "../warnings.ts";

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

/** What a page of a respondent's list brought. */
export interface RespondentPage {
  readonly records: readonly StreamRecord[];
  readonly unreadable: readonly Unreadable[];
  /** False if something of the page is missing, or may be. */
  readonly isWhole: boolean;
  /** What is wrong with the list, besides items that cannot be read. */
  readonly problem: SurveyExportError | undefined;
}

/** One respondent's list, page by page: the caller requests `path`, and passes what `parse` makes of it to `accept`. */
export interface RespondentList<Page = unknown> {
  /** The next path to request; undefined at the end. */
  readonly path: string | undefined;
  /** In seconds, the newest response that it has shown, wherever that lies; -Infinity before. Infinity if it has no times. */
  readonly newest: number;
  parse(body: string, present: Timestamp, isDated: boolean): Page;
  accept(page: Page): RespondentPage;
}

export interface RespondentListOptions {
  /** As the service writes it in a response, else as the configuration does. */
  readonly uuid: string;
  readonly itemsPerPage: number;
  /** Whether only surveys are read that the configuration names. Default: no. */
  readonly areSurveysNamed?: boolean;
}

/** The second of a timestamp, since the epoch. */
export const secondOf = (timestamp: Timestamp): number => Math.floor(msOf(timestamp) / 1000);

/**
 * Whether a list whose newest response has this second lacks one of a survey, from `lead`. Lists may show other digits of
 * a time: what is less than a second apart may be the same.
 */
export const lags = (newest: number, lead: Timestamp): boolean => newest * 1000 < msOf(lead) - 1000;
