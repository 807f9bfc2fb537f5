import { certain, type SurveyExportError } from "../../errors.ts";
import { TOO_MANY } from "../../lists/list-errors.ts";
import type { WarningCode } from "../../ports.ts";
import type { Message } from "../../text/message.ts";
import type { Failure, StreamFacts, SyncFacts, Verdict, Warning } from "./facts.ts";
import { type Note, type Problem, reasonOf } from "./ledger.ts";
import {
  configuredNotFound,
  fewFailed,
  itemsOmitted,
  listsLag,
  manyFailed,
  manyLag,
  namedNotFound,
  problemOf,
  questionsFailed,
  recordsFailed,
  respondentsGone,
  someUnreadable,
  surveysFailed,
  surveysGone,
  surveysNotFound,
} from "./sentences.ts";

/**
 * What the failures of a sync mean (I13). A stream is complete if everything was delivered that the configuration asks for.
 * What nobody can mend is a warning by name: surveys and respondents that are gone, and few items or lists of respondents,
 * if others of their kind were read.
 */
export function judge(facts: SyncFacts): Verdict {
  const gone = goneSurveys(facts);
  const failures: StreamFailure[] = [];
  const warnings: Warning[] = [];
  if (gone.length > 0) warnings.push({ code: "surveys_not_found", message: surveysGone(gone) });
  for (const stream of facts.streams) {
    const found = judgeStream(stream, facts, new Set(gone));
    failures.push(...found.failures);
    warnings.push(...found.warnings);
  }
  const incomplete = new Set(failures.map(({ stream }) => stream));
  return { incomplete, failures: together(failures).toSorted(byKind), warnings, gone };
}

/** What one stream lacks, and why. */
interface StreamFailure extends Pick<Failure, "error" | "surveyIds"> {
  readonly stream: string;
}

/** A survey that is not found fails each stream in the same words: that is one failure, of all these streams. */
function together(failures: readonly StreamFailure[]): Failure[] {
  const alike = Map.groupBy(failures, ({ error }) => `${error.scope} ${error.message}`);
  return [...alike.values()].map((group) => ({
    streams: [...new Set(group.map(({ stream }) => stream))],
    error: certain(group[0], "the failure").error,
    surveyIds: [...new Set(group.flatMap(({ surveyIds }) => surveyIds))],
  }));
}

const KINDS = ["transient", "system", "config"];
const byKind = (one: Failure, other: Failure): number =>
  KINDS.indexOf(one.error.kind) - KINDS.indexOf(other.error.kind);

/**
 * Surveys that nobody named, of which nothing came, and that the list of surveys does not have, which was read after all
 * failures. Whatever failed of them has answered 404.
 */
function goneSurveys({ notes, areSurveysNamed, listed, found }: SyncFacts): string[] {
  if (listed === undefined || areSurveysNamed) return [];
  const ofSurveys = Map.groupBy(notes, ({ surveyId = "" }) => surveyId);
  ofSurveys.delete("");
  return [...ofSurveys]
    .filter(([, failed]) => failed.every((note) => isMissing(note, found)))
    .map(([id]) => id)
    .filter((id) => !listed.has(id));
}

/** Whether a list answered 404, and nothing of its survey came: then the survey is not there. `found`: see `SyncFacts`. */
const isMissing = ({ error, surveyId = "" }: Note, found: ReadonlySet<string>): boolean =>
  error.code === "not_found" && !found.has(surveyId);

/** The failures and warnings of one stream. */
interface Judged extends Pick<Verdict, "warnings"> {
  readonly failures: readonly StreamFailure[];
}

/** `gone`: surveys of which no failure is told. */
function judgeStream(stream: StreamFacts, facts: SyncFacts, gone: ReadonlySet<string>): Judged {
  const failures: StreamFailure[] = [];
  const fail = (error: SurveyExportError, surveyIds: readonly string[] = []) =>
    void failures.push({ stream: stream.name, error, surveyIds });
  const concerns = ({ streams, surveyId = "" }: Note | Problem): boolean =>
    streams.includes(stream.name) && !gone.has(surveyId);
  const { end } = facts;
  const notes = facts.notes.filter(concerns);
  const { failed = [] } = stream.respondents ?? {};
  if (end && (!stream.isDone || notes.length + failed.length > 0)) fail(end);
  // If the sync ended early, what failed with nothing good after it is a part of what ended it.
  const own = end ? facts.ownNotes.filter(concerns) : notes;
  const keyOf = (note: Note): string =>
    `${note.part} ${reasonOf(note.error)} ${isMissing(note, facts.found)}`;
  for (const group of groupsOf(own, keyOf)) fail(errorOf(group, facts), idsOf(group));
  for (const group of groupsOf(facts.problems.filter(concerns), ({ error }) => reasonOf(error)))
    fail(problemOf(group), idsOf(group));
  const items = judgeItems(stream);
  const respondents = judgeRespondents(stream, end !== undefined);
  return {
    failures: [...failures, ...items.failures, ...respondents.failures],
    warnings: [...items.warnings, ...respondents.warnings],
  };
}

