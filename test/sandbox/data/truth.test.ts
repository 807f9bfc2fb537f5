import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DIALECTS, type DialectName } from "../../../sandbox/index.ts";
import { inProcess, responseOf, walk } from "../support/client.ts";

const names = Object.keys(DIALECTS) as DialectName[];

const changes = fc.record({
  count: fc.integer({ min: 0, max: 150 }),
  respondents: fc.integer({ min: 1, max: 60 }),
  seed: fc.integer({ min: 0, max: 1_000 }),
  tied: fc.integer({ min: 1, max: 4 }),
  density: fc.constantFrom("even", "growing", "steep", "old", "bursts", "burst", "recent"),
  collected: fc.array(fc.tuple(fc.constantFrom("1", "2"), fc.integer({ min: 0, max: 9 }), fc.boolean()), {
    maxLength: 4,
  }),
  removed: fc.array(fc.integer({ min: 0, max: 149 }), { maxLength: 10 }),
  dialect: fc.constantFrom(...names),
  size: fc.integer({ min: 6, max: 100 }),
} as const);

describe("walking all lists of generated data that was added to and taken from", () => {
  it("yields exactly the truth: every survey, every respondent's responses and attributes", async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (one) => {
        const generated = (seed: number) => ({
          seed: one.seed + seed,
          count: one.count,
          respondents: one.respondents,
          density: one.density,
          from: "2024-01-01T00:00:00.000000Z",
          to: "2026-01-01T00:00:00.000000Z",
          ties: { every: 9, size: one.tied },
        });
        const client = await inProcess({
          limits: false,
          seed: one.seed,
          choices: DIALECTS[one.dialect],
          surveys: [
            { id: "1", content: "little", responses: generated(0) },
            { id: "2", content: "little", responses: generated(7) },
          ],
        });
        const { service } = client;
        const { truth } = service;
        for (const [id, count, late] of one.collected) {
          service.collect(id, late ? { count, lateByMs: 86_400_000 } : count);
        }
        const all = [...truth.responses("1")];
        const removed = one.removed.flatMap((place) => all[place]?.uuid ?? []);
        expect(service.remove({ responses: removed })).toBe(new Set(removed).size);

        const everybody = new Set<string>();
        for (const id of truth.surveyIds()) {
          const { items, ended } = await walk(client, `/surveys/${id}/responses?items_per_page=${one.size}`);
          const responses = items.map(responseOf);
          expect(ended).toBe(service.choices.listEnd);
          const walked = new Map(
            responses.map((response) => [response.uuid, [response.collected_at, response.respondent.uuid]]),
          );
          expect(walked).toEqual(
            new Map([...truth.responses(id)].map((r) => [r.uuid, [r.collected_at, r.respondent_uuid]])),
          );
          expect(walked.size).toBe(truth.count(id));
          expect(new Set(responses.map((response) => response.respondent.uuid))).toEqual(
            truth.respondents(id),
          );
          for (const uuid of truth.respondents(id)) everybody.add(uuid);
        }
        for (const uuid of [...everybody].slice(0, 5)) {
          const theirs = await walk(client, `/respondents/${uuid}/responses?items_per_page=${one.size}`);
          expect(new Set(theirs.items.map((item) => responseOf(item).uuid))).toEqual(
            new Set(truth.responsesOf(uuid).map((response) => response.uuid)),
          );
          const attributes = await walk(client, `/respondents/${uuid}/attributes?items_per_page=${one.size}`);
          const records = attributes.items as { id: number }[];
          const distinct = records.filter(
            ({ id }, place) => records.findIndex((other) => other.id === id) === place,
          );
          expect(distinct).toEqual(truth.attributes(uuid));
        }
      }),
      { numRuns: 150 },
    );
  });
});
