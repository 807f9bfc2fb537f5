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

const variables = (scheme: 0 | 1): string =>
  Object.entries(PALETTE)
    .map(([name, colors]) => `--${name}: ${colors[scheme]};`)
    .join(" ");
/** The palette as CSS: what shows a chart must have it. */
export const COLORS = `:root { ${variables(0)} }\n@media (prefers-color-scheme: dark) { :root { ${variables(1)} } }`;

/** How the lines of a chart differ. Not by colour alone. */
const LOOKS = [
  { color: "var(--series-1)", dashes: "1,0", shape: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z" },
  { color: "var(--series-2)", dashes: "7,3", shape: "M-4,-4h8v8h-8Z" },
  { color: "var(--series-3)", dashes: "2,3", shape: "M0,-5L5,4h-10Z" },
  { color: "var(--series-4)", dashes: "9,3,2,3", shape: "M0,-5L5,0L0,5L-5,0Z" },
] as const;
const BOLD = { "font-weight": 600 };

type Attributes = Readonly<Record<string, string | number>>;
type Point = readonly [x: number, y: number];

const rounded = (number: number): number => Math.round(number * 100) / 100;

function element(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(typeof value === "number" ? rounded(value) : value)}"`,
  );
  return `<${name}${written.join("")}>${content}</${name}>`;
}

const text = (x: number, y: number, content: string | number, attributes: Attributes = {}): string =>
  element("text", { x, y, ...attributes }, escaped(content));

const line = (points: readonly Point[], attributes: Attributes): string =>
  element("path", {
    d: `M${points.map((point) => point.map(rounded).join()).join("L")}`,
    fill: "none",
    ...attributes,
  });

/** A chart as SVG without scripts. The label says in a sentence what it shows. */
const svg = (width: number, height: number, label: string, parts: readonly string[]): string =>
  element(
    "svg",
    {
      role: "img",
      "aria-label": label,
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-family": "system-ui, sans-serif",
      "font-size": 12,
      fill: "var(--ink)",
    },
    `\n${parts.join("\n")}\n`,
  );

/** A chart as a file of its own, which follows the reader's colour scheme and has the paper of each. */
export const picture = (chart: string): string =>
  `${chart.replace(/>/, `>\n<style>${COLORS}</style>\n<rect width="100%" height="100%" fill="var(--paper)"/>`)}\n`;

interface Plot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The vertical axis of a plot: where a value is, and the markup of its numbers, its title and a line at each number. */
function verticalAxis({ left, top, width, height }: Plot, title: string, numbers: readonly number[]) {
  const [lowest = 0, highest = 1] = [numbers[0], numbers.at(-1)];
  const y = (value: number): number => top + (height * (highest - value)) / (highest - lowest);
  const [titleX, middle] = [left - 44, top + height / 2];
  return {
    y,
    parts: [
      ...numbers.map((number) => {
        const at = y(number);
        const across = [[left, at] as const, [left + width, at] as const];
        const written = counted(number).replace("-", "−");
        return `${line(across, { stroke: "var(--faint)" })}${text(left - 7, at + 4, written, { "text-anchor": "end" })}`;
      }),
      text(titleX, middle, title, {
        "text-anchor": "middle",
        transform: `rotate(-90 ${titleX} ${middle})`,
      }),
    ],
  };
}

/** Round numbers from 0 to `most` or above it, of which there are about `count`. */
function scaleTo(most: number, count: number): number[] {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000].find((one) => most / one <= count) ?? most;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, place) => place * step);
}

/** A score of one question in one month. */
export interface MonthlyScore {
  readonly survey: string;
  /** Its text, if the survey has several. */
  readonly question: string | undefined;
  /** Which colour, dashes and symbol its line has. */
  readonly look: number;
  /** Such as 2026-09. */
  readonly month: string;
  readonly score: number;
  /** How many answers it is made of. */
  readonly answers: number;
}

export interface ScoreChart {
  /** What the vertical axis shows. */
  readonly title: string;
  readonly label: string;
  /** The numbers of the vertical axis. */
  readonly axis: readonly number[];
  readonly written: (score: number) => string;
  /** For a phone: the names stand below. Otherwise each stands at the end of its line. */
  readonly isNarrow?: boolean;
}