type Group<Failed> = readonly [Failed, ...Failed[]];

/** Those with the same key. */
function groupsOf<Failed>(failed: readonly Failed[], keyOf: (each: Failed) => string): Group<Failed>[] {
  return [...Map.groupBy(failed, keyOf).values()] as unknown as Group<Failed>[];
}

const idsOf = (group: readonly (Note | Problem)[]): string[] => [
  ...new Set(group.map(({ surveyId }) => surveyId).filter((id) => id !== undefined)),
];

/** One error for lists that failed alike. */
function errorOf(group: Group<Note>, facts: SyncFacts): SurveyExportError {
  const { notes, areSurveysNamed: areNamed, listed, surveys, found, allSurveys } = facts;
  const [first] = group;
  const { part, error, isFinal } = first;
  // Nobody knows which surveys there are, so every stream may lack some.
  if (part === "list of surveys") return isFinal ? error.ofRun() : error.ofList();
  /** No responses came of the survey, and the list of surveys does not have it: then its name or its id is wrong. */
  const isNowhere = (id: string): boolean => areNamed && !found.has(id) && allSurveys?.has(id) === false;
  const isOfMissing = ({ surveyId = "" }: Note): boolean =>
    isNowhere(surveyId) ||
    notes.some((note) => note.surveyId === surveyId && note.part !== "questions" && isMissing(note, found));
  if (isMissing(first, found) && (part !== "questions" || group.every(isOfMissing))) {
    if (areNamed) return namedNotFound(group, surveys, allSurveys);
    const areListed = listed && group.every(({ surveyId = "" }) => listed.has(surveyId));
    return surveysNotFound(group, areListed);
  }
  if (part === "responses") return surveysFailed(group, areNamed);
  const areRead = group.every(({ surveyId = "" }) => areResponsesRead(surveyId, facts));
  if (part === "record") return recordsFailed(group, { areNamed, areRead });
  return questionsFailed(group, { areNamed, areRead, areAll: group.length === surveys });
}

/** Whether the responses of a survey were read to their end. False if they were not asked for. */
const areResponsesRead = (id: string, { end, found, notes }: SyncFacts): boolean =>
  end === undefined &&
  found.has(id) &&
  !notes.some(({ part, surveyId }) => part === "responses" && surveyId === id);

/** Items that cannot be read. */
function judgeItems({ name, hasState, items, unreadable }: StreamFacts): Judged {
  if (unreadable === undefined) return { failures: [], warnings: [] };
  const { count, first } = unreadable;
  const error = someUnreadable(first, count, count + items);
  if (!areFew(count, items > 0 || hasState))
    return { failures: [{ stream: name, error, surveyIds: [] }], warnings: [] };
  return { failures: [], warnings: [{ code: "items_omitted", message: itemsOmitted(name, error) }] };
}

/** `isOver`: the sync ended early, which is the error of all that failed. */
function judgeRespondents({ name, hasState, respondents }: StreamFacts, isOver: boolean): Judged {
  if (respondents === undefined) return { failures: [], warnings: [] };
  const failures: StreamFailure[] = [];
  const warnings: Warning[] = [];
  const fail = (error: SurveyExportError) => void failures.push({ stream: name, error, surveyIds: [] });
  const warn = (code: WarningCode, message: Message) => void warnings.push({ code, message });
  const { good, lagging, gone, failed, areNamed, skipped } = respondents;
  const isAnyRead = good > 0 || hasState;

  if (gone > 0) warn("respondents_not_found", respondentsGone(name, gone));
  if (lagging > 0 && isAnyRead && (lagging < TOO_MANY || lagging <= good))
    warn("respondents_failed", listsLag(name, lagging));
  else if (lagging > 0) fail(manyLag(lagging, good));
  if (isOver) return { failures, warnings };

  const count = failed.reduce((sum, lists) => sum + lists.count, skipped);
  for (const lists of failed)
    if (areNamed && isNotFound(lists.error)) fail(configuredNotFound(lists));
    else if (!areNamed && areFew(count, isAnyRead)) warn("respondents_failed", fewFailed(name, lists));
    else fail(manyFailed(lists, skipped, isAnyRead || areNamed));
  return { failures, warnings };
}

/** And not one that was lost after some of its pages. */
const isNotFound = ({ code, kind }: SurveyExportError): boolean => code === "not_found" && kind === "config";

/** Whether so many failures are a warning. `isAnyRead`: something of their kind was read, now or by an earlier sync. */
const areFew = (count: number, isAnyRead: boolean): boolean => count < TOO_MANY && isAnyRead;
