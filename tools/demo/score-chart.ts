import type { TopLevelSpec } from "vega-lite";
import { drawn, SERIES_COLORS, SERIES_DASHES, SERIES_SHAPES } from "./charts.ts";

/** A score of one question in one month. */
export interface MonthlyScore {
  readonly name: string;
  /** Which colour, dashes and symbol its line has. */
  readonly look: number;
  /** Such as 2026-09. */
  readonly month: string;
  readonly score: number;
  readonly answers: number;
}

export interface ScoreChart {
  /** A sentence for people who do not see it. */
  readonly label: string;
  /** Of the vertical axis. */
  readonly title: string;
  readonly range: readonly [lowest: number, highest: number];
  readonly written: (score: number) => string;
}

const [WIDTH, HEIGHT] = [520, 280];
/** The space that a label needs, in pixels. */
const LINE_HEIGHT = 17;

/** A line for each question over the months, each with its name at its end. */
export function scoreChart(scores: readonly MonthlyScore[], chart: ScoreChart): Promise<string> {
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
  const spec = {
    // Fixed, so that the letters of all charts are of one size.
    autosize: { type: "none" },
    padding: { left: 60, right: 276, top: 10, bottom: 30 },
    width: WIDTH,
    height: HEIGHT,
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
  return drawn(spec as TopLevelSpec, chart.label);
}

/** The last point of each question with its name, moved apart so that no label covers another. */
function endLabels(scores: readonly MonthlyScore[], { range, written }: ScoreChart): object[] {
  const last = new Map(scores.map((one) => [one.name, one]));
  const gap = ((range[1] - range[0]) * LINE_HEIGHT) / HEIGHT;
  let below = Infinity;
  return [...last.values()]
    .toSorted((one, other) => other.score - one.score)
    .map(({ name, month, score }) => {
      below = Math.min(score, below - gap);
      return { name, month, score: below, text: `${written(score)}  ${name}` };
    });
}
