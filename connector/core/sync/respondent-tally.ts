import { SurveyExportError } from "../errors.ts";
import { TOO_MANY } from "../lists/list-errors.ts";
import { type Message, say } from "../text/message.ts";
import type { StreamInSync } from "./stream-in-sync.ts";

/** What came of the respondents of one stream, in numbers. */
export class RespondentTally {
  /** Lists that were read and hold something. */
  good = 0;
  /** Lists that lack the response that led there. */
  lagging = 0;
  notFound = 0;
  failed = 0;
  /** Since a list was read to its end. */
  failedInARow = 0;
  lastFailure: SurveyExportError | undefined;

  /**
   * Reports what the numbers mean: a few of a kind are a warning, and many, without much that is good, an error.
   * `is404Believed`: whether those who are not found are gone.
   */
  report(stream: Pick<StreamInSync, "definition" | "warnings" | "failures">, is404Believed: boolean): void {
    const { good, lagging, notFound, failed, lastFailure } = this;
    const { warnings, failures } = stream;
    const { name } = stream.definition;
    if (notFound >= TOO_MANY && !is404Believed) failures.add(foundNobody(notFound));
    else if (notFound > 0) warnings.notFound(name, notFound, is404Believed);
    if (lagging >= TOO_MANY && lagging > good) failures.add(listsLag(lagging, good));
    else if (lagging > 0) warnings.listsLag(name, lagging);
    if (lastFailure && failed >= TOO_MANY) failures.add(manyFailed(lastFailure, failed));
    else if (lastFailure) warnings.respondentsFailed(name, failed, lastFailure);
  }
}

function looksLikeOutage(what: Message): SurveyExportError {
  const facts = say`${what}, which looks like an outage.`;
  const advice = say`The next sync asks for them again. If it continues, ask the service.`;
  return new SurveyExportError("transient", "unavailable", facts, { advice });
}

const foundNobody = (count: number): SurveyExportError =>
  looksLikeOutage(say`The service found none of the ${count} respondents that were asked for (status 404)`);

function listsLag(lagging: number, good: number): SurveyExportError {
  const lists = say`${lagging} of ${lagging + good} respondents' lists`;
  return looksLikeOutage(say`${lists} lack the responses that the surveys show`);
}

/** `last`: of `count` failures. */
const manyFailed = (last: SurveyExportError, count: number): SurveyExportError =>
  last.adding(
    say`The lists of ${count} respondents failed in this stream. The next sync asks for them again.`,
  );
