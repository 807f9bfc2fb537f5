import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { counted, escaped } from "./terminal.ts";

/** The colours of charts and of the page, for light and for dark. A text in any of the series can be read. */
export const PALETTE = {
  paper: ["#ffffff", "#12181f"],
  card: ["#f4f6f8", "#1c252f"],
  ink: ["#1c2733", "#e6edf3"],
  soft: ["#51606f", "#a3b1bf"],
  faint: ["#dde3e9", "#303c48"],
  "series-1": ["#1a5fb4", "#7cb7ff"],
  "series-2": ["#b3530b", "#f2a65a"],
  "series-3": ["#26734d", "#6fcf97"],
  "series-4": ["#86399e", "#d7a6f2"],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

export type ColorName = keyof typeof PALETTE;
export const COLOR_NAMES = Object.keys(PALETTE) as ColorName[];

/** A colour of the palette in a chart: a CSS variable of the page. */
export const color = (name: ColorName): string => `var(--${name})`;
export const SERIES_COLORS = COLOR_NAMES.filter((name) => name.startsWith("series-")).map(color);
/** Beside the colours, so that nobody has to tell series by colour alone. */
const SERIES_DASHES = [
  [1, 0],
  [7, 3],
  [2, 3],
  [9, 3, 2, 3],
];
const SERIES_SHAPES = ["circle", "square", "triangle-up", "diamond"];

const CONFIG = {
  background: "transparent",
  padding: 10,
  aria: false,
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    domainColor: color("ink"),
    gridColor: color("faint"),
    tickColor: color("ink"),
    labelColor: color("ink"),
    titleColor: color("ink"),
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
  },
  legend: { labelColor: color("ink"), labelFontSize: 12, title: null },
  text: { color: color("ink"), fontSize: 12 },
  rule: { stroke: color("ink") },
} as const;

/** How wide a text is. Vega would measure it with the fonts of the machine, if it could. */
interface TextMetrics {
  width(item: { readonly fontSize?: number }, text: unknown): number;
}
const { textMetrics } = vega as unknown as { textMetrics: TextMetrics };
textMetrics.width = ({ fontSize = 11 }, text) => Math.round(0.58 * fontSize * String(text ?? "").length);

/**
 * Draws a Vega-Lite chart as SVG without scripts, for a page that has the palette's variables: the same specification
 * gives the same text on every machine. The label says in a sentence what the chart shows.
 */
export async function drawn(spec: object, label: string): Promise<string> {
  const { spec: compiled } = compile({ ...spec, config: CONFIG } as TopLevelSpec);
  const svg = await new vega.View(vega.parse(compiled), { renderer: "none" }).toSVG();
  const plain = svg.replace(/<[^>]+>/g, (tag) =>
    tag
      .replaceAll(/ (role|aria-[a-z]+)="[^"]*"/g, "")
      .replaceAll(/\d+\.\d{3,}/g, (number) => String(Math.round(Number(number) * 100) / 100)),
  );
  return plain.replace("<svg ", `<svg role="img" aria-label="${escaped(label)}" `);
}

/** A score of one question in one month. */
export interface MonthlyScore {
  readonly name: string;
  /** Which colour, dashes and symbol its line has. */
  readonly look: number;
  /** Such as 2026-09. */
  readonly month: string;
  readonly score: number;
  /** How many answers it is made of. */
  readonly answers?: number;
}

export interface ScoreChart {
  /** Of the vertical axis. */
  readonly title: string;
  readonly range: readonly [lowest: number, highest: number];
  readonly written: (score: number) => string;
  /** For a phone: the names stand below. Otherwise each stands at the end of its line. */
  readonly isNarrow?: boolean;
}

/** The chart says how many answers a month has if a question has fewer than this. */
export const FEW_ANSWERS = 20;
/** The space that a label needs, in pixels. */
const LINE_HEIGHT = 17;
const HEIGHT = 280;

