import type { SurveyExportError } from "../errors.ts";
import type { Log } from "../ports.ts";
import { quote, quoteList } from "../text/quote.ts";
import type { Lead } from "./people.ts";

/**
 * The warnings of one sync. A service that does something odd in one list does it in all of them: the first warning of
 * a kind is logged at once, the others are counted.
 */
export class Warnings {
  readonly unknownFields = new Set<string>();
  /** Respondents that count as deleted, over all streams. */
  readonly deleted = new Set<string>();
  readonly #log: Log;
  readonly #leavesFieldsOut: boolean;
  readonly #counts = new Map<string, number>();

  /** `leavesFieldsOut`: personal data is treated, so unknown fields are not emitted. */
  constructor(log: Log, leavesFieldsOut: boolean) {
    this.#log = log;
    this.#leavesFieldsOut = leavesFieldsOut;
  }

  /** `kind` names what is counted at the end, e.g. "lists that end with an empty page". */
  add(kind: string, message: string): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count === 1) this.#log("warn", message);
  }

  emptyPage(message: string): void {
    this.add("empty pages said that there is more", message);
  }

  linkReplaced(list: string, { facts }: SurveyExportError): void {
    this.add(
      "links to a next page failed",
      `A link to the next page of ${list} failed, and a request without it went on from there. ${facts}`,
    );
  }

  nameless({ surveyId, uuid, timestamp }: Lead): void {
    this.add(
      "responses name no respondent",
      `Survey ${quote(surveyId)} holds a response that names no respondent (${quote(uuid)}, ${timestamp}). The streams that read respondents count it as read, since there is nobody to read.`,
    );
  }

  lacking(respondentUuid: string, { surveyId, timestamp }: Lead): void {
    this.add(
      "lists of respondents lack a response that led to them",
      `The list of respondent ${quote(respondentUuid)} lacks a response that survey ${quote(surveyId)} shows (${timestamp}). It stays open, and the next sync reads the list again.`,
    );
  }

  beginsAnew(stream: string): void {
    this.#log(
      "info",
      `The state of stream ${stream} is one of version 0.1, which named respondents. This version does not, so the stream begins anew.`,
    );
  }

  stillOpen(stream: string, count: number): void {
    if (count === 0) return;
    const [ranges, they] =
      count === 1 ? ["1 range", "It stays"] : [`${count.toLocaleString("en")} ranges`, "They stay"];
    this.#log(
      "warn",
      `Stream ${stream} could not deliver everything in ${ranges} of time. ${they} open in the state, and the next sync tries again.`,
    );
  }

  stateInFuture(stream: string, surveyIds: readonly string[]): void {
    this.add(
      "streams had a state that reaches into the future",
      `The state of stream ${stream} reaches into the future (${quoteList(surveyIds)}), so responses may have been left out. It was cut at the present. To read everything that may be missing, clear the stream's state.`,
    );
  }

  otherPersonalData(stream: string): void {
    this.#log(
      "warn",
      `The state of stream ${stream} was made under another setting of personal_data. Records that were loaded before stay as they are. Clear the stream and read it again, so that the setting holds for all of them.`,
    );
  }

  /** Logs what was counted. */
  summarize(): void {
    for (const [kind, count] of this.#counts) {
      if (count > 1)
        this.#log("warn", `In all ${count.toLocaleString("en")} ${kind}; the first one is above.`);
    }
    if (this.deleted.size > 0) {
      const count = this.deleted.size.toLocaleString("en");
      const [were, they] =
        this.deleted.size === 1 ? ["respondent was", "It counts"] : ["respondents were", "They count"];
      this.#log(
        "warn",
        `${count} ${were} not found twice (status 404), while others were found. ${they} as deleted.`,
      );
    }
    if (this.unknownFields.size > 0) {
      const place = this.#leavesFieldsOut
        ? "were left out, because of the setting personal_data"
        : "are in the column additional_fields";
      this.#log(
        "warn",
        `The service sent fields that this version does not know: ${quoteList([...this.unknownFields].sort())}. They ${place}. Look for a newer version of this source.`,
      );
    }
  }
}