/** The chart says how many answers a month has if a question has fewer than this. */
export const FEW_ANSWERS = 20;
/** The space that a label needs, in pixels. */
const LINE_HEIGHT = 17;

/** A line for each question over the months. Points with few answers are hollow. The scores are in the order of months. */
export function scoreChart(scores: readonly MonthlyScore[], chart: ScoreChart): string {
  const { title, label, written, isNarrow = false } = chart;
  const plot = { left: isNarrow ? 54 : 60, top: 10, width: isNarrow ? 232 : 520, height: 280 };
  const bottom = plot.top + plot.height;
  const { y, parts } = verticalAxis(plot, title, chart.axis);
  const months = [...new Set(scores.map(({ month }) => month))].toSorted();
  const x = (month: string): number =>
    plot.left + (plot.width * (months.indexOf(month) + 0.5)) / months.length;
  const isFew = ({ answers }: MonthlyScore): boolean => answers < FEW_ANSWERS;

  for (const month of months) {
    const inMonth = scores.filter((one) => one.month === month);
    const centred = { "text-anchor": "middle" };
    parts.push(text(x(month), bottom + 20, isNarrow ? shortName(month) : month, centred));
    if (!inMonth.some(isFew)) continue;
    const small = { ...centred, "font-size": isNarrow ? 10 : 11, fill: "var(--soft)" };
    parts.push(text(x(month), bottom + 36, countsOf(inMonth, isNarrow), small));
  }
  const questions = [...Map.groupBy(scores, ({ look }) => look).values()];
  const lookOf = ([first]: readonly MonthlyScore[]) => LOOKS[first!.look % LOOKS.length]!;
  for (const question of questions) {
    const { color, dashes, shape } = lookOf(question);
    const points = question.map(({ month, score }): Point => [x(month), y(score)]);
    parts.push(line(points, { stroke: color, "stroke-width": 2.5, "stroke-dasharray": dashes }));
    for (const [place, point] of points.entries()) {
      const fill = isFew(question[place]!) ? "var(--paper)" : color;
      const look = { fill, stroke: color, "stroke-width": 1.5 };
      parts.push(
        element("path", { d: shape, transform: `translate(${point.map(rounded).join()})`, ...look }),
      );
    }
  }
  // The labels at the ends of lines are moved down so that none covers another.
  let above = Number.NEGATIVE_INFINITY;
  for (const question of questions.toSorted((one, other) => other.at(-1)!.score - one.at(-1)!.score)) {
    const { survey, question: below, month, score } = question.at(-1)!;
    above = Math.max(y(score), above + LINE_HEIGHT);
    const shown = isNarrow ? written(score) : `${written(score)}  ${survey}`;
    const at = x(month) + (isNarrow ? 9 : 14);
    const color = { fill: lookOf(question).color };
    parts.push(text(at, above + 4, shown, { ...color, "font-size": 13, ...BOLD }));
    if (isNarrow || below === undefined) continue;
    above += LINE_HEIGHT;
    parts.push(text(at, above + 4, below, color));
  }
  let height = bottom + (scores.some(isFew) ? 46 : 30);
  for (const question of isNarrow ? questions : []) {
    const { color, shape } = lookOf(question);
    height += LINE_HEIGHT;
    const at = `translate(${plot.left + 6},${height - 12})`;
    parts.push(element("path", { d: shape, transform: at, fill: color }));
    const { survey, question: below } = question[0]!;
    parts.push(text(plot.left + 18, height - 8, survey));
    if (below === undefined) continue;
    height += LINE_HEIGHT;
    parts.push(text(plot.left + 18, height - 8, below));
  }
  return svg(plot.left + plot.width + (isNarrow ? 42 : 276), height, label, parts);
}

const shortName = (month: string): string =>
  new Date(month).toLocaleString("en", { month: "short", timeZone: "UTC" });

