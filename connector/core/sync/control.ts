import { SurveyExportError } from "../errors.ts";
import { type Message, respondentId, say } from "../text/message.ts";

/** Failures in a row, with no good answer between them, after which the control is asked first. */
const FAILURES_IN_A_ROW = 10;
/** Others who are tried then, before everything is given up. */
const MOST_TRIES = 20;

/**
 * Distinguishes an outage of one stream's lists from people who fail by themselves. The control is a respondent whose list was
 * good in this sync. After ten failures in a row it is asked again: if it is good, reading goes on. While nobody's list was
 * good yet, one respondent of each further page is tried, twenty at most.
 */
export class Control {
  /** Spelling of the last respondent whose list was good; undefined = nobody's was. */
  uuid: string | undefined;
  #mode: "reading" | "asking" | "trying" | "given up" = "reading";
  #inARow = 0;
  #tries = 0;

  /** Whether nobody is asked for until the control has answered. */
  get isDue(): boolean {
    return this.#mode === "asking";
  }

  get isTrying(): boolean {
    return this.#mode === "trying";
  }

  get isGivenUp(): boolean {
    return this.#mode === "given up";
  }

  /** Failures in a row, tries included. */
  get failures(): number {
    return this.#inARow;
  }

  /** A respondent's list was good. */
  good(uuid: string): void {
    this.uuid = uuid;
    this.wasGood();
  }

  /** The control itself was asked, and was good. */
  wasGood(): void {
    this.#inARow = 0;
    this.#tries = 0;
    if (!this.isGivenUp) this.#mode = "reading";
  }

  /** A request for a respondent failed for good. */
  failed(): void {
    this.#inARow++;
    if (this.#inARow < FAILURES_IN_A_ROW || this.isGivenUp) return;
    if (this.uuid !== undefined) this.#mode = "asking";
    else if (this.#mode === "reading") this.#mode = "trying";
    else if (++this.#tries >= MOST_TRIES) this.#mode = "given up";
  }

  /** The control itself was asked, and was not good. */
  wasBad(): void {
    if (this.isDue) this.#mode = "given up";
  }
}

/** The errors of a stream whose respondents' lists are wrong as a whole. What they affect stays open. */

export const foundNobody = (count: number): SurveyExportError =>
  looksLikeOutage(say`The service found none of the ${count} respondents that were asked for (status 404)`);

export const listsLackResponses = (lacking: number, good: number): SurveyExportError =>
  looksLikeOutage(
    say`${lacking} of ${lacking + good} respondents' lists lack responses that the surveys show`,
  );

/** The control's list, which was good earlier. */
export const emptiedList = (uuid: string): SurveyExportError =>
  looksLikeOutage(
    say`The list of respondent ${respondentId(uuid)} is empty now, though it was not earlier in this sync`,
  );

/** `error` is the last one of `count`. */
export const failedInARow = (error: SurveyExportError, count: number): SurveyExportError =>
  error.adding(
    say`This is failure ${count} in a row, so this sync asks for no more respondents in this stream.`,
  );

const looksLikeOutage = (facts: Message): SurveyExportError =>
  new SurveyExportError("transient", "unavailable", say`${facts}, which looks like an outage.`, {
    advice: say`The next sync asks for them again. If it goes on, ask the service.`,
  });

export const allNameless = (count: number): SurveyExportError =>
  new SurveyExportError(
    "system",
    "broken_answer",
    say`None of the ${count} responses of this sync names its respondent, so this stream has read nobody.`,
    {
      advice: say`They count as read. Report this to the service, then clear this stream's state to read them again.`,
    },
  );
