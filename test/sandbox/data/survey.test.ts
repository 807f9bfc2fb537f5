import { describe, expect, it } from "vitest";
import type { GeneratedResponses } from "../../../sandbox/index.ts";
import { inProcess, pageOf, walk } from "../support/client.ts";
import { responses } from "../support/responses.ts";

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
