import { scoreChart } from "../demo/charts.ts";
import { picture } from "../demo/picture.ts";
import { signed } from "../demo/scores.ts";

type Row = Readonly<Record<string, unknown>>;

const value = (field: string, title: string): object => ({
  ...{ field, type: "quantitative", axis: { title, domain: false, ticks: false } },
});
const names = (field: string, more: object = {}): object => ({ field, type: "nominal", ...more });
const BARE = { title: null, domain: false, ticks: false, labelAngle: 0, labelPadding: 8 };

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

/**
 * The wall times on a page that `bench:peers` wrote, as bars on one scale: twice as long is twice the time.
 *
 * @throws Error if the page has no times
 */
export function peersChart(page: string): Promise<string> {
  const scenarios = page.split(/^## /m).slice(1);
  const readers = [...new Set(scenarios.flatMap(timesIn).map(({ reader }) => reader))];
  const charts = scenarios.map((scenario, place) => ({
    title: scenario.slice(0, scenario.indexOf("\n")),
    ...{ width: 460, height: { step: 20 } },
    data: { values: timesIn(scenario) },
    encoding: {
      x: value("seconds", place === scenarios.length - 1 ? "seconds" : ""),
      y: names("reader", { sort: null, axis: { ...BARE, labelLimit: 0 } }),
    },
    layer: [
      {
        mark: { type: "bar", height: { band: 0.8 } },
        encoding: { color: names("reader", { scale: { domain: readers }, legend: null }) },
      },
      {
        mark: { type: "text", align: "left", dx: 5 },
        encoding: { text: { field: "seconds", type: "quantitative", format: ".1f" } },
      },
    ],
  }));
  if (scenarios.length === 0 || scenarios.some((scenario) => timesIn(scenario).length === 0))
    throw new Error("The page has no times. Run npm run bench:peers -- --write first.");
  const spec = { vconcat: charts, spacing: 14, resolve: { scale: { x: "shared", color: "shared" } } };
  return picture(spec, "Wall time of each reader in each scenario, in seconds");
}

const timesIn = (scenario: string): readonly { readonly reader: string; readonly seconds: number }[] =>
  [...scenario.matchAll(/^\| (.+?) \| ([\d.]+) s \|/gm)].map(([, reader = "", seconds]) => ({
    reader,
    seconds: Number(seconds),
  }));
