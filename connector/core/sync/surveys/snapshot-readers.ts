import type { Timestamp } from "../../coverage/timestamp.ts";
import { LARGEST_PAGE, surveyQuestionsPath } from "../../lists/endpoints.ts";
import { type ListedSurvey, type Numbered, numberedIn } from "../../lists/item.ts";
import { KeyedList } from "../../lists/keyed-list.ts";
import { withoutId } from "../../lists/list-errors.ts";
import { parsePage } from "../../lists/page.ts";
import type { ListedSurveyStream, QuestionStream } from "../../streams/definition.ts";
import { given, type Message, say } from "../../text/message.ts";
import type { Ledger, Note } from "../failures/ledger.ts";
import { noSurveys } from "../failures/sentences.ts";
import { ATTEMPTS_OF_A_PART, ATTEMPTS_OF_A_TRY, type Requests } from "../requests.ts";
import type { StreamInSync } from "../stream-in-sync.ts";
import type { Settings } from "../sync-options.ts";
import type { SurveyDirectory } from "./survey-directory.ts";
import { isEverySurveyRead } from "./survey-selection.ts";

/** Reads a stream that says what the surveys are, whole in each sync. */
export interface SnapshotReader {
  readonly stream: StreamInSync;
  /** Whether everything was asked for, and delivered. */
  readonly isDone: boolean;
  read(surveyIds: readonly string[]): Promise<void>;
  /** The second look: what failed is asked for once more. */
  readAgain(): Promise<void>;
  /** Nothing more is requested: delivers what remains. `found`: the surveys of which a page of responses came. */
  finish?(found: ReadonlySet<string>): Promise<void>;
}

/** What the two readers below read with: whole in each sync, while the responses are read, in slots that nothing else wants. */
export interface SnapshotReading<Definition> {
  readonly stream: StreamInSync;
  readonly definition: Definition;
  readonly requests: Requests;
  readonly ledger: Ledger;
  readonly directory: SurveyDirectory;
  readonly settings: Settings;
}

/**
 * Reads the surveys themselves, from their list. One that it does not have is asked for by its id. All of them come at
 * once, under one time, so that a table shows which surveys a reading found. So a reading that is not whole delivers none.
 */
export class SurveyRecordReader implements SnapshotReader {
  readonly stream: StreamInSync;
  readonly #reading: SnapshotReading<ListedSurveyStream>;
  #surveyIds: readonly string[] = [];
  #isDelivered = false;

  constructor(reading: SnapshotReading<ListedSurveyStream>) {
    this.stream = reading.stream;
    this.#reading = reading;
  }

  get isDone(): boolean {
    return this.#isDelivered;
  }

  async read(surveyIds: readonly string[]): Promise<void> {
    const { directory } = this.#reading;
    this.#surveyIds = surveyIds;
    if (surveyIds.length > 0) await directory.read();
    this.#noteList();
    if (this.#isListKnown) for (const id of this.#unlisted) await this.#askFor(id, false);
    // One that is not found may be there at the second look.
    if (this.#failed.length === 0) await this.#deliver();
  }

  async readAgain(): Promise<void> {
    const { ledger, directory, requests, settings } = this.#reading;
    if (!this.#isListKnown && !isEverySurveyRead(settings)) await directory.readAgain();
    this.#noteList();
    if (!this.#isListKnown) return;
    for (const id of this.#unlisted) {
      const isWanted = directory.record(id) === undefined && ledger.mayBeAskedFor("record", id);
      if (isWanted && !requests.isSecondLookOver) await this.#askFor(id, true);
    }
  }

  /** Nothing more is requested: delivers what was found, if all that failed are surveys that are not there. */
  async finish(found: ReadonlySet<string>): Promise<void> {
    const isMissing = ({ error, surveyId = "" }: Note): boolean =>
      error.code === "not_found" && !found.has(surveyId);
    if (this.#failed.every(isMissing)) await this.#deliver();
  }

  /** Without a list there is nothing to deliver. Named surveys need as much of it as shows them. */
  get #isListKnown(): boolean {
    const { directory, settings } = this.#reading;
    if (!isEverySurveyRead(settings) && directory.readAt !== undefined) return true;
    return directory.problem === undefined;
  }

  /** If every survey is read, all streams lack what a list does not show that failed: that was noted before. */
  #noteList(): void {
    const { ledger, directory, settings, stream } = this.#reading;
    const { problem } = directory;
    const streams = [stream.definition.name];
    if (this.#isListKnown) {
      if (!isEverySurveyRead(settings)) ledger.succeeded("list of surveys");
    } else if (problem && !isEverySurveyRead(settings))
      ledger.note({ part: "list of surveys", surveyId: undefined, streams, error: noSurveys(problem) });
    else if (problem && directory.error === undefined)
      ledger.problem({ surveyId: undefined, streams, error: problem });
  }

  /** Those that the list does not have. */
  get #unlisted(): string[] {
    return this.#surveyIds.filter((id) => !this.#reading.directory.found.has(id));
  }

  get #failed(): Note[] {
    const { ledger } = this.#reading;
    return this.#unlisted.map((id) => ledger.noteOf("record", id)).filter((note) => note !== undefined);
  }

  async #askFor(id: string, isAgain: boolean): Promise<void> {
    const { directory, requests, ledger, stream } = this.#reading;
    const ask = () => (isAgain ? directory.askAgainFor(id) : directory.askFor(id));
    const reply = await requests.inSlot("spare", ask);
    if ("page" in reply) ledger.succeeded("record", id);
    else ledger.note({ part: "record", surveyId: id, streams: [stream.definition.name], error: reply.error });
  }

