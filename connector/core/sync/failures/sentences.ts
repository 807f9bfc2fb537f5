import { RUN_AGAIN } from "../../client/retry-policy.ts";
import { type ErrorKind, SurveyExportError } from "../../errors.ts";
import { TOO_MANY } from "../../lists/list-errors.ts";
import {
  counted,
  fixed,
  given,
  joined,
  listed,
  type Message,
  NOTHING_TO_SAY,
  respondentId,
  say,
  time,
} from "../../text/message.ts";
import { type NamedSurveys, namesNotIds } from "../surveys/survey-selection.ts";
import type { FailedLists } from "./facts.ts";
import type { Note, Problem } from "./ledger.ts";

/* What is said of failures: what happened, where, and what to do. A group failed alike; its first stands for all. */

type Group = readonly [Note, ...Note[]];

/** So many ids are named in a sentence. */
export const MOST_NAMES = 5;

const idsOf = (group: readonly Note[]): Message =>
  listed(
    group.map(({ surveyId = "" }) => given(surveyId)),
    MOST_NAMES,
  );

/** Words that depend on whether it is one survey or several. */
const ONE = { them: say`it`, these: say`this survey`, fail: say`this survey fails`, ids: say`the id` };
const SEVERAL = {
  them: say`them`,
  these: say`these surveys`,
  fail: say`these surveys fail`,
  ids: say`the ids`,
};
const wordsOf = (group: Group) => (group.length === 1 ? ONE : SEVERAL);

/** If many lists fail, it is not for single surveys to be left out, and a later run may succeed. */
const areMany = (group: Group): boolean => group.length >= TOO_MANY;
const kindOf = (group: Group): ErrorKind => {
  const { kind, code } = group[0].error;
  return areMany(group) || code === "not_found" ? "transient" : kind;
};

/** What to do about surveys that failed. `areNamed`: the configuration names one of them. */
function adviceOn(group: Group, areNamed: boolean): Message {
  const { kind, code, advice } = group[0].error;
  const { them, these, fail, ids } = wordsOf(group);
  if (areMany(group)) return say`${RUN_AGAIN}.`;
  // It may be every list's.
  if (code === "unauthorized") return advice;
  const leaveOut = areNamed
    ? say`To sync without ${these}, remove ${ids} from survey_ids.`
    : say`To sync without ${these}, name ${them} in excluded_survey_ids.`;
  if (kind === "transient")
    return say`Run the sync again; everything that was delivered is kept. If ${fail} in each sync, ask the service. ${leaveOut}`;
  if (code === "not_found") return say`Run the sync again. If this continues, ask the service. ${leaveOut}`;
  if (code === "forbidden") return say`Ask the service why it refuses ${these}. ${leaveOut}`;
  return joined([advice, leaveOut]);
}

/** Responses of surveys could not be read, or not to their end. */
export function surveysFailed(group: Group, areNamed: boolean): SurveyExportError {
  const [{ error, below }] = group;
  const advice = adviceOn(group, areNamed);
  if (group.length > 1) {
    const facts = say`${group.length} surveys could not be read, or not to their end: ${idsOf(group)}. The first of them: ${error.facts}`;
    return error.restated(kindOf(group), facts, advice).ofList();
  }
  if (below === undefined)
    return error
      .restated(kindOf(group), say`Survey ${idsOf(group)} could not be read. ${error.facts}`, advice)
      .ofList();
  const facts = say`Survey ${idsOf(group)} could not be read below ${time(below)}. ${error.facts} Everything newer was delivered.`;
  if (error.code !== "not_found") return error.restated(error.kind, facts, advice).ofList();
  const older = say`Run the sync again. If the service keeps no older responses, set start_date to a later time.`;
  return error.restated("transient", facts, older).ofList();
}

/**
 * Surveys that the configuration names are not there. `all`: how many surveys the sync was to read. `allSurveys`: the list of
 * surveys, if it was read whole: an entry of `survey_ids` may be the name of a survey.
 */
export function namedNotFound(
  group: Group,
  all: number,
  allSurveys: NamedSurveys | undefined,
): SurveyExportError {
  const { error } = group[0];
  const entries = group.flatMap(({ surveyId }) => surveyId ?? []);
  const names = allSurveys === undefined ? [] : namesNotIds(entries, allSurveys);
  const facts = joined([notFound(group), ...names]);
  const { them, ids } = wordsOf(group);
  const correct =
    names.length === entries.length
      ? say`Write ${ids} into survey_ids.`
      : say`Remove ${them} from survey_ids or correct ${ids}.`;
  const advice = joined([correct, group.length < all ? OTHERS : NOTHING_TO_SAY]);
  if (!areMany(group)) return error.restated("config", facts, advice).ofList();
  return error.restated("transient", facts, say`${RUN_AGAIN}. If they were deleted: ${advice}`).ofList();
}

