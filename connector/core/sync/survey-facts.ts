import type { Timestamp } from "../coverage/timestamp.ts";
import { certain, SurveyExportError } from "../errors.ts";
import { LARGEST_PAGE, surveyPath, surveyQuestionsPath } from "../lists/endpoints.ts";
import { type ListedSurvey, numberedIn } from "../lists/item.ts";
import { KeyedList } from "../lists/keyed-list.ts";
import { withoutId } from "../lists/list-errors.ts";
import { surveyIn } from "../lists/listed-surveys.ts";
import { parseObject, parsePage } from "../lists/page.ts";
import { fieldsFrom } from "../streams/column.ts";
import type { ListedSurveyStream, QuestionStream } from "../streams/definition.ts";
import { counted, given, say } from "../text/message.ts";
import { ATTEMPTS_OF_A_PART, type Requests } from "./requests.ts";
import { listFailed, type StreamInSync } from "./stream-in-sync.ts";
import type { SurveyDirectory } from "./survey-directory.ts";

/** What the two functions below read with: whole in each sync, while the responses are read, in slots that nothing else wants. */
export interface FactsReading<Definition> {
  readonly stream: StreamInSync;
  readonly definition: Definition;
  readonly requests: Requests;
  readonly directory: SurveyDirectory;
  /** Those that the sync reads. */
  readonly surveyIds: readonly string[];
}

/** Tells what was not found, once all responses were read. `isTold`: whether they have told of that survey. */
export type Telling = (isTold: (surveyId: string) => boolean) => void;

/**
 * Reads the surveys themselves, from their list. One that it does not have is asked for by its id. All of them come at
 * once, under one time, so that a table shows which surveys a reading found.
 */
export async function readSurveyFacts(reading: FactsReading<ListedSurveyStream>): Promise<Telling> {
  const { stream, definition, requests, directory, surveyIds } = reading;
  const { unknown } = stream.warnings;
  const notFound: string[] = [];
  const askFor = async (id: string): Promise<ListedSurvey | undefined> => {
    const answer = await requests.get(surveyPath(id), parseObject, ATTEMPTS_OF_A_PART);
    if ("error" in answer) {
      if (answer.error.code === "not_found") notFound.push(id);
      else listFailed(requests, [stream], answer.error, id);
      return undefined;
    }
    // The answer also names the author, who is a person.
    const listed = fieldsFrom("survey", definition.columns).map((name) => [name, answer.page[name]]);
    return certain(surveyIn({ ...Object.fromEntries(listed), id }), "the survey");
  };

  if (surveyIds.length > 0) await directory.read();
  const { found, error, isMissing, readAt: present } = directory;
  if (error) listFailed(requests, [stream], isMissing ? noSurveys(error) : error);
  const surveys: ListedSurvey[] = [];
  for (const id of present === undefined ? [] : surveyIds) {
    const survey = found.get(id) ?? (await requests.inSlot("spare", () => askFor(id)));
    if (survey !== undefined) surveys.push(survey);
  }
  const records = surveys.flatMap((survey) => definition.records(survey, { present, unknown }));
  if (records.length > 0) await stream.deliver(records, records.length);
  return (isTold) => {
    const untold = notFound.filter((id) => !isTold(id));
    if (untold.length > 0) stream.warnings.surveysNotFound(untold, true);
  };
}

/** How many surveys are asked for their questions at once: a few that do not answer must not hold all slots. */
const AT_ONCE = 2;

/** Reads the questions of each survey. */
export async function readQuestions(reading: FactsReading<QuestionStream>): Promise<Telling> {
  const { stream, surveyIds } = reading;
  const notFound: string[] = [];
  const remaining = surveyIds.values();
  const takeTurns = async (): Promise<void> => {
    for (const id of remaining) if ((await readQuestionsOf(id, reading)) === "not found") notFound.push(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  return (isTold) => {
    const untold = notFound.filter((id) => !isTold(id));
    if (untold.length === 0) return;
    if (notFound.length < surveyIds.length) stream.warnings.questionsNotFound(untold);
    else stream.failed(noQuestions(surveyIds.length));
  };
}

async function readQuestionsOf(
  surveyId: string,
  reading: FactsReading<QuestionStream>,
): Promise<"not found" | undefined> {
  const { stream, definition, requests } = reading;
  const { warnings } = stream;
  const name = say`questions of survey ${given(surveyId)}`;
  const pathOf = (size: number): string => surveyQuestionsPath(surveyId, size);
  const list = new KeyedList({ itemsPerPage: LARGEST_PAGE, pathOf, parse: numberedIn, list: name });
  /** When its first page was read. */
  let readAt: Timestamp | undefined;
  let position = 0;
  for (let { path } = list; path !== undefined; { path } = list) {
    const next = path;
    const error = await requests.inSlot("spare", async () => {
      const answer = await requests.get(next, parsePage, ATTEMPTS_OF_A_PART);
      if ("error" in answer) return answer.error;
      const { items, unreadable, problem, warning } = list.accept(answer.page);
      if (warning) warnings.count("empty_page", warning);
      if (unreadable > 0)
        stream.omitted({ error: withoutId(name, say`a question`), count: unreadable }, surveyId);
      readAt ??= answer.present;
      const origin = { surveyId, present: readAt, unknown: warnings.unknown };
      const records = items.flatMap((question) =>
        definition.records(question, { ...origin, position: ++position }),
      );
      await stream.deliver(records, records.length, surveyId);
      return problem;
    });
    if (error?.code === "not_found" && readAt === undefined) return "not found";
    if (error) return void listFailed(requests, [stream], error, surveyId);
  }
  return undefined;
}

function noSurveys(error: SurveyExportError): SurveyExportError {
  const facts = say`The service does not list its surveys (status ${error.status ?? 404}), so the stream surveys has nothing to read.`;
  return error.restated("config", facts, say`Omit the stream.`);
}

function noQuestions(count: number): SurveyExportError {
  const facts = say`The service does not list the questions of ${counted(count, say`survey`, say`surveys`)}, which is all of them (status 404).`;
  const advice = say`Omit the stream survey_questions if this continues.`;
  return new SurveyExportError("config", "not_found", facts, { advice });
}
