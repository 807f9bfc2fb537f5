import type { SurveyExportError } from "../errors.ts";
import type { Unreadable } from "../lists/coverage-tracker.ts";
import { TOO_MANY } from "../lists/list-errors.ts";
import { say } from "../text/message.ts";
import type { Channel } from "./channel.ts";
import type { Warnings } from "./warnings.ts";

/** What of one stream could not be read, as far as the sync itself reports it: then the stream ends incomplete. */
export class StreamFailures {
  isIncomplete = false;
  /** Surveys that failed, or a part of them. */
  readonly surveys = new Set<string>();
  /** How many items of the stream could be read. */
  items = 0;
  readonly #stream: string;
  readonly #channel: Channel;
  readonly #warnings: Warnings;
  /** Items that could not be read, and the error of the first. */
  #unreadable: { readonly first: SurveyExportError; count: number } | undefined;

  constructor(stream: string, channel: Channel, warnings: Warnings) {
    this.#stream = stream;
    this.#channel = channel;
    this.#warnings = warnings;
  }

  /** Something could not be read: the stream is incomplete. */
  add(error: SurveyExportError, surveyId?: string): void {
    this.isIncomplete = true;
    if (surveyId !== undefined) this.surveys.add(surveyId);
    void this.#channel.put({ type: "failure", stream: this.#stream, error, surveyId });
  }

  /** Items that cannot be read were omitted. With a few of them, the stream is still complete. */
  omitted({ error, count }: Omit<Unreadable, "range">, surveyId?: string): void {
    // Another page may have reported all of them.
    if (count === 0) return;
    this.#unreadable ??= { first: error, count: 0 };
    this.#unreadable.count += count;
    if (this.#unreadable.count >= TOO_MANY) this.isIncomplete = true;
    void this.#channel.put({ type: "unreadable", stream: this.#stream, count, error, surveyId });
  }

  /** Nothing more is requested: reports what remains to be reported. */
  finish(): void {
    if (this.#unreadable === undefined) return;
    const { first, count } = this.#unreadable;
    const items = count + this.items;
    const error =
      count === 1 ? first : first.adding(say`${count} of ${items} items of this stream cannot be read.`);
    if (count < TOO_MANY) this.#warnings.omitted(this.#stream, error);
    else this.add(error);
  }
}
