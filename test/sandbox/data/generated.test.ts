import { describe, expect, it } from "vitest";
import { createService, type Density } from "../../../sandbox/index.ts";
import { parseTimestamp } from "../../../sandbox/time.ts";
import { inProcess, walk } from "../support/client.ts";
import { responses } from "../support/responses.ts";

describe("generated data", () => {
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
