import type { SurveyExportError } from "../errors.ts";
import type { Log, WarningCode } from "../ports.ts";
import type { OddAnswers } from "../streams/answer-rows.ts";
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
import type { Lead } from "./people.ts";

/** What is counted at the end of a sync, by the code of the warning. */
const COUNTED = {
  empty_page: say`empty pages said that there is more`,
  link_replaced: say`links to a next page failed`,
  future_response: say`pages hold responses from the future`,
  nameless_response: say`responses name no respondent`,
  response_missing_in_list: say`lists of respondents lack a response that a survey shows`,
  state_in_future: say`streams had a state that reaches into the future`,
  left_out: say`items could not be read, counted in each stream`,
} as const satisfies Partial<Record<WarningCode, Message>>;

export interface WarningsOptions {
  /** Personal data is treated, so unknown fields are not emitted. */
  readonly leavesFieldsOut?: boolean;
  /** Default: `fail`. */
  readonly unreadable?: OnUnreadable;
}

/** What an item that cannot be read does to its stream: it becomes incomplete, or there is a warning. Its range stays open in any case. */
export type OnUnreadable = "fail" | "warn";

/**
 * The warnings of one sync. A service that does something unusual in one list does it in all of them: the first warning of
 * a code is logged at once, the others are counted.
 */
export class Warnings {
  readonly unknown: Unknown;
  /** Respondents that count as deleted, over all streams. */
  readonly deleted = new Set<string>();
  readonly #log: Log;
  readonly #options: WarningsOptions;
  readonly #counts = new Map<keyof typeof COUNTED, number>();

  constructor(log: Log, options: WarningsOptions = {}) {
    this.#log = log;
    this.#options = options;
    this.unknown = { fields: new Set(), answers: new Map(), isLeftOut: options.leavesFieldsOut === true };
  }

  /** Whether the error is only worth a warning, by the user's choice. Then the warning is given. */
  isTolerated(error: SurveyExportError): boolean {
    if (error.code !== "unreadable_item" || this.#options.unreadable !== "warn") return false;
    this.#count("left_out", error.whole);
    return true;
  }

  emptyPage(message: Message): void {
    this.#count("empty_page", message);
  }

  linkReplaced(list: Message, { facts }: SurveyExportError): void {
    this.#count(
      "link_replaced",
      say`A link to the next page of ${list} failed, and a request without it went on from there. ${facts}`,
    );
  }

  fromFuture({ surveyId, timestamp }: Lead, present: string): void {
    this.#count(
      "future_response",
      say`Survey ${given(surveyId)} holds a response dated ${time(timestamp)}, later than the service's own present (${time(present)}). It was delivered, and comes again in each sync until that time has passed. Report this to the service.`,
    );
  }

  nameless({ surveyId, uuid, timestamp }: Lead): void {
    this.#count(
      "nameless_response",
      say`Survey ${given(surveyId)} holds a response that names no respondent (${responseId(uuid)}, ${time(timestamp)}). The streams that read respondents count it as read, since there is nobody to read.`,
    );
  }

  lacking(respondentUuid: string, { surveyId, timestamp }: Lead): void {
    this.#count(
      "response_missing_in_list",
      say`The list of respondent ${respondentId(respondentUuid)} lacks a response that survey ${given(surveyId)} shows (${time(timestamp)}). It stays open, and the next sync reads the list again.`,
    );
  }

  beginsAnew(stream: string): void {
    this.#log(
      "info",
      say`The state of stream ${fixed(stream)} was written by version 0.1, which stored the ids of respondents. This version does not, so it reads the stream from its start.`,
    );
  }

  surveysNotFound(surveyIds: readonly string[]): void {
    this.#warn(
      "surveys_not_found",
      say`These surveys were read before and are not found any more (status 404): ${listed(surveyIds.map(given), surveyIds.length)}. What was delivered of them stays. Remove them from survey_ids if they were deleted.`,
    );
  }

  stillOpen(stream: string, count: number): void {
    if (count === 0) return;
    const [ranges, they] =
      count === 1 ? [say`1 range`, say`It stays`] : [say`${count} ranges`, say`They stay`];
    this.#warn(
      "still_open",
      say`Stream ${fixed(stream)} could not deliver everything in ${ranges} of time. ${they} open in the state, and the next sync tries again.`,
    );
  }

  stateInFuture(stream: string, surveyIds: readonly string[]): void {
    this.#count(
      "state_in_future",
      say`The state of stream ${fixed(stream)} reaches into the future (${listed(surveyIds.map(given))}), so responses may have been left out. It was cut at the present. To read everything that may be missing, clear the stream's state.`,
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
        this.#warn(code, say`In total, ${count} ${COUNTED[code]}; only the first one is described above.`);
    }
    if (this.deleted.size > 0) {
      const [were, they] =
        this.deleted.size === 1
          ? [say`respondent was`, say`It counts`]
          : [say`respondents were`, say`They count`];
      this.#warn(
        "respondents_deleted",
        say`${this.deleted.size} ${were} not found twice (status 404), while others were found. ${they} as deleted.`,
      );
    }
    if (this.unknown.answers.size > 0) this.#oddAnswers(this.unknown.answers);
    if (this.unknown.fields.size > 0) {
      const place = this.#options.leavesFieldsOut
        ? say`were left out, because of the setting personal_data`
        : say`are in the column additional_fields`;
      this.#warn(
        "unknown_fields",
        say`The service sent fields that this version does not know: ${fieldNames(this.unknown.fields)}. They ${place}. Look for a newer version of this source.`,
      );
    }
  }

  #oddAnswers(shapes: OddAnswers): void {
    const counts = [...shapes].sort().map(([shape, count]) => say`${fixed(shape)} (${count} times)`);
    this.#warn(
      "odd_answers",
      say`The service sent answers in shapes that it does not document: ${joined(counts, ", ")}. They are kept as far as columns can hold them. Report this to the service, or look for a newer version of this source.`,
    );
  }

  #count(code: keyof typeof COUNTED, message: Message): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count === 1) this.#warn(code, message);
  }

  #warn(code: WarningCode, message: Message): void {
    this.#log("warn", message, code);
  }
}

const fieldNames = (names: ReadonlySet<string>): Message =>
  listed([...names].sort().map((field): Part => outside(field, 80)));
