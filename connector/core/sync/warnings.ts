import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Item } from "../lists/item.ts";
import type { Log, WarningCode } from "../ports.ts";
import { noOddAnswers } from "../streams/answer-rows.ts";
import type { Unknown } from "../streams/definition.ts";
import {
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
  readonly #omitsFields: boolean;
  readonly #counts = new Map<WarningCode, number>();
  readonly #notNamed = new Set<string>();
  #areNamesMissing = false;

  /** `omitsFields`: personal data is treated, so unknown fields are not emitted. */
  constructor(log: Log, omitsFields = false) {
    this.#log = log;
    this.#omitsFields = omitsFields;
  }

  warn(code: WarningCode, message: Message): void {
    this.#log("warn", message, code);
  }

  /** A warning that may come often. */
  count(code: WarningCode, message: Message): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count === 1) this.warn(code, message);
  }

  fromFuture(surveyId: string, timestamp: Timestamp, present: Timestamp): void {
    const message = say`Survey ${given(surveyId)} holds a response dated ${time(timestamp)}, later than the service's own present (${time(present)}). It was delivered, and comes again in each sync until that time has passed. Report this to the service.`;
    this.count("future_response", message);
  }

  nameless(surveyId: string, { uuid, timestamp }: Item): void {
    const message = say`Survey ${given(surveyId)} holds a response that names no respondent (${responseId(uuid)}, ${time(timestamp)}). The streams that read respondents count it as read, since there is nobody to read.`;
    this.count("nameless_response", message);
  }

  withoutSurvey(respondentUuid: string, timestamp: Timestamp): void {
    const message = say`The list of respondent ${respondentId(respondentUuid)} holds a response that names no survey (${time(timestamp)}). It was omitted, since it may come from a survey that is read, too. Report this to the service.`;
    this.count("items_omitted", message);
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
    const message = say`The list of surveys could not be read, so survey_name and survey_type are empty where the responses do not have them. ${why}`;
    this.warn("names_missing", message);
  }

  stateInFuture(stream: string, surveyIds: readonly string[]): void {
    const message = say`The state of stream ${fixed(stream)} reaches into the future (${idsOf(surveyIds)}), so responses may have been omitted. It was cut at the present. To read everything that may be missing, clear the stream's state.`;
    this.count("outdated_state", message);
  }

  otherPersonalData(stream: string): void {
    const message = say`The state of stream ${fixed(stream)} was made under another setting of personal_data. Records that were loaded before stay as they are. Clear the stream and read it again, so that the setting holds for all of them.`;
    this.warn("outdated_state", message);
  }

  /** Logs what was counted. */
  summarize(): void {
    for (const [code, count] of this.#counts) {
      const message = say`The warning ${fixed(code)} came ${count} times; only the first one is described above.`;
      if (count > 1) this.warn(code, message);
    }
    this.#oddAnswers();
    if (this.#notNamed.size > 0) {
      const message = say`The stream respondent_responses holds responses to surveys that survey_ids does not name: ${idsOf([...this.#notNamed], 5)}. Other respondents' responses to them are not read. Name these surveys, too, or leave survey_ids empty to read every survey.`;
      this.warn("surveys_not_named", message);
    }
    if (this.unknown.fields.size > 0) {
      const message = say`The service sent fields that this version does not know, or values that do not fit their columns: ${fieldNames(this.unknown.fields)}. They ${this.#place}, as the service sent them. Look for a newer version of this source.`;
      this.warn("undocumented", message);
    }
  }

  /** Where the fields are that the service does not document. */
  get #place(): Message {
    return this.#omitsFields
      ? say`were omitted, because of the setting personal_data`
      : say`are in the column additional_fields`;
  }

  #oddAnswers(): void {
    const { shapes, omitted } = this.unknown.answers;
    if (shapes.size + omitted.size === 0) return;
    const all = inWords([...shapes, ...omitted]);
    const message = say`The service sent answers in shapes that it does not document: ${all}. Values that fit no other column of survey_answers ${this.#place}; what cannot be a row was omitted there. Report this to the service, or look for a newer version of this source.`;
    this.warn("undocumented", message);
  }
}

const idsOf = (surveyIds: readonly string[], most?: number): Message => listed(surveyIds.map(given), most);

const inWords = (counts: Iterable<readonly [what: string, count: number]>): Message =>
  joined(
    [...counts].sort().map(([what, count]) => say`${fixed(what)} (${count} times)`),
    ", ",
  );

const fieldNames = (names: ReadonlySet<string>): Message =>
  listed([...names].sort().map((field): Part => outside(field, 80)));
