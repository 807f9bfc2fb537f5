import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QUESTION_TYPES } from "../../connector/core/answers/answer-fields.ts";
import { DOCUMENTED_KINDS } from "../../connector/core/answers/answer-kinds.ts";
import { answerRows } from "../../connector/core/index.ts";
import { createService, DIALECTS, exampleSurveys, expectedKeys, SURVEY_IDS } from "../../sandbox/index.ts";
import { connected, responseOf } from "./support/client.ts";

const [FIRST] = SURVEY_IDS;
const generated = (seed: number, count: number, respondents = 30) => ({
  seed,
  count,
  respondents,
  density: "even" as const,
  from: "2024-01-01T00:00:00.000000Z",
  to: "2026-01-01T00:00:00.000000Z",
});

const changes = fc.record({
  count: fc.integer({ min: 0, max: 150 }),
  seed: fc.integer({ min: 0, max: 1_000 }),
  collected: fc.array(fc.tuple(fc.constantFrom("1", "2"), fc.integer({ min: 0, max: 9 }), fc.boolean()), {
    maxLength: 4,
  }),
  removed: fc.array(fc.integer({ min: 0, max: 149 }), { maxLength: 10 }),
  size: fc.integer({ min: 6, max: 100 }),
});

describe.each(DIALECTS)("in the dialect %s", (dialect) => {
  it("the pages of all lists have exactly the truth, whatever was added and removed", async () => {
    await fc.assert(
      fc.asyncProperty(changes, async ({ count, seed, collected, removed, size }) => {
        const service = createService({
          dialect,
          seed,
          limits: false,
          surveys: [
            { id: "1", content: "little", responses: generated(seed, count) },
            { id: "2", content: "little", responses: generated(seed + 1, count) },
          ],
        });
        const { truth, apiKey } = service;
        for (const [id, more, late] of collected) {
          service.collect(id, late ? { count: more, lateByMs: 86_400_000 } : more);
        }
        const gone = removed.flatMap((place) => [...truth.responses("1")][place]?.uuid ?? []);
        expect(service.remove({ responses: gone })).toBe(new Set(gone).size);

        /** Each item of a list once, by its id. */
        const read = async (list: string): Promise<Map<unknown, unknown>> => {
          const items = new Map<unknown, unknown>();
          let next: string | undefined = `${list}?items_per_page=${size}`;
          while (next !== undefined) {
            const url: string = `/v2/${next.replace(/^\//, "")}`;
            const { body } = await service.handle({ url, headers: { authorization: `Basic ${apiKey}` } });
            const { pagination_data, data } = JSON.parse(body);
            for (const item of data.map(responseOf)) items.set(item.uuid ?? item.id, item.collected_at);
            next = pagination_data.has_more ? pagination_data.next_url : undefined;
          }
          return items;
        };
        for (const id of truth.surveyIds()) {
          const there = truth.responses(id).map(({ uuid, collected_at }) => [uuid, collected_at] as const);
          expect(await read(`/surveys/${id}/responses`)).toEqual(new Map(there));
        }
        for (const uuid of [...truth.respondents("1")].slice(0, 5)) {
          const theirs = truth.responsesOf(uuid).map((response) => response.uuid);
          expect(new Set((await read(`/respondents/${uuid}/responses`)).keys())).toEqual(new Set(theirs));
          const ids = truth.attributes(uuid)!.map(({ id }) => id);
          expect([...(await read(`/respondents/${uuid}/attributes`)).keys()]).toEqual(ids);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("an end has an effect, or has none", async () => {
    const { walk } = await connected({ dialect });
    const pages = await walk(
      `/surveys/${FIRST}/responses?items_per_page=100&end=2026-08-01T00:00:00.000000Z`,
    );
    expect(pages.length).toBe(dialect === "ignores_end" ? 3 : 1);
  });

  it("items, links and last pages have the dialect's form", async () => {
    const { page } = await connected({ dialect });
    const [first, last] = [
      await page(`/surveys/${FIRST}/responses?items_per_page=2&attributes[]=plan`),
      await page(`/surveys/${FIRST}/responses?items_per_page=2&start=2023-03-01T00:00:00.000000Z`),
    ];
    const asRecorded = dialect === "as_recorded" || dialect === "without_lists";
    expect(Object.keys(first.data[0])).toEqual(
      asRecorded || dialect === "flat_items"
        ? expect.arrayContaining(["uuid", "answers"])
        : ["survey", "response"],
    );
    expect(first.pagination_data.next_url).toContain(`&attributes[${asRecorded ? "0" : ""}]=plan`);
    expect(first.pagination_data.next_url!.startsWith("/")).toBe(dialect !== "flat_items");
    expect(first.pagination_data.next_url!.includes("&cursor=")).toBe(dialect === "links_by_item");
    const { next_url } = last.pagination_data;
    expect(last.pagination_data.has_more).toBe(false);
    expect(typeof next_url).toBe(
      dialect === "flat_items" ? "string" : dialect === "links_by_item" ? "object" : "undefined",
    );
  });
});

it.each([
  ["links_by_item", true],
  ["as_documented", false],
  ["flat_items", false],
] as const)(
  "whether links of %s get past more responses of one microsecond than a page holds: %s",
  async (dialect, gets) => {
    const responses = Array.from({ length: 7 }, () => ({ collected_at: "2026-01-01T00:00:00.000000Z" }));
    const { walk } = await connected({ dialect, surveys: [{ id: "1", responses }] });
    const walked = walk("/surveys/1/responses?items_per_page=3");
    if (gets) expect(await walked).toHaveLength(3);
    else await expect(walked).rejects.toThrow("came again");
  },
);

describe("made-up data", () => {
  it("is the same for a seed, and has every kind of answer and question", () => {
    const answersOf = (seed: number) => {
      const { truth } = createService({ surveys: exampleSurveys(200, seed), seed });
      return truth.surveyIds().flatMap((id) => truth.answers(id).flatMap(({ answers }) => answers));
    };
    const answers = answersOf(1);
    expect(answersOf(1)).toEqual(answers);
    expect(answersOf(2)).not.toEqual(answers);
    const rows = answerRows(answers);
    expect(new Set(rows.map(({ answer_type }) => answer_type))).toEqual(new Set(DOCUMENTED_KINDS));
    const types = (answers as { question_type: string }[]).map(({ question_type }) => question_type);
    expect(new Set(types)).toEqual(
      new Set([...QUESTION_TYPES, "nps", "text", "date", "form", "matrix", "button"]),
    );
  });

  it("that is collected is newer than all else, or late, or of now", () => {
    const service = createService({ surveys: exampleSurveys(50, 1) });
    const { truth } = service;
    const collect = service.collect.bind(service);
    const timesOf = (uuids: readonly string[]) =>
      [...truth.responses(FIRST)].filter(({ uuid }) => uuids.includes(uuid)).map(({ micros }) => micros);
    const newest = truth.newest(1)[0]!.micros;
    expect(Math.min(...timesOf(collect(FIRST, 3)))).toBeGreaterThan(newest);
    const own = [...truth.responses(FIRST)].at(-1)!.micros;
    expect(timesOf(collect(FIRST, { count: 1, lateByMs: 60_000 }))).toEqual([own - 60_000_000]);
    const present = Date.UTC(2027, 0, 1) * 1_000;
    expect(timesOf(collect(FIRST, { count: 2, now: true }))).toEqual([present - 2, present - 1]);
    expect(timesOf(collect(FIRST, { count: 1, now: true }))).toEqual([present]);
  });
});

it("a response that is being given shows its first answers in all lists, and the truth has all of them", async () => {
  const answers = [1, 2, 3].map((question_id) => ({ question_id, answer: "x" }));
  const given = { uuid: "a", respondent_uuid: "p", collected_at: "2026-01-01T00:00:00.000000Z" };
  const { sandbox, page } = await connected({ surveys: [{ id: "1", responses: [] }], cachePages: true });
  const { service } = sandbox;
  const seen = async () => {
    const lists = ["/surveys/1/responses", "/respondents/p/responses"].map(page);
    const shown = (await Promise.all(lists)).map(({ data }) => data.map(responseOf));
    for (const [{ uuid, collected_at }] of shown)
      expect([uuid, collected_at]).toEqual(["a", given.collected_at]);
    return shown.map(([{ answers: one }]) => one);
  };
  service.collect("1", [{ ...given, answersShown: 1, fields: { answers } }]);
  expect(await seen()).toEqual([answers.slice(0, 1), answers.slice(0, 1)]);
  expect(service.grow(1)).toBe(1);
  expect(await seen()).toEqual([answers.slice(0, 2), answers.slice(0, 2)]);
  expect(expectedKeys(service.truth).get("survey_answers")?.size).toBe(3);
  expect(service.grow()).toBe(1);
  expect(service.grow()).toBe(0);
  expect(await seen()).toEqual([answers, answers]);
});
