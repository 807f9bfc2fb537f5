import { describe, expect, test } from "vitest";
import { peersChart, QUESTION_CHARTS } from "../../../tools/generate/charts.ts";

const HOSTILE = 'A & "B" <C>';
const ROWS = {
  nps_by_month: [
    { survey_name: HOSTILE, question: "Would you recommend us?", month: "2026-01-01", nps: -20 },
    { survey_name: HOSTILE, question: "Would you recommend us?", month: "2026-02-01", nps: 40 },
    { survey_name: HOSTILE, question: "And <this>?", month: "2026-02-01", nps: 0 },
  ],
  answers_by_device: [
    { device_type: HOSTILE, answer: "Easy", answers: 1 },
    { device_type: HOSTILE, answer: "Hard", answers: 3 },
  ],
  matrix: [
    { part: HOSTILE, grade: "Good", answers: 7 },
    { part: "Price", grade: "Poor", answers: 2 },
  ],
  responses_by_week: [
    { week: "2026-01-05", survey_name: HOSTILE, responses: 3 },
    { week: "2026-01-05", survey_name: "Support", responses: 1 },
    { week: "2026-01-12", survey_name: "Support", responses: 2 },
  ],
};
const drawn = (name: keyof typeof ROWS): Promise<string> => QUESTION_CHARTS[name]!(ROWS[name]);

/** The widths and heights of the bars, in pixels. */
const barsOf = (svg: string): { width: number; height: number }[] =>
  [...svg.matchAll(/d="M[\d.]+,[\d.]+h([\d.]+)v([\d.]+)h-[\d.]+Z" fill="#/g)].map(([, width, height]) => ({
    width: Number(width),
    height: Number(height),
  }));

describe.each(Object.keys(ROWS) as (keyof typeof ROWS)[])("the chart %s", (name) => {
  test("is the same text each time, with a label, and a colour for light and for dark", async () => {
    const svg = await drawn(name);
    expect(await drawn(name)).toBe(svg);
    expect(svg).toMatch(/^<svg role="img" aria-label="[^"]{20,}"/);
    expect(svg).toContain("<style>@media (prefers-color-scheme:dark){");
    expect(svg).not.toMatch(/NaN|Infinity|undefined|var\(/);
  });

  test("spells what means something in SVG", async () => {
    expect(await drawn(name)).toContain('A &amp; "B" &lt;C&gt;');
  });
});

test("every chart of the page of questions is drawn here", () => {
  expect(Object.keys(QUESTION_CHARTS)).toEqual(Object.keys(ROWS));
});

test("bars are as long as their numbers say, a week is seven days wide, and nothing is left out", async () => {
  const weeks = barsOf(await drawn("responses_by_week"));
  expect(weeks.map(({ height }) => height / weeks[1]!.height)).toEqual([
    ...[expect.closeTo(3, 3), 1, expect.closeTo(2, 3)],
  ]);
  expect(weeks[0]!.width).toBeCloseTo(560 / 2, 0);
  const [easy, hard] = barsOf(await drawn("answers_by_device"));
  expect(hard!.height / easy!.height).toBeCloseTo(3, 3);
});

test("a grade that nobody gave is a 0", async () => {
  const numbers = [...(await drawn("matrix")).matchAll(/>(\d+)<\/text>/g)].map(([, number]) =>
    Number(number),
  );
  expect(numbers.toSorted((one, other) => one - other)).toEqual([0, 0, 0, 0, 0, 0, 2, 7]);
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
