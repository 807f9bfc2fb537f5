import { describe, expect, it } from "vitest";
import { ANSWER_KINDS, QUESTION_TYPES, readableAnswerRows } from "../../connector/core/index.ts";
import { DEVICE_TYPES, OPERATING_SYSTEMS } from "../../sandbox/data/record.ts";
import { numberOf, uuidOf } from "../../sandbox/data/uuid.ts";
import { createService, type Density, exampleSurveys, type GeneratedResponses } from "../../sandbox/index.ts";
import { formatTimestamp, parseTimestamp } from "../../sandbox/timestamp.ts";
import { inProcess, pageOf, walk } from "./test-client.ts";

const responses: GeneratedResponses = {
  seed: 11,
  count: 2_000,
  density: "even",
  from: "2023-01-01T00:00:00.000000Z",
  to: "2026-01-01T00:00:00.000000Z",
  respondents: 500,
};

describe("a timestamp", () => {
  it("keeps its microseconds through reading and writing, on either side of the epoch", () => {
    for (const text of [
      "2026-09-30T06:07:52.518975Z",
      "1969-12-31T23:59:59.999999Z",
      "2024-02-29T00:00:00.000000Z",
    ]) {
      expect(formatTimestamp(parseTimestamp(text)!)).toBe(text);
    }
    expect(parseTimestamp("1969-12-31T23:59:59.999999Z")).toBe(-1);
  });

  it("is written as short as the service chooses", () => {
    const micros = parseTimestamp("2026-01-01T00:00:00.120000Z")!;
    expect([
      formatTimestamp(micros, "millis"),
      formatTimestamp(micros, "shortest"),
      formatTimestamp(micros, "seconds"),
    ]).toEqual(["2026-01-01T00:00:00.120Z", "2026-01-01T00:00:00.12Z", "2026-01-01T00:00:00Z"]);
  });
});

describe("an id", () => {
  it("is a UUID of version 4 from which its number comes back, under its own seed alone", () => {
    for (const number of [0, 1, 97, 16_777_215, 16_777_216, 9_999_999, 2 ** 47]) {
      const uuid = uuidOf(5, number);
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(numberOf(5, uuid)).toBe(number);
      expect(numberOf(6, uuid)).toBeUndefined();
    }
    expect(new Set(Array.from({ length: 20_000 }, (_, number) => uuidOf(1, number))).size).toBe(20_000);
  });
});