/** A line for each question over the months, as a Vega-Lite chart. */
export function scoreChart(scores: readonly MonthlyScore[], chart: ScoreChart): object {
  const { title, range, isNarrow = false } = chart;
  const looks = new Map(scores.map(({ name, look }) => [name, look]));
  const named = <Value>(values: readonly Value[]) => ({
    field: "name",
    type: "nominal",
    scale: {
      domain: [...looks.keys()],
      range: [...looks.values()].map((look) => values[look % values.length]!),
    },
    legend: isNarrow ? { orient: "bottom", columns: 1, labelLimit: 0, symbolSize: 90, offset: 24 } : null,
  });
  const series = { color: named(SERIES_COLORS) };
  const few = scores.filter(({ answers = FEW_ANSWERS }) => answers < FEW_ANSWERS);
  const names = isNarrow ? 12 + LINE_HEIGHT * looks.size : 0;
  const monthLabels = isNarrow ? { labelExpr: "monthAbbrevFormat(toNumber(slice(datum.value, 5)) - 1)" } : {};
  return {
    // Fixed, so that the letters of all charts are of one size.
    autosize: { type: "none" },
    padding: {
      left: isNarrow ? 50 : 60,
      right: isNarrow ? 42 : 276,
      top: 10,
      bottom: (few.length > 0 ? 46 : 30) + names,
    },
    width: isNarrow ? 242 : 520,
    height: HEIGHT,
    data: { values: [...scores] },
    encoding: {
      x: {
        field: "month",
        type: "ordinal",
        axis: {
          ...{ title: null, labelAngle: 0, grid: false, domain: false, ticks: false, labelPadding: 8 },
          ...monthLabels,
        },
      },
      y: {
        ...{ field: "score", type: "quantitative" },
        scale: { domain: [...range], nice: false },
        axis: { title, tickCount: 5, domain: false, ticks: false },
      },
    },
    layer: [
      { mark: { type: "line", strokeWidth: 2.5 }, encoding: { ...series, strokeDash: named(SERIES_DASHES) } },
      {
        mark: { type: "point", filled: true, size: 60, opacity: 1 },
        encoding: { ...series, shape: named(SERIES_SHAPES) },
      },
      ...(few.length > 0 ? fewAnswers(scores, few, isNarrow) : []),
      {
        data: { values: endLabels(scores, chart) },
        mark: { type: "text", align: "left", dx: isNarrow ? 9 : 14, fontWeight: 600, fontSize: 13 },
        encoding: { ...series, text: { field: "text" } },
      },
    ],
  };
}

/** The points with few answers are hollow, and below each of their months stands how many answers it has. */
function fewAnswers(scores: readonly MonthlyScore[], few: readonly MonthlyScore[], isNarrow: boolean) {
  const months = [...new Set(few.map(({ month }) => month))].map((month) => {
    const counts = scores.filter((one) => one.month === month).map(({ answers = 0 }) => answers);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    const count = least === most ? String(least) : `${least}–${most}`;
    return { month, text: isNarrow ? count : `${count} ${most === 1 ? "answer" : "answers"}` };
  });
  return [
    { data: { values: few }, mark: { type: "point", filled: true, size: 12, color: color("paper") } },
    {
      data: { values: months },
      mark: { type: "text", color: color("soft"), fontSize: isNarrow ? 10 : 11, baseline: "top" },
      encoding: { y: { value: HEIGHT + 26 }, text: { field: "text" } },
    },
  ];
}

/** The last point of each question, moved apart so that no label covers another. */
function endLabels(scores: readonly MonthlyScore[], { range, written, isNarrow }: ScoreChart): object[] {
  const last = new Map(scores.map((one) => [one.name, one]));
  const gap = ((range[1] - range[0]) * LINE_HEIGHT) / HEIGHT;
  let below = Infinity;
  return [...last.values()]
    .toSorted((one, other) => other.score - one.score)
    .map(({ name, month, score }) => {
      below = Math.min(score, below - gap);
      return { name, month, score: below, text: isNarrow ? written(score) : `${written(score)}  ${name}` };
    });
}

/** What happened when, in milliseconds since the service started. */
export interface Moment {
  readonly atMs: number;
  readonly what: string;
}

