import { expect, it } from "vitest";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { RespondentTally } from "../../../../connector/core/sync/respondent-tally.ts";
import { render, say } from "../../../../connector/core/text/message.ts";
import { streamOf } from "./support/stream.ts";

const FAILURE = new SurveyExportError("transient", "unavailable", say`It failed.`);

/** What a tally tells at the end of a sync: the codes of errors and warnings, with the beginnings of the sentences. */
async function toldBy(numbers: Partial<RespondentTally>, is404Believed: boolean): Promise<readonly string[]> {
  const { stream, told, warnings } = streamOf("respondent_responses");
  Object.assign(new RespondentTally(), numbers).report(stream, is404Believed);
  const errors = (await told()).map((event) =>
    event.type === "failure" ? `error ${event.error.code}: ${render(event.error.facts)}` : event.type,
  );
  return [...errors, ...warnings.map((warning) => `warning ${warning}`)];
}

it.each<[Partial<RespondentTally>, readonly string[]]>([
  [{ good: 1 }, []],
  [{ notFound: 1 }, ["warning respondents_not_found: "]],
  [{ notFound: 9 }, ["warning respondents_not_found: "]],
  [{ notFound: 10 }, ["error unavailable: The service found none of the 10 respondents"]],
  [{ notFound: 10, good: 1 }, ["warning respondents_not_found: "]],
  [{ lagging: 1 }, ["warning respondents_failed: "]],
  [{ lagging: 9 }, ["warning respondents_failed: "]],
  [{ lagging: 10, good: 9 }, ["error unavailable: 10 of 19 respondents' lists lack the responses"]],
  [{ lagging: 10, good: 10 }, ["warning respondents_failed: "]],
  [{ failed: 9, lastFailure: FAILURE, good: 100 }, ["warning respondents_failed: "]],
  [
    { failed: 10, lastFailure: FAILURE, good: 100 },
    ["error unavailable: It failed. The lists of 10 respondents failed"],
  ],
])("%j", async (numbers, expected) => {
  const told = await toldBy(numbers, numbers.good === 1);
  expect(told).toEqual(expected.map((beginning) => expect.stringMatching(`^${beginning}`)));
});
