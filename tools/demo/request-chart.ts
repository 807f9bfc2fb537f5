import type { TopLevelSpec } from "vega-lite";
import { drawn, FAINT, INK, SERIES_COLORS } from "./charts.ts";

/** When requests arrived, in milliseconds since the service started, and what happened meanwhile. */
export interface Requests {
  readonly requestsMs: readonly number[];
  readonly killedAtMs: number;
  readonly resumedAtMs: number;
  readonly allowancePerMinute: number;
}

const MINUTE_MS = 60_000;
const STEP_MS = 250;
const WIDTH = 640;

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
        width: WIDTH,
        height: 200,
        layer: [
          minuteLine(requests, counts.length, x),
          allowance(allowancePerMinute),
          ...moments(requests, allowancePerMinute, x),
        ],
      },
      {
        width: WIDTH,
        height: 90,
        data: { values: counts.map((count, second) => ({ second, end: second + 1, count })) },
        mark: { type: "rect", fill: SERIES_COLORS[1], stroke: "var(--paper)", strokeWidth: 1 },
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
  return drawn(spec as TopLevelSpec, label);
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
      x: { ...x, axis: { title: null, labels: false, ticks: false, grid: false, domainColor: FAINT } },
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
      { mark: { type: "rule", stroke: INK, strokeWidth: 1.5 } },
      {
        mark: { type: "text", align, dx: align === "left" ? 6 : -6, fontWeight: 600 },
        encoding: { y: { datum: top * 0.86 }, text: { field: "what" } },
      },
    ],
  }));
}
