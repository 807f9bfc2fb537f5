import { color, drawn, SERIES_COLORS } from "./picture.ts";

/** Beside the colours, so that nobody has to tell series by colour alone. */
const SERIES_DASHES = [
  [1, 0],
  [7, 3],
  [2, 3],
  [9, 3, 2, 3],
];
const SERIES_SHAPES = ["circle", "square", "triangle-up", "diamond"];

/** A score of one question in one month. */
export interface MonthlyScore {
  readonly name: string;
  /** Which colour, dashes and symbol its line has. */
  readonly look: number;
  /** Such as 2026-09. */
  readonly month: string;
  readonly score: number;
}

export interface ScoreChart {
  /** Of the vertical axis. */
  readonly title: string;
  readonly range: readonly [lowest: number, highest: number];
  readonly written: (score: number) => string;
}

const [SCORE_WIDTH, SCORE_HEIGHT] = [520, 280];
/** The space that a label needs, in pixels. */
const LINE_HEIGHT = 17;

/** A line for each question over the months, each with its name at its end, as a Vega-Lite chart. */
export function scoreChart(scores: readonly MonthlyScore[], chart: ScoreChart): object {
  const looks = new Map(scores.map(({ name, look }) => [name, look]));
  const named = <Value>(range: readonly Value[]) => ({
    field: "name",
    type: "nominal" as const,
    scale: {
      domain: [...looks.keys()],
      range: [...looks.values()].map((look) => range[look % range.length]!),
    },
    legend: null,
  });
  const series = { color: named(SERIES_COLORS) };
  const y = { field: "score", type: "quantitative" as const };
  return {
    // Fixed, so that the letters of all charts are of one size.
    autosize: { type: "none" },
    padding: { left: 60, right: 276, top: 10, bottom: 30 },
    width: SCORE_WIDTH,
    height: SCORE_HEIGHT,
    data: { values: [...scores] },
    encoding: {
      x: {
        field: "month",
        type: "ordinal",
        axis: { title: null, labelAngle: 0, grid: false, domain: false, ticks: false, labelPadding: 8 },
      },
      y: {
        ...y,
        scale: { domain: [...chart.range], nice: false },
        axis: { title: chart.title, tickCount: 5, domain: false, ticks: false },
      },
    },
    layer: [
      { mark: { type: "line", strokeWidth: 2.5 }, encoding: { ...series, strokeDash: named(SERIES_DASHES) } },
      {
        mark: { type: "point", filled: true, size: 60, opacity: 1 },
        encoding: { ...series, shape: named(SERIES_SHAPES) },
      },
      {
        data: { values: endLabels(scores, chart) },
        mark: { type: "text", align: "left", dx: 14, fontWeight: 600, fontSize: 13 },
        encoding: { ...series, text: { field: "text" } },
      },
    ],
  };
}

/** The last point of each question with its name, moved apart so that no label covers another. */
function endLabels(scores: readonly MonthlyScore[], { range, written }: ScoreChart): object[] {
  const last = new Map(scores.map((one) => [one.name, one]));
  const gap = ((range[1] - range[0]) * LINE_HEIGHT) / SCORE_HEIGHT;
  let below = Infinity;
  return [...last.values()]
    .toSorted((one, other) => other.score - one.score)
    .map(({ name, month, score }) => {
      below = Math.min(score, below - gap);
      return { name, month, score: below, text: `${written(score)}  ${name}` };
    });
}

/** When requests arrived, in milliseconds since the service started, and what happened meanwhile. */
export interface Requests {
  readonly requestsMs: readonly number[];
  readonly killedAtMs: number;
  readonly resumedAtMs: number;
  readonly allowancePerMinute: number;
}

const MINUTE_MS = 60_000;
const STEP_MS = 250;
const REQUESTS_WIDTH = 640;

/** How many requests arrived in the minute before a moment. */
const inTheMinuteBefore = (requestsMs: readonly number[], atMs: number): number =>
  requestsMs.filter((ms) => ms <= atMs && ms > atMs - MINUTE_MS).length;

