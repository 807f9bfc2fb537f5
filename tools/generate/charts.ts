import { type ColorName, color, drawn, PALETTE, scoreChart } from "../demo/charts.ts";
import { signed } from "../demo/scores.ts";

/** A chart as a file of its own, which follows the reader's colour scheme and has the paper of each. */
async function picture(spec: object, label: string): Promise<string> {
  const svg = await drawn(spec, label);
  const dark = Object.values(PALETTE).flatMap(([light, dark]) =>
    ["fill", "stroke"].map((what) => `[${what}="${light}"]{${what}:${dark}}`),
  );
  const style = `<style>@media (prefers-color-scheme:dark){${dark.join("")}}</style>`;
  const paper = `<rect width="100%" height="100%" fill="${color("paper")}"/>`;
  return `${svg
    .replace(/(<svg [^>]*>)/, `$1${style}${paper}`)
    .replace(/var\(--([\w-]+)\)/g, (_, name: ColorName) => PALETTE[name][0])
    .replaceAll(/(?=<(g|rect|path|style)\b)/g, "\n")}\n`;
}

type Row = Readonly<Record<string, unknown>>;

/** The chart of `docs/questions.md`, as SVG, from the rows of the analysis `nps_by_month`. */
export function npsByMonthChart(rows: readonly Row[]): Promise<string> {
  // A line has its survey's name. The second question of a survey has its own.
  const named = rows.map(({ survey_name, question, month, nps }) => ({
    name: String(question === "Would you recommend us?" ? survey_name : question),
    month: String(month).slice(0, 7),
    score: Number(nps),
  }));
  const lines = [...new Set(named.map(({ name }) => name))];
  const scores = named.map((score) => ({ ...score, look: lines.indexOf(score.name) }));
  return picture(
    scoreChart(scores, { title: "NPS", range: [-100, 100], written: signed }),
    "NPS by month: a line for each question",
  );
}
