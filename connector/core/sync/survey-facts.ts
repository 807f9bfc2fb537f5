import { LARGEST_PAGE, surveyPath, surveyQuestionsPath } from "../client/endpoints.ts";
import { parseObject, parsePage } from "../client/page.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import { certain, SurveyExportError } from "../errors.ts";
import type { ListedSurvey, Question } from "../lists/item.ts";
import { KeyedList } from "../lists/keyed-list.ts";
import { endedEmpty, withoutId } from "../lists/list-errors.ts";
import { surveyIn } from "../lists/listed-surveys.ts";
import { fieldsFrom } from "../streams/column.ts";
import type { ListedSurveyStream, QuestionStream } from "../streams/definition.ts";
import { isObject } from "../text/json.ts";
import { counted, given, say } from "../text/message.ts";
import { ATTEMPTS_OF_A_PART, type Requests } from "./requests.ts";
import type { StreamInSync } from "./stream-in-sync.ts";
import type { SurveyDirectory } from "./survey-directory.ts";

/** Reads a stream of what surveys are, and not of what people answered: whole in each sync, beside the responses. */
export interface FactsReader {
  readonly stream: StreamInSync;
  /** Whether everything was read, or told. */
  readonly isDone: boolean;
  /** `surveyIds`: those that the sync reads. */
  read(surveyIds: readonly string[]): Promise<void>;
}

/** The surveys themselves, from their list. One that it does not have is asked for by its id. */
export class ListedSurveyReader implements FactsReader {
  readonly stream: StreamInSync;
  isDone = false;
  readonly #definition: ListedSurveyStream;
  readonly #directory: SurveyDirectory;
  readonly #requests: Requests;

  constructor(
    stream: StreamInSync,
    definition: ListedSurveyStream,
    requests: Requests,
    directory: SurveyDirectory,
  ) {
    this.stream = stream;
    this.#definition = definition;
    this.#requests = requests;
    this.#directory = directory;
  }

  async read(surveyIds: readonly string[]): Promise<void> {
    if (surveyIds.length > 0) await this.#directory.read();
    const { found, readAt } = this.#directory;
    await this.#deliver(
      surveyIds.flatMap((id) => found.get(id) ?? []),
      readAt,
    );
    const { error, isMissing } = this.#directory;
    if (error) this.#failed(isMissing ? noSurveys(error) : error);
    else for (const id of surveyIds) if (!found.has(id)) await this.#readOne(id);
    this.isDone = true;
  }

  #readOne(id: string): Promise<void> {
    return this.#requests.inSlot("spare", async () => {
      const parse = (body: string, present: Timestamp) => ({ fields: parseObject(body), present });
      const answer = await this.#requests.get(surveyPath(id), parse, ATTEMPTS_OF_A_PART);
      if ("error" in answer) {
        // Its responses say whether it is gone.
        if (answer.error.code !== "not_found") this.#failed(answer.error, id);
        return;
      }
      const { fields, present } = answer.page;
      // It also names the author, who is a person.
      const listed = fieldsFrom("survey", this.#definition.columns).map((name) => [name, fields[name]]);
      const survey = surveyIn({ ...Object.fromEntries(listed), id });
      await this.#deliver(survey ? [survey] : [], present);
    });
  }

  #failed(error: SurveyExportError, id?: string): void {
    this.stream.isIncomplete = true;
    this.#requests.failed(error, (own) => this.stream.failed(own, id));
  }

  async #deliver(surveys: readonly ListedSurvey[], present: Timestamp | undefined): Promise<void> {
    if (surveys.length === 0) return;
    const origin = {
      present: certain(present, "the time of reading"),
      unknown: this.stream.warnings.unknown,
    };
    const records = surveys.flatMap((survey) => this.#definition.records(survey, origin));
    await this.stream.deliver(records, records.length);
  }
}

/** How many surveys are asked for their questions at once: a few that do not answer must not hold all slots. */
const AT_ONCE = 2;

/** The questions of each survey. */
export class QuestionReader implements FactsReader {
  readonly stream: StreamInSync;
  isDone = false;
  readonly #definition: QuestionStream;
  readonly #requests: Requests;
  /** Surveys whose questions are not found. */
  readonly #notFound: string[] = [];

  constructor(stream: StreamInSync, definition: QuestionStream, requests: Requests) {
    this.stream = stream;
    this.#definition = definition;
    this.#requests = requests;
  }

  async read(surveyIds: readonly string[]): Promise<void> {
    const left = surveyIds.values();
    const takeTurns = async (): Promise<void> => {
      for (const id of left) await this.#readOne(id);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
    const count = this.#notFound.length;
    if (count > 0 && count === surveyIds.length) this.stream.failed(noQuestions(count));
    else if (count > 0) this.stream.warnings.questionsNotFound(this.#notFound);
    this.isDone = true;
  }

  async #readOne(surveyId: string): Promise<void> {
    const { unknown } = this.stream.warnings;
    const name = say`questions of survey ${given(surveyId)}`;
    const list = new KeyedList({
      itemsPerPage: LARGEST_PAGE,
      pathOf: (size) => surveyQuestionsPath(surveyId, size),
      parse: questionIn,
      list: name,
    });
    let [position, readAt]: [number, Timestamp | undefined] = [0, undefined];
    for (let { path } = list; path !== undefined; { path } = list) {
      const next = path;
      const error = await this.#requests.inSlot("spare", async () => {
        const parse = (body: string, present: Timestamp) => ({ page: parsePage(body), present });
        const answer = await this.#requests.get(next, parse, ATTEMPTS_OF_A_PART);
        if ("error" in answer) return answer.error;
        const present = readAt ?? answer.page.present;
        readAt = present;
        const { items, unreadable, problem, warning, endsEmpty } = list.accept(answer.page.page);
        if (warning && !endsEmpty) this.stream.warnings.emptyPage(warning);
        if (unreadable > 0)
          this.stream.leftOut({ error: withoutId(name, say`a question`), count: unreadable }, surveyId);
        const records = items.flatMap((question) =>
          this.#definition.records(question, { surveyId, position: ++position, present, unknown }),
        );
        await this.stream.deliver(records, records.length, surveyId);
        return endsEmpty ? endedEmpty(name) : problem;
      });
      if (error === undefined) continue;
      if (error.code === "not_found" && readAt === undefined) this.#notFound.push(surveyId);
      else {
        this.stream.isIncomplete = true;
        this.#requests.failed(error, (own) => this.stream.failed(own, surveyId));
      }
      return;
    }
  }
}

const questionIn = (item: unknown): Question | undefined =>
  isObject(item) && Number.isSafeInteger(item.id) ? (item as Question) : undefined;

const noSurveys = (error: SurveyExportError): SurveyExportError =>
  error.restated(
    "config",
    say`The service does not list its surveys (status ${error.status ?? 404}), so the stream surveys has nothing to read.`,
    say`Leave the stream out.`,
  );

const noQuestions = (count: number): SurveyExportError =>
  new SurveyExportError(
    "config",
    "not_found",
    say`The service does not list the questions of ${counted(count, say`survey`, say`surveys`)}, which is all of them (status 404).`,
    { advice: say`Leave the stream survey_questions out if this continues.` },
  );
