import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { LARGEST_PAGE, surveyQuestionsPath } from "../lists/endpoints.ts";
import { type ListedSurvey, numberedIn } from "../lists/item.ts";
import { KeyedList } from "../lists/keyed-list.ts";
import { withoutId } from "../lists/list-errors.ts";
import { parsePage } from "../lists/page.ts";
import type { ListedSurveyStream, QuestionStream } from "../streams/definition.ts";
import { counted, given, joined, say } from "../text/message.ts";
import type { ListFailures } from "./list-failures.ts";
import { ATTEMPTS_OF_A_PART, type Requests } from "./requests.ts";
import type { StreamInSync } from "./stream-in-sync.ts";
import type { SurveyDirectory } from "./survey-directory.ts";
import { isNamed, type Settings } from "./sync-options.ts";

/** What the two functions below read with: whole in each sync, while the responses are read, in slots that nothing else wants. */
export interface WholeReading<Definition> {
  readonly stream: StreamInSync;
  readonly definition: Definition;
  readonly requests: Requests;
  readonly failures: ListFailures;
  readonly directory: SurveyDirectory;
  readonly settings: Settings;
  /** Those that the sync reads. */
  readonly surveyIds: readonly string[];
}

/** Reports what was not read, once all responses were read. `isReported`: whether their reading has reported that survey. */
export type ReportMissing = (isReported: (surveyId: string) => boolean) => void;

/**
 * Reads the surveys themselves, from their list. One that it does not have is asked for by its id. All of them come at
 * once, under one time, so that a table shows which surveys a reading found. So a reading that is not whole delivers none.
 */
export async function readSurveys(reading: WholeReading<ListedSurveyStream>): Promise<ReportMissing> {
  const { stream, definition, requests, failures, directory, settings, surveyIds } = reading;
  const { unknown } = stream.warnings;
  const notFound: string[] = [];
  const surveys: ListedSurvey[] = [];
  if (surveyIds.length > 0) await directory.read();
  const { found, readAt: present } = directory;
  const { isEverySurvey } = settings;
  const problem = !isEverySurvey && present !== undefined ? undefined : directory.problem;
  if (problem) failures.failedIn([stream], isEverySurvey ? problem : noSurveys(problem));
  let isWhole = problem === undefined;

  const askFor = async (id: string): Promise<ListedSurvey | undefined> => {
    const reply = await directory.askFor(id);
    if ("page" in reply) return reply.page;
    if (reply.error.code === "not_found") notFound.push(id);
    else {
      isWhole = false;
      failures.failedIn([stream], reply.error, id);
    }
    return undefined;
  };

  for (const id of isWhole ? surveyIds : []) {
    const survey = found.get(id) ?? (await requests.inSlot("spare", () => askFor(id)));
    if (survey !== undefined) surveys.push(survey);
  }
  const records = surveys.flatMap((survey) => definition.records(survey, { present, unknown }));
  if (isWhole && records.length > 0) await stream.deliver(records, records.length);
  return (isReported) => {
    const untold = notFound.filter((id) => !isReported(id));
    if (untold.length > 0) stream.warnings.surveysNotFound(untold, true);
  };
}

/** How many surveys are asked for their questions at once: a few that do not answer must not hold all slots. */
const AT_ONCE = 2;

/** Reads the questions of each survey. If those of a survey fail that nobody named, and others are read, that is a warning. */
export async function readQuestions(reading: WholeReading<QuestionStream>): Promise<ReportMissing> {
  const { stream, failures, settings, surveyIds } = reading;
  const failed = new Map<string, SurveyExportError>();
  const remaining = surveyIds.values();
  const takeTurns = async (): Promise<void> => {
    for (const id of remaining) {
      const error = await readQuestionsOf(id, reading);
      if (error === undefined) continue;
      failed.set(id, error);
      failures.failed(error, (own) => failed.set(id, own));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  return (isReported) => {
    const [first] = failed.values();
    if (first === undefined) return;
    const areAll = failed.size === surveyIds.length;
    if (failures.error) stream.failures.isIncomplete = true;
    else if (areAll && [...failed.values()].every(({ kind }) => kind === "config"))
      stream.failures.add(noQuestions(first, failed.size));
    else {
      const isWarning = (id: string, { code }: SurveyExportError) =>
        code === "not_found" || (!isNamed(settings, id) && !areAll);
      for (const [id, error] of failed) if (!isWarning(id, error)) stream.failures.add(error, id);
      const untold = [...failed].filter(([id, error]) => isWarning(id, error) && !isReported(id));
      stream.warnings.questionsFailed(new Map(untold));
    }
  };
}

/** @returns why they were not read to the end */
async function readQuestionsOf(
  surveyId: string,
  reading: WholeReading<QuestionStream>,
): Promise<SurveyExportError | undefined> {
  const { stream, definition, requests } = reading;
  const { warnings } = stream;
  const name = say`questions of survey ${given(surveyId)}`;
  const first = surveyQuestionsPath(surveyId, LARGEST_PAGE);
  const list = new KeyedList({ path: first, parse: numberedIn, list: name });
  /** When its first page was read. */
  let readAt: Timestamp | undefined;
  let position = 0;
  for (let { path } = list; path !== undefined; { path } = list) {
    const next = path;
    const error = await requests.inSlot("spare", async () => {
      const reply = await requests.get(next, parsePage, { attempts: ATTEMPTS_OF_A_PART });
      if ("error" in reply) return reply.error;
      const { items, unreadable, problem } = list.accept(reply.page);
      if (unreadable > 0)
        stream.failures.omitted({ error: withoutId(name, say`a question`), count: unreadable }, surveyId);
      readAt ??= reply.present;
      const origin = { surveyId, present: readAt, unknown: warnings.unknown };
      const records = items.flatMap((question) =>
        definition.records(question, { ...origin, position: ++position }),
      );
      await stream.deliver(records, records.length, surveyId);
      return problem;
    });
    if (error) return error;
  }
  return undefined;
}

/** Named surveys are read all the same. The error of another failure stays as it is. */
function noSurveys(error: SurveyExportError): SurveyExportError {
  if (error.code !== "not_found" && error.code !== "forbidden") return error;
  const facts = say`The service does not list its surveys (status ${error.status ?? 404}), so the stream surveys has nothing to read.`;
  return error.restated("config", facts, say`Omit the stream.`);
}

/** `error`: of the first. */
function noQuestions(error: SurveyExportError, count: number): SurveyExportError {
  const all = say`The service does not give the questions of ${counted(count, say`survey`, say`surveys`)}, which is all of them.`;
  const facts = joined([...(count > 1 ? [all] : []), error.facts]);
  return error.restated("config", facts, say`Omit the stream survey_questions if this continues.`).ofList();
}
