import { describe, expect, it } from "vitest";
import { createService } from "../../../sandbox/index.ts";
import { inProcess, pageOf } from "../support/client.ts";
import { responses } from "../support/responses.ts";

describe("generated respondents", () => {
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
});
