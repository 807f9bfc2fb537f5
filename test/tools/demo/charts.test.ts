import { expect, test } from "vitest";
import { busiestMinute, perSecond, scoreChart } from "../../../tools/demo/charts.ts";

test("the busiest minute is any minute, and not that of a clock", () => {
  expect(busiestMinute([0, 30_000, 59_999, 60_000, 89_999])).toBe(4);
  expect(busiestMinute([0, 60_000])).toBe(1);
  expect(busiestMinute([])).toBe(0);
});

test("every second is counted, also one without a request", () => {
  expect(perSecond([0, 999, 1_000, 3_500])).toEqual([2, 1, 0, 1]);
});

test("the names at the ends of two lines that meet do not cover each other", () => {
  const scores = ["A", "B", "C"].map((name, look) => ({ name, look, month: "2026-05", score: 50 }));
  const chart = scoreChart(scores, { title: "NPS", range: [-100, 100], written: String });
  const { layer, height } = chart as {
    readonly height: number;
    readonly layer: readonly { readonly data?: { readonly values: readonly { readonly score: number }[] } }[];
  };
  const labels = layer.flatMap(({ data }) => data?.values ?? []).map(({ score }) => (score * height) / 200);
  expect(labels).toHaveLength(3);
  for (const [place, at] of labels.slice(1).entries()) expect(labels[place]! - at).toBeGreaterThanOrEqual(13);
});