describe("generated data", () => {
  it("is the same for the same seed and other for another", async () => {
    const texts = await Promise.all(
      [1, 1, 2].map(async (seed) => {
        const client = await inProcess({ seed, surveys: [{ id: "1", responses }] });
        const { pages } = await walk(client, "/surveys/1/responses?items_per_page=100&attributes[]=plan");
        return JSON.stringify(pages);
      }),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it("holds every kind of answer, all enumerations, and languages present and absent", async () => {
    const client = await inProcess({ surveys: [{ id: "1", responses }] });
    const { items } = await walk(client, "/surveys/1/responses?items_per_page=100&attributes[]=plan");
    // biome-ignore lint/suspicious/noExplicitAny: items are looked at in every detail
    const all = items.map((item: any) => item.response);
    expect(new Set(all.map(({ device_type }) => device_type))).toEqual(new Set(DEVICE_TYPES));
    expect(new Set(all.map(({ operating_system }) => operating_system))).toEqual(new Set(OPERATING_SYSTEMS));
    expect(new Set(all.map((response) => "language" in response))).toEqual(new Set([true, false]));
    expect(all.some(({ attributes }) => attributes.length > 0)).toBe(true);
    expect(all.some(({ respondent }) => respondent.attributes.length > 0)).toBe(true);
    expect(all.some(({ answers }) => answers.length === 0)).toBe(true);
    const answers = all.flatMap((response) => response.answers);
    expect(new Set(answers.map(({ question_type }) => question_type))).toEqual(new Set(QUESTION_TYPES));
    const types = readableAnswerRows(answers).rows.map(({ answer_type }) => answer_type);
    expect(new Set(types)).toEqual(new Set(Object.keys(ANSWER_KINDS)));
  });

  it("knows respondents with a few attributes and with hundreds, with ids that fall and string values", async () => {
    const client = await inProcess({ surveys: [{ id: "1", responses }] });
    const counts = new Set<string>();
    for (const uuid of client.service.truth.respondents("1")) {
      const records = client.service.truth.attributes(uuid)!;
      counts.add(records.length < 20 ? "few" : "hundreds");
      if (records.length > 100) {
        const first = pageOf(await client.get(`/respondents/${uuid}/attributes?items_per_page=100`));
        const ids = first.data.map(({ id }) => id);
        expect(ids).toEqual([...ids].sort((a, b) => b - a));
        expect(first.data.every(({ value }) => typeof value === "string")).toBe(true);
        expect(first.pagination_data.has_more).toBe(true);
      }
    }
    expect(counts).toEqual(new Set(["few", "hundreds"]));
  });

  it("gives every respondent a plan, a country and a role, each with a handful of values", () => {
    const { truth } = createService({ surveys: [{ id: "1", responses }] });
    const values: Record<string, Map<string, number>> = {
      plan: new Map(),
      country: new Map(),
      role: new Map(),
    };
    for (const uuid of truth.respondents("1")) {
      const attributes = new Map(truth.attributes(uuid)!.map(({ name, value }) => [name, value]));
      for (const [name, counts] of Object.entries(values)) {
        const value = attributes.get(name)!;
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
    }
    expect([...values.plan!.keys()].sort()).toEqual(["enterprise", "free", "pro", "starter"]);
    for (const counts of Object.values(values)) {
      expect(counts.size).toBeGreaterThan(3);
      expect(counts.size).toBeLessThan(8);
      expect(Math.min(...counts.values())).toBeGreaterThan(5);
    }
  });

  it("holds scores from 0 to 10, comments, and a net promoter score that differs from survey to survey", async () => {
    const client = await inProcess({ limits: false, surveys: exampleSurveys(1_000, 1) });
    const netScores: number[] = [];
    for (const id of client.service.truth.surveyIds()) {
      const { items } = await walk(client, `/surveys/${id}/responses?items_per_page=100`);
      // biome-ignore lint/suspicious/noExplicitAny: answers are looked at in every detail
      const answers = items.flatMap((item: any) => item.response.answers);
      const scores = answers.flatMap(({ answer }) => (answer?.tag ? [answer] : []));
      expect(new Set(scores.map(({ content }) => content)).size).toBe(11);
      for (const { content, tag } of scores) {
        expect(tag).toBe(content < 7 ? "detractor" : content < 9 ? "passive" : "promoter");
      }
      expect(answers.filter(({ answer }) => answer?.comment).length).toBeGreaterThan(100);
      const count = (tag: string) => scores.filter((score) => score.tag === tag).length;
      netScores.push((100 * (count("promoter") - count("detractor"))) / scores.length);
    }
    const rising = [...netScores].sort((one, other) => one - other);
    for (const [place, score] of rising.slice(1).entries())
      expect(score - rising[place]!).toBeGreaterThan(10);
    expect(rising[0]).toBeLessThan(0);
    expect(rising.at(-1)).toBeGreaterThan(30);
  });

  it("gives an option of a question one id and one text", async () => {
    const client = await inProcess({ surveys: [{ id: "1", responses }] });
    const { items } = await walk(client, "/surveys/1/responses?items_per_page=100");
    const texts = new Map<number, string>();
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked at in every detail
    for (const { answer, answers } of items.flatMap((item: any) => item.response.answers)) {
      for (const { id, content } of [...(answers ?? []), ...(answer?.id ? [answer] : [])]) {
        expect(texts.get(id) ?? content).toBe(content);
        texts.set(id, content);
      }
    }
    expect(texts.size).toBeGreaterThan(20);
  });

  it("has respondents who answered often, and in several surveys, and respondents who never did", () => {
    const second = { ...responses, seed: 12 };
    const few = { ...responses, seed: 13, count: 10 };
    const { truth } = createService({
      surveys: [
        { id: "1", responses },
        { id: "2", responses: second },
        { id: "3", responses: few },
      ],
    });
    const perPerson = new Map<string, number>();
    for (const response of truth.responses("1")) {
      perPerson.set(response.respondent_uuid, (perPerson.get(response.respondent_uuid) ?? 0) + 1);
    }
    expect(perPerson.size).toBeGreaterThan(450);
    expect(Math.max(...perPerson.values())).toBeGreaterThan(10);
    const both = [...truth.respondents("2")].filter((uuid) => perPerson.has(uuid));
    expect(both.length).toBeGreaterThan(400);
    expect(truth.respondents("3").size).toBeLessThanOrEqual(10);
  });

  it("has identical microseconds, some on either side of a page bound", async () => {
    const client = await inProcess({ surveys: [{ id: "1", responses }] });
    const { pages } = await walk(client, "/surveys/1/responses?items_per_page=7");
    const straddled = pages.slice(1).filter((page, place) => {
      const last = pages[place]?.data.at(-1).response;
      return page.data[0].response.collected_at === last.collected_at;
    });
    expect(straddled.length).toBeGreaterThan(0);
  });

  it("lies in its range of time as its density says", () => {
    const share = (density: Density, from: number, to: number): number => {
      const { truth } = createService({ surveys: [{ id: "1", responses: { ...responses, density } }] });
      const [low, high] = [parseTimestamp(responses.from)!, parseTimestamp(responses.to)!];
      const places = [...truth.responses("1")].map(({ micros }) => (micros - low) / (high - low));
      expect(places.length).toBe(2_000);
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(places[0]).toBeGreaterThanOrEqual(0);
      expect(places.at(-1)).toBeLessThanOrEqual(1);
      return places.filter((place) => place >= from && place < to).length / places.length;
    };
    expect(share("even", 0, 0.5)).toBeCloseTo(0.5, 1);
    expect(share("growing", 0, 0.5)).toBeCloseTo(0.25, 1);
    expect(share("steep", 0, 0.5)).toBeLessThan(0.05);
    expect(share("old", 0, 0.11)).toBe(1);
    expect(share("bursts", 0.3, 0.3021)).toBeGreaterThan(0.19);
    expect(share("burst", 0.6, 0.6011)).toBeGreaterThan(0.97);
    expect(share("recent", 0.995, 1.1)).toBeGreaterThan(0.98);
  });
});

describe("a survey of two million responses", () => {
  const million: GeneratedResponses = {
    ...responses,
    count: 2_000_000,
    respondents: 600_000,
    density: "steep",
  };

  it("is served anywhere at once, with its people, in little memory", async () => {
    const before = process.memoryUsage().heapUsed;
    const client = await inProcess({
      limits: false,
      surveys: [
        { id: "1", responses: million },
        { id: "2", responses: { ...million, seed: 12 } },
      ],
    });
    const people = new Set<string>();
    for (let year = 2023; year < 2026; year += 1) {
      const page = pageOf(
        await client.get(`/surveys/1/responses?items_per_page=100&start=${year}-12-01T00:00:00.000000Z`),
      );
      expect(page.data).toHaveLength(100);
      for (const { response } of page.data) people.add(response.respondent.uuid);
    }
    for (const uuid of [...people].slice(0, 50)) {
      const { items } = await walk(client, `/respondents/${uuid}/responses?items_per_page=100`);
      expect(items.length).toBeGreaterThan(0);
      // biome-ignore lint/suspicious/noExplicitAny: items are looked at in every detail
      expect(items.every((item: any) => item.response.respondent.uuid === uuid)).toBe(true);
    }
    expect(client.service.truth.count("1")).toBe(2_000_000);
    expect(people.size).toBeGreaterThan(150);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150_000_000);
  });
});
