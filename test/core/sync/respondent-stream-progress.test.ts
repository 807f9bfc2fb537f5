import { expect, it } from "vitest";
import { discoverRespondents } from "../../../connector/core/reading/discovery.ts";
import type { Item } from "../../../connector/core/lists/item.ts";
import { createStreamReading, readsRespondents } from "../../../connector/core/reading/stream-reading.ts";
import { createSurveyReading } from "../../../connector/core/reading/survey-reading.ts";
import { at } from "../coverage/timestamps.ts";

/** A stream of respondents, and one part of a survey, whose pages are told by hand. */
function discovering() {
  const reading = createStreamReading("respondent_attributes", {
    delivered: { surveys: new Map(), respondents: new Map(), startDate: undefined, upTo: undefined },
    surveyIds: ["s1"],
    respondentUuids: [],
    startDate: undefined,
    endDate: at(20),
    lookbackMs: 0,
  });
  if (!readsRespondents(reading)) throw new Error("a stream of respondents");
  const survey = createSurveyReading({
    ...{ id: "s1", gaps: [{ older: null, newer: at(20) }], edges: new Set<string>() },
    ...{ itemsPerPage: 2, attributes: [] },
  });
  const part = { ...survey.parts[0]!, survey: { ...survey, newestSeen: at(20) } };
  const page = (given: [person: string, at: number][], ...spans: [number | null, number][]): void => {
    const items = given.map(([person, moment]): Item => {
      const response = { uuid: `${person}${moment}`, collected_at: at(moment), respondent: { uuid: person } };
      return { uuid: response.uuid, moment: at(moment), response, survey: undefined, raw: response };
    });
    const claims = spans.map(([older, newer]) => [older === null ? null : at(older), at(newer)] as const);
    discoverRespondents(reading, part, items, [{ part, spans: claims }]);
  };
  const deliver = (): string => {
    const errand = reading.queue.next()!;
    for (const { surveyId, span } of reading.queue.done(errand))
      reading.delivery.coverSurvey(surveyId, span, at(20));
    return errand.uuid;
  };
  return { page, deliver, covered: () => reading.delivery.state().surveys.s1 ?? [] };
}

it("a page is covered when the last of its responders has been delivered (I6)", () => {
  const { page, deliver, covered } = discovering();
  page(
    [
      ["ann", 9],
      ["bob", 8],
      ["cem", 7],
    ],
    [8, 20],
  );
  expect([deliver(), covered()]).toEqual(["ann", []]);
  expect([deliver(), covered()]).toEqual(["bob", []]);
  expect([deliver(), covered()]).toEqual(["cem", [[at(8), at(20)]]]);
});

it("a responder at a moment that fills many pages is waited for by the claim that covers that moment", () => {
  const { page, deliver, covered } = discovering();
  page(
    [
      ["ann", 9],
      ["bob", 5],
    ],
    [9, 20],
  );
  page([["cem", 5]], [9, 9]);
  page([["dan", 3]], [5, 9]);
  expect(deliver()).toBe("ann");
  expect(deliver()).toBe("bob");
  expect(covered()).toEqual([[at(9), at(20)]]);
  deliver();
  deliver();
  expect(covered()).toEqual([[at(5), at(20)]]);
});

it("a responder at the edge of two claims is waited for by both, since the two together put the edge inside", () => {
  const { page, deliver, covered } = discovering();
  page([["ann", 9]], [9, 20]);
  page(
    [
      ["ann", 9],
      ["bob", 3],
    ],
    [3, 9],
  );
  page([], [null, 3]);
  expect(covered()).toEqual([]);
  expect(deliver()).toBe("ann");
  expect(covered()).toEqual([[at(9), at(20)]]);
  expect(deliver()).toBe("bob");
  expect(covered()).toEqual([[null, at(20)]]);
});

it("somebody delivered already is not waited for", () => {
  const { page, deliver, covered } = discovering();
  page([["ann", 9]]);
  deliver();
  page([["ann", 8]], [null, 20]);
  expect(covered()).toEqual([[null, at(20)]]);
});
