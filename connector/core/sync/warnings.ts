import type { Log } from "../ports.ts";
import { quoteList } from "../text/quote.ts";

/**
 * The warnings of one sync. A service that does something odd in one list does it in all of them: the first warning of
 * a kind is logged at once, the others are counted.
 */
export class Warnings {
  readonly unknownFields = new Set<string>();
  /** Respondents that were not found, over all streams. */
  readonly notFound = new Set<string>();
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

  stateInFuture(stream: string, surveyIds: readonly string[]): void {
    this.add(
      "streams had a state that reaches into the future",
      `The state of stream ${stream} reaches into the future (${quoteList(surveyIds)}), so responses may have been left out. It counts up to the present only from now on. To read everything that may be missing, clear the stream's state.`,
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
    if (this.notFound.size > 0) {
      const [are, they] =
        this.notFound.size === 1 ? ["respondent was", "It was"] : ["respondents were", "They were"];
      this.#log(
        "warn",
        `${this.notFound.size} ${are} not found (status 404, asked twice). ${they} left out; the next sync asks once more.`,
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
