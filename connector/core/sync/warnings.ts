import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Item } from "../lists/item.ts";
import { NO_SURVEYS, surveysOmitted } from "../lists/list-errors.ts";
import type { Log, WarningCode } from "../ports.ts";
import { type Counts, noOddAnswers } from "../streams/answer-rows.ts";
import type { Unknown } from "../streams/definition.ts";
import {
  counted,
  fixed,
  given,
  joined,
  listed,
  type Message,
  outside,
  type Part,
  respondentId,
  responseId,
  say,
  time,
} from "../text/message.ts";

/** The warnings of one sync: the first one of a code is logged at once, and what comes in many lists is counted. */
export class Warnings {
  readonly unknown: Unknown = { fields: new Set(), answers: noOddAnswers() };
  readonly #log: Log;
  readonly #leavesFieldsOut: boolean;
  readonly #counts = new Map<WarningCode, number>();
  readonly #notNamed = new Set<string>();
  #areNamesMissing = false;

  /** `leavesFieldsOut`: personal data is treated, so unknown fields are not emitted. */
  constructor(log: Log, leavesFieldsOut = false) {
    this.#log = log;
    this.#leavesFieldsOut = leavesFieldsOut;
  }

  emptyPage(message: Message): void {
    this.#count("empty_page", message);
  }