/** How many answers the questions have in a month, such as "17–19 answers". */
function countsOf(scores: readonly MonthlyScore[], isNarrow: boolean): string {
  const counts = scores.map(({ answers }) => answers);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const count = least === most ? String(least) : `${least}–${most}`;
  return isNarrow ? count : `${count} ${most === 1 ? "answer" : "answers"}`;
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

/** How many requests arrived in the minute up to this moment. */
const inMinuteTo = (atMs: number, requestsMs: readonly number[]): number =>
  requestsMs.filter((ms) => ms <= atMs && ms > atMs - MINUTE_MS).length;

/** The most requests that arrived in any minute. */
export const busiestMinute = (requestsMs: readonly number[]): number =>
  Math.max(0, ...requestsMs.map((atMs) => inMinuteTo(atMs, requestsMs)));

/** How many requests arrived in each second. */
function perSecond(requestsMs: readonly number[]): number[] {
  const seconds = Math.ceil((Math.max(0, ...requestsMs) + 1) / 1_000);
  const counts = Array.from({ length: seconds }, () => 0);
  for (const ms of requestsMs) counts[Math.floor(ms / 1_000)]! += 1;
  return counts;
}

/** The requests of the last minute next to the allowance, and the requests of each second below. */
export function requestChart(requests: Requests, label: string, isNarrow: boolean): string {
  const { requestsMs, moments, allowancePerMinute } = requests;
  const counts = perSecond(requestsMs);
  const plot = { left: 60, top: 24, width: isNarrow ? 256 : 640, height: 200 };
  const below = { ...plot, top: 252, height: 90 };
  const bottom = below.top + below.height;
  const x = (second: number): number => plot.left + (plot.width * second) / counts.length;
  const minutes = verticalAxis(plot, "in the last minute", scaleTo(allowancePerMinute, 5));
  const seconds = verticalAxis(below, "in each second", scaleTo(Math.max(1, ...counts), 4));
  const parts = [...minutes.parts, ...seconds.parts];

  const inTheLastMinute = Array.from({ length: (counts.length * 1_000) / STEP_MS + 1 }, (_, step): Point => {
    const atMs = step * STEP_MS;
    return [x(atMs / 1_000), minutes.y(inMinuteTo(atMs, requestsMs))];
  });
  const area: Point[] = [[x(0), minutes.y(0)], ...inTheLastMinute, [x(counts.length), minutes.y(0)]];
  parts.push(line(area, { fill: "var(--series-1)", "fill-opacity": 0.18 }));
  parts.push(line(inTheLastMinute, { stroke: "var(--series-1)", "stroke-width": 2.5 }));

  const rule = { stroke: "var(--ink)", "stroke-width": 1.5 };
  const allowed = minutes.y(allowancePerMinute);
  const across: Point[] = [[x(0), allowed] as const, [x(counts.length), allowed] as const];
  parts.push(line(across, { ...rule, "stroke-dasharray": "6,4" }));
  parts.push(text(x(0) + 4, allowed - 7, `allowed: ${counted(allowancePerMinute)} a minute`, BOLD));
  for (const [place, { atMs, what }] of moments.entries()) {
    const at = x(atMs / 1_000);
    parts.push(line([[at, minutes.y(0)] as const, [at, allowed] as const], rule));
    // At other sides and heights, so that no label covers another one or the line before.
    const side = place % 2 === 0 ? { "text-anchor": "end" } : {};
    const labelY = minutes.y(allowancePerMinute * (0.88 - 0.1 * place)) + 4;
    parts.push(text(at + (place % 2 === 0 ? -5 : 5), labelY, what, { ...side, ...BOLD }));
  }
  for (const [second, count] of counts.entries()) {
    const place = { x: x(second) + 0.5, y: seconds.y(count), width: x(1) - x(0) - 1 };
    parts.push(element("rect", { ...place, height: bottom - seconds.y(count), fill: "var(--series-2)" }));
  }
  const named = scaleTo(counts.length, isNarrow ? 8 : 20).filter((second) => second <= counts.length);
  const centred = { "text-anchor": "middle" };
  parts.push(...named.map((second) => text(x(second), bottom + 17, second, centred)));
  parts.push(text(plot.left + plot.width / 2, bottom + 36, "seconds", centred));
  return svg(plot.left + plot.width + 12, bottom + 44, label, parts);
}
