import { createClient, Enrichment, type SurveyResponse } from "@survey-export/core";
import { expect, it } from "vitest";
import { createSimulatedClock } from "../../../model/support/clock.ts";
import { answering, page, personId, personOf } from "../../../model/support/connection.ts";

/** A service in which some people answer 403, and some answer after a long time. */
function enrichment(refused: readonly number[], slow: readonly number[], over = new AbortController()) {
  const clock = createSimulatedClock(0);
  const asked: number[] = [];
  const client = createClient(
    {
      clock,
      log: () => {},
      transport: async ({ url }, signal) => {
        const person = personOf(url.slice("http://service.local/v2".length))!;
        asked.push(person);
        await clock.sleep(slow.includes(person) ? 600_000 : 10, signal);
        return refused.includes(person)
          ? answering(403)
          : page([{ id: 1, name: "plan", value: `p${person}` }]);
      },
    },
    { baseUrl: "http://service.local/v2" },
  );
  const options = { signal: over.signal, perRespondentMs: 20_000, onUnreadable: () => {} };
  return { enrichment: new Enrichment(client, options), asked };
}

const responses = (...people: readonly (number | null)[]) =>
  people.map((person, place) => ({
    uuid: `r${place}`,
    respondent_uuid: person === null ? null : personId(person),
  })) as unknown as SurveyResponse[];

it("adds the attributes of everybody who can be read, and names the others", async () => {
  const { enrichment: people, asked } = enrichment([2], [3]);
  const all = responses(1, 2, 3, null, 1);
  const enriched = await people.enrich(all);
  expect([...enriched].map(([{ uuid }, { respondent_attributes: list }]) => [uuid, list])).toEqual([
    ["r0", [{ id: 1, name: "plan", value: "p1" }]],
    ["r3", []],
    ["r4", [{ id: 1, name: "plan", value: "p1" }]],
  ]);
  expect([...people.failures].map(([uuid, { code }]) => [uuid, code])).toEqual([
    [personId(2), "forbidden"],
    [personId(3), "no_answer"],
  ]);
  const before = asked.length;
  expect((await people.enrich(responses(1, 2))).size).toBe(1);
  expect(asked.length).toBe(before);
});

it("blames nobody if the time is over", async () => {
  const over = new AbortController();
  const { enrichment: people } = enrichment([], [1], over);
  const enriched = people.enrich(responses(1, 2));
  over.abort(new Error("out of time"));
  expect((await enriched).size).toBe(0);
  expect(people.failures.size).toBe(0);
});