  linkReplaced(surveyId: string, { facts }: SurveyExportError): void {
    this.#count(
      "link_replaced",
      say`A link to the next page of survey ${given(surveyId)} failed, and a request without it takes its place. ${facts}`,
    );
  }

  fromFuture(surveyId: string, timestamp: Timestamp, present: Timestamp): void {
    this.#count(
      "future_response",
      say`Survey ${given(surveyId)} holds a response dated ${time(timestamp)}, later than the service's own present (${time(present)}). It was delivered, and comes again in each sync until that time has passed. Report this to the service.`,
    );
  }

  nameless(surveyId: string, { uuid, timestamp }: Item): void {
    this.#count(
      "nameless_response",
      say`Survey ${given(surveyId)} holds a response that names no respondent (${responseId(uuid)}, ${time(timestamp)}). The streams that read respondents count it as read, since there is nobody to read.`,
    );
  }

  endsAboveOthers(surveyId: string): void {
    this.#count(
      "list_shrank",
      say`The list of survey ${given(surveyId)} ends above responses that it has shown in this sync. They were probably deleted meanwhile. The next sync asks again for what may lie below.`,
    );
  }

  withoutSurvey(respondentUuid: string, timestamp: Timestamp): void {
    this.#count(
      "item_without_survey",
      say`The list of respondent ${respondentId(respondentUuid)} holds a response that names no survey (${time(timestamp)}). It was omitted, since it may come from a configured survey, too. Report this to the service.`,
    );
  }

  /** `isFound`: others were found. */
  notFound(stream: string, count: number, isFound: boolean): void {
    const who = counted(count, say`respondent was`, say`respondents were`);
    this.#warn(
      "respondents_not_found",
      isFound
        ? say`Stream ${fixed(stream)}: ${who} not found (status 404), while others were. A respondent that is not found counts as deleted, and is asked for again after their next answer.`
        : say`Stream ${fixed(stream)}: ${who} not found (status 404), and no other was asked for. The next sync asks again.`,
    );
  }

  /** `last`: of their failures. */
  respondentsFailed(stream: string, count: number, last: SurveyExportError): void {
    const whose = counted(count, say`respondent`, say`respondents`);
    this.#warn(
      "respondents_failed",
      say`Stream ${fixed(stream)}: the lists of ${whose} failed. The next sync asks for them again. ${last.facts}`,
    );
  }

  listsLag(stream: string, count: number): void {
    const whose = counted(count, say`respondent`, say`respondents`);
    this.#warn(
      "response_missing_in_list",
      say`Stream ${fixed(stream)}: the lists of ${whose} lack a response that a survey shows. The next sync reads them again.`,
    );
  }

  omitted(stream: string, error: SurveyExportError): void {
    this.#warn("items_omitted", say`Stream ${fixed(stream)}: ${error.whole}`);
  }

  /** `areNamed`: the configuration names the surveys. */
  surveysNotFound(surveyIds: readonly string[], areNamed: boolean): void {
    const advice = areNamed
      ? say`Remove those that were deleted from survey_ids.`
      : say`One that is listed again is read again from its beginning.`;
    this.#warn(
      "surveys_not_found",
      say`These surveys were read before, or are listed, and are not found now (status 404): ${idsOf(surveyIds)}. This does not affect the other surveys. ${advice}`,
    );
  }

  noSurveys(): void {
    this.#warn("no_surveys", NO_SURVEYS);
  }

  surveysOmitted(count: number): void {
    this.#warn("surveys_omitted", surveysOmitted(count));
  }

  /** A response to a survey that the configuration does not name, though it names others. */
  surveyNotNamed(surveyId: string): void {
    this.#notNamed.add(surveyId);
  }

  /** `error`: why; undefined if it is not known yet. */
  namesMissing(error: SurveyExportError | undefined): void {
    if (this.#areNamesMissing) return;
    this.#areNamesMissing = true;
    const why = error?.facts ?? say`It did not come in time.`;
    this.#warn(
      "names_missing",
      say`The list of surveys could not be read, so survey_name and survey_type are empty where the responses do not have them. ${why}`,
    );
  }

  questionsNotFound(surveyIds: readonly string[]): void {
    this.#warn(
      "questions_not_found",
      say`The questions of these surveys are not found (status 404): ${idsOf(surveyIds)}. The questions of the others were read.`,
    );
  }

  stateInFuture(stream: string, surveyIds: readonly string[]): void {
    this.#count(
      "state_in_future",
      say`The state of stream ${fixed(stream)} reaches into the future (${idsOf(surveyIds)}), so responses may have been omitted. It was cut at the present. To read everything that may be missing, clear the stream's state.`,
    );
  }

  otherPersonalData(stream: string): void {
    this.#warn(
      "other_personal_data",
      say`The state of stream ${fixed(stream)} was made under another setting of personal_data. Records that were loaded before stay as they are. Clear the stream and read it again, so that the setting holds for all of them.`,
    );
  }

  /** Logs what was counted. */
  summarize(): void {
    for (const [code, count] of this.#counts) {
      if (count > 1)
        this.#warn(
          code,
          say`The warning ${fixed(code)} came ${count} times; only the first one is described above.`,
        );
    }
    this.#oddAnswers();
    if (this.#notNamed.size > 0)
      this.#warn(
        "surveys_not_named",
        say`The stream respondent_responses holds responses to surveys that survey_ids does not name: ${idsOf([...this.#notNamed], 5)}. Other respondents' responses to them are not read. Name these surveys, too, or leave survey_ids empty to read every survey.`,
      );
    if (this.unknown.fields.size > 0) {
      this.#warn(
        "unknown_fields",
        say`The service sent fields that this version does not know: ${fieldNames(this.unknown.fields)}. They ${this.#place}. Look for a newer version of this source.`,
      );
    }
  }

  /** Where the fields are that the service does not document. */
  get #place(): Message {
    return this.#leavesFieldsOut
      ? say`were omitted, because of the setting personal_data`
      : say`are in the column additional_fields`;
  }

  #oddAnswers(): void {
    const { shapes, omitted } = this.unknown.answers;
    if (shapes.size > 0)
      this.#warn(
        "odd_answers",
        say`The service sent answers in shapes that it does not document: ${inWords(shapes)}. Values that fit no other column of survey_answers ${this.#place}. Report this to the service, or look for a newer version of this source.`,
      );
    if (omitted.size > 0)
      this.#warn(
        "answers_omitted",
        say`The service sent answers that cannot be rows of survey_answers: ${inWords(omitted)}. They were omitted there; all others were delivered. Report this to the service.`,
      );
  }

  #count(code: WarningCode, message: Message): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count === 1) this.#warn(code, message);
  }

  #warn(code: WarningCode, message: Message): void {
    this.#log("warn", message, code);
  }
}

const idsOf = (surveyIds: readonly string[], most?: number): Message => listed(surveyIds.map(given), most);

const inWords = (counts: Counts): Message =>
  joined(
    [...counts].sort().map(([what, count]) => say`${fixed(what)} (${count} times)`),
    ", ",
  );

const fieldNames = (names: ReadonlySet<string>): Message =>
  listed([...names].sort().map((field): Part => outside(field, 80)));
