import { describe, expect, test } from "vitest";
import { npsByMonthChart, peersChart } from "../../../tools/generate/charts.ts";

/** The widths and heights of the bars, in pixels. */
const barsOf = (svg: string): { width: number; height: number }[] =>
  [...svg.matchAll(/d="M[\d.]+,[\d.]+h([\d.]+)v([\d.]+)h-[\d.]+Z" fill="#/g)].map(([, width, height]) => ({
    width: Number(width),
    height: Number(height),
  }));

describe("the chart of the NPS by month", () => {
  const survey_name = 'A & "B" <C>';
  const rows = [
    { survey_name, question: "Would you recommend us?", month: "2026-01-01", nps: -20 },
    { survey_name, question: "Would you recommend us?", month: "2026-02-01", nps: 40 },
    { survey_name, question: "And <this>?", month: "2026-02-01", nps: 0 },
  ];

  test("is the same text each time, with a label, and a colour for light and for dark", async () => {
    const svg = await npsByMonthChart(rows);
    expect(await npsByMonthChart(rows)).toBe(svg);
    expect(svg).toMatch(/^<svg role="img" aria-label="[^"]{20,}"/);
    expect(svg).toContain("<style>@media (prefers-color-scheme:dark){");
    expect(svg).not.toMatch(/NaN|Infinity|undefined|var\(/);
  });

  test("spells what means something in SVG", async () => {
    expect(await npsByMonthChart(rows)).toContain('A &amp; "B" &lt;C&gt;');
  });
});

describe("the chart of the peers", () => {
  const page = (short: number, long: number): string =>
    `# P\n\n## One\n\n| reader | time |\n| a reader | ${short} s |\n\n## Two\n\n| a reader | ${long} s |\n`;

  test("has one scale: seven times as long is seven times the time, in whichever scenario", async () => {
    const [short, long] = barsOf(await peersChart(page(18, 126)));
    expect(long!.width / short!.width).toBeCloseTo(7, 1);
  });

  test("is refused for a page without times", () => {
    expect(() => peersChart("# P\n\n## One\n")).toThrow("The page has no times.");
  });
});
