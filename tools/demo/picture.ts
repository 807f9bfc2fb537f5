import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as HTML or as an attribute in quotes: no character of it means anything. */
export const escaped = (text: unknown): string => String(text).replace(/[&<>"']/g, (one) => ENTITIES[one]!);

/** The colours of charts and of the demo's page, for light and for dark. A text in any of the series can be read. */
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

type ColorName = keyof typeof PALETTE;

/** A colour of the palette in a chart. */
export const color = (name: ColorName): string => `var(--${name})`;
const NAMES = Object.keys(PALETTE) as ColorName[];
export const SERIES_COLORS = NAMES.filter((name) => name.startsWith("series-")).map(color);

/** The palette as CSS variables of a page. */
export const COLOR_STYLE = `:root { ${variables(0)} }
@media (prefers-color-scheme: dark) { :root { ${variables(1)} } }`;

function variables(which: 0 | 1): string {
  return NAMES.map((name) => `--${name}: ${PALETTE[name][which]};`).join(" ");
}

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
  title: { color: color("ink"), fontSize: 13, fontWeight: 600, anchor: "start", frame: "group" },
  legend: { labelColor: color("ink"), labelFontSize: 12, symbolType: "square", title: null },
  range: { category: SERIES_COLORS },
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

/** The same chart as a file of its own, which follows the reader's colour scheme and has the paper of each. */
export async function picture(spec: object, label: string): Promise<string> {
  const svg = await drawn(spec, label);
  const dark = NAMES.flatMap((name) => {
    const [light, dark] = PALETTE[name];
    return ["fill", "stroke"].map((what) => `[${what}="${light}"]{${what}:${dark}}`);
  });
  const style = `<style>@media (prefers-color-scheme:dark){${dark.join("")}}</style>`;
  const paper = `<rect width="100%" height="100%" fill="${color("paper")}"/>`;
  return `${svg
    .replace(/(<svg [^>]*>)/, `$1${style}${paper}`)
    .replace(/var\(--([\w-]+)\)/g, (_, name: ColorName) => PALETTE[name][0])
    .replaceAll(/(?=<(g|rect|path|style)\b)/g, "\n")}\n`;
}