function notFound(group: Group): Message {
  const { status = 404 } = group[0].error;
  return group.length === 1
    ? say`Survey ${idsOf(group)} was not found (status ${status}).`
    : say`${group.length} surveys were not found (status ${status}): ${idsOf(group)}.`;
}

/** The same of surveys that nobody named. `areListed`: the list of surveys, read after that, has them. Undefined if nobody knows. */
export function surveysNotFound(group: Group, areListed: boolean | undefined): SurveyExportError {
  const { error } = group[0];
  const { them } = wordsOf(group);
  const facts = notFound(group);
  const unknown = say`Whether the service still has ${them} is not known, since another survey or the list of surveys could not be read after that.`;
  const list =
    areListed === undefined ? unknown : areListed ? say`The service lists ${them}.` : NOTHING_TO_SAY;
  const advice = areMany(group)
    ? say`${RUN_AGAIN}.`
    : say`Run the sync again. If this continues, ask the service; to sync without ${them}, name ${them} in excluded_survey_ids. ${OTHERS}`;
  return error.restated("transient", joined([facts, list]), advice).ofList();
}

const OTHERS = say`This does not affect the other surveys.`;

/** Parts of surveys that failed. */
interface PartsOfSurveys {
  /** Whether the configuration names one of the surveys. */
  readonly areNamed: boolean;
  /** Whether their responses were read. */
  readonly areRead: boolean;
}

/** Surveys that are not listed could not be asked for by their ids. */
export function recordsFailed(group: Group, { areNamed, areRead }: PartsOfSurveys): SurveyExportError {
  const [{ error }] = group;
  const lacks = say`The stream surveys delivers nothing, since it lacks ${nameOf(group)}.`;
  const facts = joined([lacks, error.facts, areRead ? responsesRead(group) : NOTHING_TO_SAY]);
  return error.restated(kindOf(group), facts, adviceOn(group, areNamed)).ofList();
}

/** `areAll`: the questions of all surveys fail. */
export function questionsFailed(
  group: Group,
  { areNamed, areRead, areAll }: PartsOfSurveys & { readonly areAll: boolean },
): SurveyExportError {
  const [{ error }] = group;
  const all = areAll && group.length > 1 ? say`, which is all of them,` : NOTHING_TO_SAY;
  const failed = say`The questions of ${nameOf(group)}${all} could not be read.`;
  const facts = joined([failed, error.facts, areRead ? responsesRead(group) : NOTHING_TO_SAY]);
  const omit = say`Omit the stream survey_questions if this continues.`;
  if (areAll && error.kind === "config") return error.restated("config", facts, omit).ofList();
  const advice = say`${adviceOn(group, areNamed)} Or omit the stream survey_questions.`;
  return error.restated(kindOf(group), facts, advice).ofList();
}

const responsesRead = (group: Group): Message => say`The responses of ${wordsOf(group).these} were read.`;

/** In the middle of a sentence. */
const nameOf = (group: Group): Message =>
  group.length === 1 ? say`survey ${idsOf(group)}` : say`${group.length} surveys (${idsOf(group)})`;

/** Named surveys are read all the same. */
export function noSurveys(error: SurveyExportError): SurveyExportError {
  if (error.code !== "not_found" && error.code !== "forbidden") return error;
  const facts = say`The service does not list its surveys (status ${error.status ?? 404}), so the stream surveys has nothing to read.`;
  return error.restated("config", facts, say`Omit the stream.`);
}

/** `first`: the error of the first of `count` items that cannot be read, of `all`. */
export const someUnreadable = (first: SurveyExportError, count: number, all: number): SurveyExportError =>
  count === 1 ? first : first.adding(say`${count} of ${all} items of this stream cannot be read.`);

export const itemsOmitted = (stream: string, error: SurveyExportError): Message =>
  say`Stream ${fixed(stream)}: ${error.whole}`;

/** Surveys whose lists contradict themselves in the same way. */
export function problemOf([{ error }, ...others]: readonly [Problem, ...Problem[]]): SurveyExportError {
  const ids = others.map(({ surveyId = "" }) => given(surveyId));
  return others.length === 0
    ? error
    : error.adding(say`So do the lists of other surveys: ${listed(ids, MOST_NAMES)}.`);
}