/** The most requests that arrived in any minute. */
export const busiestMinute = (requestsMs: readonly number[]): number =>
  Math.max(0, ...requestsMs.map((ms) => inTheMinuteBefore(requestsMs, ms)));

/** How many requests arrived in each second. */
export function perSecond(requestsMs: readonly number[]): number[] {
  const seconds = Math.ceil((Math.max(0, ...requestsMs) + 1) / 1_000);
  const counts = Array.from({ length: seconds }, () => 0);
  for (const ms of requestsMs) counts[Math.floor(ms / 1_000)]! += 1;
  return counts;
}

/** The requests of the last minute beside the allowance, and the requests of each second below. */
export function requestChart(requests: Requests): Promise<string> {
  const { requestsMs, allowancePerMinute } = requests;
  const counts = perSecond(requestsMs);
  const x = {
    field: "second",
    type: "quantitative" as const,
    scale: { domain: [0, counts.length], nice: false },
  };
  const spec = {
    spacing: 28,
    vconcat: [
      {
        width: REQUESTS_WIDTH,
        height: 200,
        layer: [
          minuteLine(requests, counts.length, x),
          allowance(allowancePerMinute),
          ...moments(requests, allowancePerMinute, x),
        ],
      },
      {
        width: REQUESTS_WIDTH,
        height: 90,
        data: { values: counts.map((count, second) => ({ second, end: second + 1, count })) },
        mark: { type: "rect", fill: SERIES_COLORS[1], stroke: color("paper"), strokeWidth: 1 },
        encoding: {
          x: { ...x, axis: { title: "seconds", grid: false, tickMinStep: 1 } },
          x2: { field: "end" },
          y: {
            field: "count",
            type: "quantitative",
            axis: { title: "in each second", tickCount: 3, domain: false, ticks: false },
          },
          y2: { datum: 0 },
        },
      },
    ],
  };
  const label = `Requests in the last minute: at most ${busiestMinute(requestsMs)}, and ${allowancePerMinute} are allowed. Below, the requests of each second: none between the kill and the resume.`;
  return drawn(spec, label);
}

function minuteLine({ requestsMs }: Requests, seconds: number, x: object): object {
  const values = Array.from({ length: (seconds * 1_000) / STEP_MS + 1 }, (_, step) => ({
    second: (step * STEP_MS) / 1_000,
    count: inTheMinuteBefore(requestsMs, step * STEP_MS),
  }));
  return {
    data: { values },
    mark: {
      type: "area",
      fill: SERIES_COLORS[0],
      fillOpacity: 0.18,
      line: { stroke: SERIES_COLORS[0], strokeWidth: 2.5 },
    },
    encoding: {
      x: {
        ...x,
        axis: { title: null, labels: false, ticks: false, grid: false, domainColor: color("faint") },
      },
      y: {
        field: "count",
        type: "quantitative",
        axis: { title: "in the last minute", tickCount: 5, domain: false, ticks: false },
      },
    },
  };
}

const allowance = (perMinute: number): object => ({
  data: { values: [{ count: perMinute }] },
  encoding: { y: { field: "count", type: "quantitative" } },
  layer: [
    { mark: { type: "rule", strokeDash: [6, 4], strokeWidth: 1.5 } },
    {
      mark: { type: "text", align: "left", baseline: "bottom", x: 6, dy: -4, fontWeight: 600 },
      encoding: { text: { value: `allowed: ${perMinute.toLocaleString("en-US")} a minute` } },
    },
  ],
});

/** Vertical lines at the kill and at the resume. */
function moments({ killedAtMs, resumedAtMs }: Requests, top: number, x: object): object[] {
  const values = [
    { second: killedAtMs / 1_000, what: "killed ✕", align: "right" },
    { second: resumedAtMs / 1_000, what: "▶ resumed", align: "left" },
  ];
  return values.map(({ align, ...value }) => ({
    data: { values: [value] },
    encoding: { x },
    layer: [
      { mark: { type: "rule", stroke: color("ink"), strokeWidth: 1.5 } },
      {
        mark: { type: "text", align, dx: align === "left" ? 6 : -6, fontWeight: 600 },
        encoding: { y: { datum: top * 0.86 }, text: { field: "what" } },
      },
    ],
  }));
}
