import { heatTable, lineChart, type Series, stackedBars } from "./charts.ts";

export type Row = Readonly<Record<string, unknown>>;

/** The charts of `docs/questions.md`, by the name of the result that each is drawn from. */
export const QUESTION_CHARTS: Readonly<Record<string, (rows: readonly Row[]) => string>> = {
  nps_by_month: (rows) => {
    const months = distinct(rows, "month");
    // A line has its survey's name. The second question of a survey has its own.
    const named = rows.map(({ survey_name, question, ...row }) => ({
      ...row,
      name: question === "Would you recommend us?" ? survey_name : question,
    }));
    return lineChart(
      "NPS by month",
      months.map((month) => month.slice(0, 7)),
      seriesOf(named, "name", "month", "nps", months),
    );
  },
  answers_by_device: (rows) => {
    const devices = distinct(rows, "device_type");
    const answers = seriesOf(rows, "answer", "device_type", "answers", devices);
    const total = (place: number) => answers.reduce((sum, { values }) => sum + (values[place] ?? 0), 0);
    const shares = ["Very easy", "Easy", "Hard"].map((name) => ({
      name,
      values: devices.map((_, place) => {
        const count = answers.find((one) => one.name === name)?.values[place] ?? 0;
        return (100 * count) / total(place);
      }),
    }));
    return stackedBars("How easy was the setup? (% of answers)", devices, shares);
  },
  matrix: (rows) =>
    heatTable(
      "Grades of each part of the product (answers)",
      distinct(rows, "part"),
      ["Poor", "Fair", "Good", "Great"],
      (part, grade) => Number(rows.find((row) => row.part === part && row.grade === grade)?.answers ?? 0),
    ),
  responses_by_week: (rows) => {
    const weeks = distinct(rows, "week");
    return stackedBars(
      "Responses by week",
      weeks.map((week) => week.slice(5)),
      seriesOf(rows, "survey_name", "week", "responses", weeks),
    );
  },
};

const distinct = (rows: readonly Row[], column: string): string[] => [
  ...new Set(rows.map((row) => String(row[column]))),
];

/** A series for each value of `by`, with the numbers in `value` at the places that `at` names. */
function seriesOf(
  rows: readonly Row[],
  by: string,
  at: string,
  value: string,
  places: readonly string[],
): Series[] {
  return distinct(rows, by).map((name) => ({
    name,
    values: places.map((place) => {
      const row = rows.find((one) => String(one[by]) === name && String(one[at]) === place);
      return row === undefined ? null : Number(row[value]);
    }),
  }));
}
