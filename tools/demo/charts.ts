import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { escaped } from "./html.ts";

/** Colours that a page defines as CSS variables, for light and for dark. */
export const INK = "var(--ink)";
export const FAINT = "var(--faint)";
export const SERIES_COLORS = ["var(--series-1)", "var(--series-2)", "var(--series-3)", "var(--series-4)"];
/** Beside the colours, so that nobody has to tell series by colour alone. */
export const SERIES_DASHES = [
  [1, 0],
  [7, 3],
  [2, 3],
  [9, 3, 2, 3],
];
export const SERIES_SHAPES = ["circle", "square", "triangle-up", "diamond"];

const FONT = "system-ui, sans-serif";
const CONFIG = {
  background: "transparent",
  // The picture has one label as a whole, and a table beside it.
  aria: false,
  font: FONT,
  view: { stroke: null },
  axis: {
    domainColor: INK,
    gridColor: FAINT,
    tickColor: INK,
    labelColor: INK,
    titleColor: INK,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
  },
  text: { color: INK, fontSize: 12 },
  rule: { stroke: INK },
} as const;

/**
 * Draws a Vega-Lite chart as SVG without scripts: the same specification gives the same text. The label says in a
 * sentence what the chart shows.
 */
export async function drawn(spec: TopLevelSpec, label: string): Promise<string> {
  const { spec: compiled } = compile({ ...spec, config: CONFIG } as TopLevelSpec);
  const svg = await new View(parse(compiled), { renderer: "none" }).toSVG();
  return svg.replace("<svg ", `<svg role="img" aria-label="${escaped(label)}" `);
}
