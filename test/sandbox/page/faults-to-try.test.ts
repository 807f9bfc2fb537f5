import { describe, expect, it } from "vitest";
import { createService } from "../../../sandbox/index.ts";
import { FAULTS_TO_TRY } from "../../../sandbox/page/faults-to-try.ts";
import { list, respondents, surveys } from "../support/six-responses.ts";

describe("each fault of the page", () => {
  const offered = Object.values(FAULTS_TO_TRY).flat();

  it("has a name of its own", () => {
    expect(offered.length).toBeGreaterThan(11);
    expect(new Set(offered.map(({ fault }) => fault.name)).size).toBe(offered.length);
  });

  it.each(offered)("changes answers: $title", async ({ fault }) => {
    const service = createService({ surveys, limits: false });
    service.addFaults(fault);
    for (let asked = 0; asked < 12; asked += 1) {
      for (const path of [list, `/respondents/${respondents[0]?.uuid}/attributes`]) {
        const headers = { authorization: `Basic ${service.apiKey}` };
        await service.handle({ url: `/v2${path}`, headers }).catch(() => {});
      }
    }
    expect(service.stats.faults).toBeGreaterThan(0);
  });
});
