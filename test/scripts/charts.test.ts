import { describe, expect, test } from "vitest";
import { heatTable, lineChart, stackedBars } from "../../scripts/charts.ts";

describe("a chart", () => {
  test.each([
    ["one label", ["a"], [{ name: "x", values: [5] }]],
    ["only zeros", ["a", "b"], [{ name: "x", values: [0, 0] }]],
    ["gaps", ["a", "b", "c"], [{ name: "x", values: [1, null, -3] }]],
    ["no series", ["a"], []],
  ])("of %s has a place for each of its parts", (_, labels, series) => {
    for (const chart of [lineChart("t", labels, series), stackedBars("t", labels, series)]) {
      expect(chart).not.toMatch(/NaN|Infinity|undefined/);
      for (const label of labels) expect(chart).toContain(`>${label}</text>`);
    }
  });

  test("spells what means something in SVG", () => {
    expect(heatTable('A & "B" <C>', ["r"], ["c"], () => 0)).toContain("A &amp; &quot;B&quot; &lt;C>");
  });

  test("draws a line as high as its values say", () => {
    const points = /points="([^"]+)"/.exec(
      lineChart("t", ["a", "b", "c"], [{ name: "x", values: [0, 50, 100] }]),
    )?.[1];
    const heights = points!.split(" ").map((point) => Number(point.split(",")[1]));
    expect(heights[0]! - heights[1]!).toBeCloseTo(heights[1]! - heights[2]!, 6);
    expect(heights[0]).toBeGreaterThan(heights[2]!);
  });
});
