import { scoreChart } from "../demo/charts.ts";
import { color, picture } from "../demo/picture.ts";
import { signed } from "../demo/scores.ts";

export type Row = Readonly<Record<string, unknown>>;

const [WIDTH, HEIGHT] = [560, 240];
const GRADES = ["Poor", "Fair", "Good", "Great"];
const value = (field: string, title: string, more: object = {}): object => ({
  ...{ field, type: "quantitative", axis: { title, domain: false, ticks: false, ...more } },
});
const names = (field: string, more: object = {}): object => ({ field, type: "nominal", ...more });
const BARE = { title: null, domain: false, ticks: false, labelAngle: 0, labelPadding: 8 };

/** The charts of `docs/questions.md`, as SVG, by the name of the result that each is drawn from. */
export const QUESTION_CHARTS: Readonly<Record<string, (rows: readonly Row[]) => Promise<string>>> = {
  nps_by_month: (rows) => {
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
  },
  answers_by_device: (rows) => {
    const answers = ["Very easy", "Easy", "Hard"];
    const spec = {
      ...{ width: WIDTH / 2, height: HEIGHT, data: { values: rows } },
      transform: [{ calculate: `indexof(${JSON.stringify(answers)}, datum.answer)`, as: "place" }],
      mark: { type: "bar", width: { band: 0.7 } },
      encoding: {
        x: names("device_type", { axis: BARE }),
        y: { ...value("answers", "of the answers", { format: "%", tickCount: 5 }), stack: "normalize" },
        color: names("answer", { scale: { domain: answers } }),
        order: { field: "place", type: "quantitative" },
      },
    };
    return picture(spec, "How easy was the setup? The share of each answer, by device");
  },
  matrix: (rows) => {
    const values = rows.map(({ part, grade, answers }) => ({ part, grade, answers: Number(answers) }));
    const most = Math.max(...values.map(({ answers }) => answers));
    const spec = {
      ...{ width: WIDTH, height: { step: 40 }, data: { values } },
      transform: [{ impute: "answers", key: "grade", groupby: ["part"], keyvals: GRADES, value: 0 }],
      encoding: {
        x: names("grade", { scale: { domain: GRADES }, axis: { ...BARE, orient: "top" } }),
        y: names("part", { sort: null, axis: BARE }),
      },
      layer: [
        {
          mark: { type: "rect", fill: color("series-1"), stroke: color("paper"), strokeWidth: 3 },
          encoding: {
            fillOpacity: { ...value("answers", ""), scale: { range: [0.06, 1] }, legend: null },
          },
        },
        {
          mark: { type: "text" },
          encoding: {
            text: { field: "answers" },
            color: {
              condition: { test: `datum.answers > ${0.65 * most}`, value: color("paper") },
              value: color("ink"),
            },
          },
        },
      ],
    };
    return picture(
      spec,
      "Grades of each part of the product: the number of answers, darker if there are more",
    );
  },
  responses_by_week: (rows) => {
    const spec = {
      ...{ width: WIDTH, height: HEIGHT, data: { values: rows } },
      // A bar is as wide as its week.
      transform: [
        { calculate: "utcParse(datum.week, '%Y-%m-%d')", as: "from" },
        { calculate: "utcOffset('day', datum.from, 7)", as: "to" },
        ...[{ stack: "responses", groupby: ["week"], sort: [{ field: "survey_name" }], as: ["low", "high"] }],
      ],
      mark: { type: "rect", stroke: color("paper"), strokeWidth: 1 },
      encoding: {
        x: {
          ...{ field: "from", type: "temporal", scale: { type: "utc" } },
          axis: { title: null, format: "%b %Y", grid: false, tickCount: { interval: "month", step: 2 } },
        },
        x2: { field: "to" },
        y: value("low", "responses"),
        y2: { field: "high" },
        color: names("survey_name"),
      },
    };
    return picture(spec, "Responses of each week, by survey");
  },
};

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