/** When requests arrived, in milliseconds since the service started, and what happened meanwhile. */
export interface Requests {
  readonly requestsMs: readonly number[];
  readonly moments: readonly Moment[];
  readonly allowancePerMinute: number;
}

const MINUTE_MS = 60_000;
const STEP_MS = 250;

/** How many requests arrived in the minute before a moment. */
const inTheMinuteBefore = (requestsMs: readonly number[], atMs: number): number =>
  requestsMs.filter((ms) => ms <= atMs && ms > atMs - MINUTE_MS).length;

/** How many requests arrived in each second. */
export function perSecond(requestsMs: readonly number[]): number[] {
  const seconds = Math.ceil((Math.max(0, ...requestsMs) + 1) / 1_000);
  const counts = Array.from({ length: seconds }, () => 0);
  for (const ms of requestsMs) counts[Math.floor(ms / 1_000)]! += 1;
  return counts;
}

/** The requests of the last minute beside the allowance, and the requests of each second below, as a Vega-Lite chart. */
export function requestChart(
  { requestsMs, moments, allowancePerMinute }: Requests,
  isNarrow: boolean,
): object {
  const counts = perSecond(requestsMs);
  const width = isNarrow ? 250 : 640;
  const x = { field: "second", type: "quantitative", scale: { domain: [0, counts.length], nice: false } };
  const y = (title: string, tickCount: number) => ({
    field: "count",
    type: "quantitative",
    axis: { title, tickCount, domain: false, ticks: false },
  });
  const inTheLastMinute = Array.from({ length: (counts.length * 1_000) / STEP_MS + 1 }, (_, step) => ({
    second: (step * STEP_MS) / 1_000,
    count: inTheMinuteBefore(requestsMs, step * STEP_MS),
  }));
  const noLabels = { title: null, labels: false, ticks: false, grid: false, domainColor: color("faint") };
  const area = {
    data: { values: inTheLastMinute },
    mark: {
      ...{ type: "area", fill: SERIES_COLORS[0], fillOpacity: 0.18 },
      line: { stroke: SERIES_COLORS[0], strokeWidth: 2.5 },
    },
    encoding: { x: { ...x, axis: noLabels }, y: y("in the last minute", 5) },
  };
  const allowed = `allowed: ${counted(allowancePerMinute)} a minute`;
  const allowance = {
    data: { values: [{ count: allowancePerMinute }] },
    encoding: { y: y("in the last minute", 5) },
    layer: [
      { mark: { type: "rule", strokeDash: [6, 4], strokeWidth: 1.5 } },
      {
        mark: { type: "text", align: "left", baseline: "bottom", x: 6, dy: -4, fontWeight: 600 },
        encoding: { text: { value: allowed } },
      },
    ],
  };
  const lines = moments.map(({ atMs, what }, place) => ({
    data: { values: [{ second: atMs / 1_000, what }] },
    encoding: { x },
    layer: [
      { mark: { type: "rule", strokeWidth: 1.5 } },
      {
        // At other sides and heights, so that no label covers another one or the line before.
        mark: {
          type: "text",
          align: place % 2 === 0 ? "right" : "left",
          dx: place % 2 === 0 ? -5 : 5,
          fontWeight: 600,
        },
        encoding: { y: { datum: allowancePerMinute * (0.88 - 0.1 * place) }, text: { field: "what" } },
      },
    ],
  }));
  const bars = {
    data: { values: counts.map((count, second) => ({ second, end: second + 1, count })) },
    mark: { type: "rect", fill: SERIES_COLORS[1], stroke: color("paper"), strokeWidth: 1 },
    encoding: {
      x: { ...x, axis: { title: "seconds", grid: false, tickMinStep: 1 } },
      x2: { field: "end" },
      y: y("in each second", 3),
      y2: { datum: 0 },
    },
  };
  return {
    spacing: 28,
    vconcat: [
      { width, height: 200, layer: [area, allowance, ...lines] },
      { width, height: 90, ...bars },
    ],
  };
}
