import type { Timestamp } from "../coverage/timestamp.ts";
import { type ErrorCode, SurveyExportError } from "../errors.ts";
import { counted, type Message, NOTHING_TO_SAY, responseId, say, time } from "../text/message.ts";
import type { UnreadableItem } from "./item.ts";

/**
 * This many items that cannot be read, or respondents whose lists fail, are an error, and fewer a warning. If one were an error,
 * a single odd record would stop n8n's trigger for all surveys.
 */
export const TOO_MANY = 10;

/** An error of a list whose rest is read. `list` names it in all of these, e.g. `survey "s1"`. */
const listError = (code: ErrorCode, facts: Message, advice: Message): SurveyExportError =>
  new SurveyExportError("system", code, facts, { advice: say`${advice} Report this to the service.` });

/** No link and no request of our own gets past `timestamp`. */
export const stuckAt = (list: Message, timestamp: Timestamp): SurveyExportError =>
  listError(
    "broken_answer",
    say`The list of ${list} cannot be read at ${time(timestamp)}: the link to the next page does not get past that timestamp, as happens when more responses share it than fit on a page.`,
    say`Older responses were read; the next sync tries that timestamp again.`,
  );

/** The walk ends above its own end, after `timestamp`. */
export function endedEarly(list: Message, timestamp: Timestamp | undefined): SurveyExportError {
  const place = timestamp === undefined ? say`from its beginning` : say`below ${time(timestamp)}`;
  return listError(
    "broken_answer",
    say`The list of ${list} could not be read ${place}: its pages bring nothing new, or their links lead in a circle.`,
    say`The next sync tries again from there.`,
  );
}

/** The service's list of surveys is empty. */
export const NO_SURVEYS = say`The service lists no survey, so there is nothing to read yet. If it should have some, check that the API key belongs to the right workspace.`;

/** All of its surveys are excluded. */
export const ALL_EXCLUDED = say`The service lists no survey except those in excluded_survey_ids, so there is nothing to read. Remove from that field what you want to read.`;

/** Records of the list of surveys that no survey can be read from. */
export const surveysOmitted = (count: number): Message =>
  say`The list of surveys holds ${counted(count, say`record`, say`records`)} without an id that can be part of an address. They were omitted; all others were read. Report this to the service.`;

/** The same as an error: what needs the whole list cannot use it. `found`: how many surveys it has. */
export const surveysHidden = (unreadable: number, found: number): SurveyExportError =>
  new SurveyExportError(
    "system",
    "unreadable_item",
    say`The list of surveys is not whole: ${unreadable} of its ${unreadable + found} records have no id that can be part of an address.`,
    { advice: say`Check that base_url is the service's address; if it is, report this to the service.` },
  );

/** No workspace has so many surveys. */
export const tooManySurveys = (count: number): SurveyExportError =>
  new SurveyExportError(
    "system",
    "too_large",
    say`The list of surveys did not end after ${count} surveys, so it was not read on.`,
    { advice: say`Name the surveys to read in survey_ids, and report this to the service.` },
  );

/** The service does not have the list of surveys, or is at another address. `error`: its reply. */
export function notListed({ status = 404 }: SurveyExportError): SurveyExportError {
  const facts = say`The service answered ${status} to its list of surveys.`;
  const advice = say`Check that base_url is the service's address up to and including /v2. If it is, the service does not list its surveys: name those to read in survey_ids.`;
  return new SurveyExportError("config", "surveys_not_listed", facts, { advice, scope: "run" });
}

/** Links lead from one page to the next by an order that the pages do not have. */
export const pagesOutOfOrder = (list: Message): SurveyExportError =>
  listError(
    "broken_answer",
    say`The list of ${list} is not sorted from newest to oldest, so its pages may hide some of it.`,
    say`What it shows was read; the next sync tries again.`,
  );

/** Two neighbours of a page are in the wrong order. */
export const outOfOrder = (list: Message, before: Timestamp, timestamp: Timestamp): SurveyExportError =>
  listError(
    "broken_answer",
    say`The list of ${list} is not sorted from newest to oldest: ${time(timestamp)} comes after ${time(before)}.`,
    say`Everything on that page was delivered; the next sync reads the range between the two again.`,
  );

export function unreadableItem(
  list: Message,
  { uuid, reason }: UnreadableItem,
  after: Timestamp | undefined,
): SurveyExportError {
  const place = after === undefined ? say`at its beginning` : say`after ${time(after)}`;
  const id = uuid === undefined ? NOTHING_TO_SAY : say` (${responseId(uuid)})`;
  return listError(
    "unreadable_item",
    say`The list of ${list} holds an item that cannot be read ${place}${id}: ${reason}.`,
    say`What cannot be read was omitted, and the next sync reads its range again.`,
  );
}

/** `what`: an attribute, or a question. */
export const withoutId = (list: Message, what: Message): SurveyExportError =>
  listError(
    "unreadable_item",
    say`The list of ${list} holds ${what} without a usable id.`,
    say`What cannot be read was omitted, and the next sync tries again.`,
  );