  async #deliver(): Promise<void> {
    const { directory, definition, stream } = this.#reading;
    if (this.#isDelivered || !this.#isListKnown) return;
    const surveys = this.#surveyIds.map((id) => directory.record(id)).filter((each) => each !== undefined);
    const origin = { present: directory.readAt, unknown: stream.warnings.unknown };
    const records = surveys.flatMap((survey: ListedSurvey) => definition.records(survey, origin));
    if (records.length > 0) await stream.deliver(records, records.length);
    this.#isDelivered = true;
  }
}

/** How many surveys are asked for their questions at once: a few that do not answer must not hold all slots. */
const AT_ONCE = 2;

/** Reads the questions of each survey. */
export class QuestionReader implements SnapshotReader {
  readonly stream: StreamInSync;
  isDone = false;
  readonly #reading: SnapshotReading<QuestionStream>;
  /** The lists that failed, and did not succeed later. */
  readonly #failed = new Map<string, QuestionList>();

  constructor(reading: SnapshotReading<QuestionStream>) {
    this.stream = reading.stream;
    this.#reading = reading;
  }

  async read(surveyIds: readonly string[]): Promise<void> {
    await this.#readAll(
      surveyIds.map((id) => new QuestionList(id)),
      ATTEMPTS_OF_A_PART,
    );
    this.isDone = true;
  }

  async readAgain(): Promise<void> {
    const { ledger } = this.#reading;
    const failed = [...this.#failed.values()].filter(({ surveyId }) =>
      ledger.mayBeAskedFor("questions", surveyId),
    );
    await this.#readAll(failed, ATTEMPTS_OF_A_TRY);
  }

  /** `attempts`: of the first request of each list. */
  async #readAll(lists: readonly QuestionList[], attempts: number): Promise<void> {
    const remaining = lists.values();
    const takeTurns = async (): Promise<void> => {
      for (const list of remaining)
        if (!this.#reading.requests.isSecondLookOver) await this.#read(list, attempts);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  }

  /** Reads a list on, from where it failed if it did. */
  async #read(questions: QuestionList, attempts: number): Promise<void> {
    const { stream, requests, ledger } = this.#reading;
    const { surveyId } = questions;
    let most = attempts;
    for (let { path } = questions; path !== undefined; { path } = questions) {
      const next = path;
      const error = await requests.inSlot("spare", async () => {
        const reply = await requests.get(next, parsePage, { attempts: most });
        if ("error" in reply) return reply.error;
        await this.#deliver(questions, reply);
        return undefined;
      });
      most = ATTEMPTS_OF_A_PART;
      if (error) {
        this.#failed.set(surveyId, questions);
        return ledger.note({ part: "questions", surveyId, streams: [stream.definition.name], error });
      }
    }
    this.#failed.delete(surveyId);
    ledger.succeeded("questions", surveyId);
  }

  async #deliver(questions: QuestionList, page: QuestionPage): Promise<void> {
    const { stream, definition, ledger } = this.#reading;
    const { surveyId } = questions;
    const { items, unreadable, problem, readAt } = questions.accept(page);
    const error = withoutId(questions.name, say`a question`);
    stream.omitted({ error, count: unreadable }, surveyId);
    const origin = { surveyId, present: readAt, unknown: stream.warnings.unknown };
    const records = items.flatMap(({ question, position }) =>
      definition.records(question, { ...origin, position }),
    );
    await stream.deliver(records, records.length, surveyId);
    if (problem) ledger.problem({ surveyId, streams: [stream.definition.name], error: problem });
  }
}

interface QuestionPage {
  readonly page: ReturnType<typeof parsePage>;
  readonly present: Timestamp;
}

/** The questions of one survey, page by page: the caller requests `path`, and passes the page to `accept`. */
class QuestionList {
  readonly surveyId: string;
  /** For messages. */
  readonly name: Message;
  readonly #list: KeyedList<Numbered>;
  /** When its first page was read. */
  #readAt: Timestamp | undefined;
  #count = 0;

  constructor(surveyId: string) {
    this.surveyId = surveyId;
    this.name = say`questions of survey ${given(surveyId)}`;
    this.#list = new KeyedList({
      pathOf: (size) => surveyQuestionsPath(surveyId, size),
      itemsPerPage: LARGEST_PAGE,
      parse: numberedIn,
      list: this.name,
    });
  }

  /** The next path to request; undefined at the end. */
  get path(): string | undefined {
    return this.#list.path;
  }

  /** The questions of a page, with their places in the list, which begin with 1. */
  accept({ page, present }: QuestionPage) {
    this.#readAt ??= present;
    const { items, unreadable, problem } = this.#list.accept(page);
    const placed = items.map((question) => ({ question, position: ++this.#count }));
    return { items: placed, unreadable, problem, readAt: this.#readAt };
  }
}
