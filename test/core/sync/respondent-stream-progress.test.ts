import { expect, it } from "vitest";
import { EMPTY_STATE } from "../../../connector/core/coverage/stream-state.ts";
import { SurveyExportError } from "../../../connector/core/errors.ts";
import type { Item } from "../../../connector/core/lists/item.ts";
import { KEEP_ALL } from "../../../connector/core/privacy/record-treatment.ts";
import { respondentAttributes } from "../../../connector/core/streams/respondent-attributes.ts";
import { RespondentStreamProgress } from "../../../connector/core/sync/respondent-stream-progress.ts";
import type { Slice } from "../../../connector/core/sync/split.ts";
import { StreamCursor } from "../../../connector/core/sync/stream-cursor.ts";
import { at, PRESENT } from "../coverage/timestamps.ts";

/** A stream of respondents, and one slice of a survey whose pages are made by hand. */
function discovering() {
  const cursor = new StreamCursor({
    initialState: EMPTY_STATE,
    ...{ surveyIds: ["s1"], respondentUuids: [], startDate: undefined, endDate: at(20) },
    ...{ lookbackMs: 0, present: PRESENT, dependsOnStartDate: false, treatment: KEEP_ALL },
  });
  const stream = new RespondentStreamProgress(respondentAttributes, cursor, [], [], true);
  const slice = {} as Slice;
  const page = (given: [person: string | undefined, at: number][], ...covered: [number | null, number][]) => {
    const items = given.map(([person, place]): Item => {
      const respondent = person === undefined ? undefined : { uuid: person };
      const response = { uuid: `${person}${place}`, collected_at: at(place), respondent };
      return { uuid: response.uuid, timestamp: at(place), response, survey: undefined, raw: response };
    });
    const intervals = covered.map(
      ([older, newer]) => [older === null ? null : at(older), at(newer)] as const,
    );
    const surveyPage = { slice, items, covered: [{ slice, intervals }], problem: undefined };
    return stream.acceptSurveyPage("s1", { ...surveyPage, warning: undefined, present: PRESENT }, at(20));
  };
  const deliver = (depth?: number): string => {
    const respondent = stream.queue.next()!;
    stream.delivered(respondent, depth);
    return respondent.uuid;
  };
  return { page, deliver, stream, covered: () => cursor.state().toJSON().surveys.s1 ?? [] };
}

it("a page is covered when the last of its respondents has been delivered (I6)", () => {
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

it("a respondent at a timestamp that fills many pages is waited for by the interval that covers it", () => {
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

it("a respondent at the edge of two intervals is waited for by both, since the two together put the edge inside", () => {
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

it("a respondent who was delivered already is not waited for", () => {
  const { page, deliver, covered } = discovering();
  page([["ann", 9]]);
  deliver();
  page([["ann", 8]], [null, 20]);
  expect(covered()).toEqual([[null, at(20)]]);
});

it("a response that names nobody leaves its timestamp open, and is reported", () => {
  const { page, covered } = discovering();
  const events = page([[undefined, 9]], [null, 20]);
  expect(covered()).toEqual([
    [null, at(8)],
    [at(10), at(20)],
  ]);
  expect(events.map(({ type }) => type)).toEqual(["records", "failure"]);
});

it("a respondent whose list was read to a covered response is read further when an older one is found", () => {
  const { page, deliver, stream, covered } = discovering();
  page([["ann", 9]], [9, 20]);
  expect(deliver(Date.UTC(2026, 0, 1) * 1000 + 7)).toBe("ann");
  page([["ann", 8]], [8, 9]);
  expect(stream.queue.length).toBe(0);
  page([["ann", 3]], [null, 8]);
  expect(covered()).toEqual([[at(8), at(20)]]);
  const again = stream.queue.next()!;
  expect(again.from).toBe(at(6));
  stream.delivered(again);
  expect(covered()).toEqual([[null, at(20)]]);
});

it("during an outage a hundred are tried from elsewhere, then one for each page; ten thousand who wait are too many", () => {
  const { page, stream } = discovering();
  const names = (from: number) =>
    Array.from({ length: 100 }, (_, place): [string, number] => [`p${from + place}`, 9]);
  page(names(0));
  const notFound = new SurveyExportError("system", "not_found", "not found", { status: 404 });
  for (let number = 0; number < 100; number++) {
    expect(stream.nextRespondent()?.uuid).toBe(`p${number}`);
    stream.answeredNotFound(notFound);
  }
  page(names(100));
  page(names(200));
  expect(stream.nextRespondent()?.uuid).toBe("p299");
  for (let trials = 1; trials < 102; trials++) stream.nextRespondent();
  expect(stream.waiting).toBe(0);
  page(names(300));
  expect(stream.waiting).toBeGreaterThan(0);
  expect(stream.nextRespondent()).toBeDefined();
  expect(stream.waiting).toBe(0);
  for (let pages = 4; !stream.isGivenUp; pages++) {
    expect(pages).toBeLessThan(110);
    page(names(100 * pages));
  }
  const waiting = stream.queue.length;
  page(names(100_000));
  expect(stream.queue.length).toBe(waiting);
  expect(stream.finish()).toMatchObject([
    { error: { message: expect.stringContaining("did not find 100 respondents in a row (status 404)") } },
  ]);
});

it("somebody who is found ends an outage, and the others are asked for in their turn", () => {
  const { page, stream } = discovering();
  page(Array.from({ length: 200 }, (_, place): [string, number] => [`p${place}`, 9]));
  for (let number = 0; number < 100; number++) {
    stream.nextRespondent();
    stream.answeredNotFound(new SurveyExportError("system", "not_found", "not found"));
  }
  expect(stream.nextRespondent()?.uuid).toBe("p199");
  stream.answered();
  expect(stream.nextRespondent()?.uuid).toBe("p100");
  expect(stream.finish()).toEqual([]);
});