/** Surveys that nobody named. */
export function surveysGone(surveyIds: readonly string[]): Message {
  const [are, them] =
    surveyIds.length === 1 ? [say`This survey is gone`, say`it`] : [say`These surveys are gone`, say`them`];
  return say`${are}: ${listed(surveyIds.map(given))}. The service answers 404, and its list of surveys, which was read after that, does not have ${them}. What was delivered before stays. A survey that is listed again is read from its beginning. If nobody has deleted anything, check that the API key is of the same workspace as before.`;
}

const ASKED_AGAIN = say`The next sync asks again.`;
const ASK_THE_SERVICE = say`If it continues, ask the service.`;

export function respondentsGone(stream: string, count: number): Message {
  const who = counted(count, say`respondent was`, say`respondents were`);
  return say`Stream ${fixed(stream)}: ${who} not found (status 404) when asked for twice. A respondent that is not found counts as deleted, and is asked for again after their next answer.`;
}

/** Some of the respondents of `lists`. */
function whoseOf({ count, respondents }: FailedLists): Message {
  const names = listed(respondents.slice(0, MOST_NAMES).map(respondentId));
  const more = count - Math.min(count, respondents.length, MOST_NAMES);
  const others = more > 0 ? say` and ${more} more` : NOTHING_TO_SAY;
  return say`${counted(count, say`respondent`, say`respondents`)} (${names}${others})`;
}

/** At the beginning of a sentence, or in the middle of one. */
const theListsOf = (lists: FailedLists): Message =>
  lists.count === 1 ? say`list of ${whoseOf(lists)}` : say`lists of ${whoseOf(lists)}`;

export const fewFailed = (stream: string, lists: FailedLists): Message =>
  say`Stream ${fixed(stream)}: the ${theListsOf(lists)} failed. ${ASKED_AGAIN} ${lists.error.facts}`;

/** `skipped`: respondents who were not asked for. `isAnyRead`: the list of somebody else was read, now or before. */
export function manyFailed(lists: FailedLists, skipped: number, isAnyRead: boolean): SurveyExportError {
  const { error, count } = lists;
  const failed = say`The ${theListsOf(lists)} failed.`;
  const were = counted(skipped, say`other respondent was`, say`other respondents were`);
  const others = skipped > 0 ? say`None was read, so ${were} not asked for.` : NOTHING_TO_SAY;
  const isOfAll = error.kind === "config" && (count >= TOO_MANY || !isAnyRead);
  if (error.code === "not_found") {
    const facts = joined([failed, others, error.facts, isOfAll ? LIKE_AN_OUTAGE : NOTHING_TO_SAY]);
    return error.restated("transient", facts, say`${ASKED_AGAIN} ${ASK_THE_SERVICE}`).ofList();
  }
  const advice = say`${ASKED_AGAIN} ${isOfAll ? error.advice : ASK_THE_SERVICE}`;
  return error.restated(error.kind, joined([failed, others, error.facts]), advice).ofList();
}

const LIKE_AN_OUTAGE = say`This looks like an outage.`;

export function configuredNotFound(lists: FailedLists): SurveyExportError {
  const [were, ids, them] =
    lists.count === 1 ? [say`was`, say`the id`, say`it`] : [say`were`, say`the ids`, say`them`];
  const status = lists.error.status ?? 404;
  const facts = say`${whoseOf(lists)} ${were} not found (status ${status}), and the configuration names them.`;
  const advice = say`Remove ${ids} from respondent_uuids, or correct ${them}.`;
  return lists.error.restated("config", facts, advice).ofList();
}

export function listsLag(stream: string, count: number): Message {
  const lists = count === 1 ? say`list of 1 respondent lacks` : say`lists of ${count} respondents lack`;
  return say`Stream ${fixed(stream)}: the ${lists} a response that a survey shows. ${ASKED_AGAIN}`;
}

export function manyLag(lagging: number, good: number): SurveyExportError {
  const lack = lagging === 1 ? say`lacks` : say`lack`;
  const facts = say`${lagging} of ${lagging + good} lists of respondents ${lack} the responses that the surveys show, which looks like an outage.`;
  const advice = say`${ASKED_AGAIN} ${ASK_THE_SERVICE}`;
  return new SurveyExportError("transient", "unavailable", facts, { advice });
}
