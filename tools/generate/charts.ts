import { scoreChart } from "../demo/charts.ts";
import { picture } from "../demo/picture.ts";
import { signed } from "../demo/scores.ts";

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
