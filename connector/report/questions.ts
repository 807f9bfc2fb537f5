import type { DatabaseSync } from "node:sqlite";
import { COUNTS, TABLES, TEXTS } from "./counts.ts";
import { chart, counted, day, own, plural } from "./html.ts";

type Texts = Readonly<Record<"survey" | "words" | "kind" | "item" | "value" | "month", string>>;
type Count = Texts &
  Readonly<Record<"question" | "number" | "n" | "answered" | "comments" | "place", number>>;
type Text = Readonly<Record<"survey" | "question" | "words" | "at" | "score", unknown>>;

const MOST_LABELS = 12;
const NOTES: Readonly<Record<string, string>> = {
  text: "with a text",
  form: "with contact details",
  other: "unknown",
};

const keyOf = ({ survey, question }: Count | Text): string => JSON.stringify([survey, question]);
const sum = (rows: readonly Count[], of = ({ n }: Count): number => n): number =>
  rows.reduce((all, row) => all + of(row), 0);
const percent = (share: number): string => `${Math.round(100 * share)} %`;
const meanOf = (rows: readonly Count[]): number => sum(rows, ({ number, n }) => number * n) / sum(rows);
const npsOf = (rows: readonly Count[]): number =>
  Math.round((100 * sum(rows, ({ place, n }) => (place - 2) * n)) / sum(rows));
const signed = (figure: number): string => (figure < 0 ? `−${-figure}` : figure > 0 ? `+${figure}` : "0");

/**
 * The answered questions of each survey as HTML, in the survey's order. Without `hasTexts`, nothing of it can be a
 * respondent's own words.
 */
export function questionsOf(database: DatabaseSync, hasTexts: boolean): Map<string, string[]> {
  database.exec(TABLES);
  const counts = database.prepare(COUNTS).all({ hasTexts: Number(hasTexts) }) as unknown as Count[];
  const texts = Map.groupBy((hasTexts ? database.prepare(TEXTS).all() : []) as unknown as Text[], keyOf);
  const questions = new Map<string, string[]>();
  for (const [key, rows] of Map.groupBy(counts, keyOf)) {
    const [{ survey, question, words } = {}]: Partial<Count>[] = rows;
    const comments = sum(rows, (row) => row.comments);
    const html = `<article>${own("h3", words ?? `Question ${question}`)}${[...Map.groupBy(rows, ({ kind }) => kind)].map(blockOf).join("")}
${comments > 0 ? `<p>${plural(comments, "comment")}</p>` : ""}<ul class="texts">${texts.get(key)?.map(textOf).join("") ?? ""}</ul></article>`;
    questions.set(survey, [...(questions.get(survey) ?? []), html]);
  }
  return questions;
}

const textOf = ({ words, at, score }: Text): string =>
  `<li>${own("blockquote", words)}<p>${day(at)}${score === null ? "" : ` · scored ${score} of 10`}</p></li>`;

function blockOf([kind, rows]: [string, Count[]]): string {
  const answered = sum(rows, (row) => row.answered);
  const of = plural(answered, "response");
  const satisfied = sum(rows.filter(({ number }) => number >= 4)) / answered;
  const figures: Readonly<Record<string, string>> = {
    nps: `<strong>${signed(npsOf(rows))}</strong>NPS of `,
    csat: `<strong>${percent(satisfied)}</strong>satisfied (4 or 5) of `,
    number: `<strong>${counted(meanOf(rows))}</strong>on average of `,
  };
  const head = `<p class="score">${figures[kind] ?? ""}${of} ${NOTES[kind] ?? ""}</p>`;
  if (kind in NOTES) return head;
  if (kind !== "nps" && rows[0]?.item === "") return head + listOf(tally(rows).map(lineOf(answered)));
  const items = [...Map.groupBy(rows, ({ item }) => item)].toSorted(
    ([, one], [, other]) => meanOf(one) - meanOf(other),
  );
  return `${head}${listOf(items.map(itemOf), kind)}${kind === "nps" ? monthsOf(rows) : ""}`;
}

const listOf = (lines: readonly string[], look = ""): string =>
  `<ul class="rows ${look}">${lines.join("")}</ul>`;
const lineOf =
  (whole: number) =>
  ({ value, n }: Tallied): string =>
    `<li>${own("span", value)}<b>${counted(n)} · ${percent(n / whole)}</b><div class="bar">${shareOf(n / whole)}</div></li>`;
const shareOf = (share: number, look = 0): string =>
  `<i class="p${look}" style="width:${Math.min(100, 100 * share).toFixed(1)}%"></i>`;

/** A matrix's row or a ranked item, or the whole of an NPS, as one bar of several parts. */
function itemOf([item, rows]: [string, Count[]]): string {
  const parts = tally(rows);
  const note = parts.map(({ value, n }) => `${value}: ${counted(n)}`).join(", ");
  const mean = rows[0]?.kind === "ranking" ? `place ${counted(meanOf(rows))} on average: ` : "";
  const bar = parts.map(({ n, place }) => shareOf(n / sum(rows), place)).join("");
  return `<li>${own("span", item)}<div class="bar">${bar}</div>${own("b", mean + note)}</li>`;
}

interface Tallied {
  readonly value: string;
  readonly n: number;
  readonly place: number;
}

/** The most frequent values in their order, and the other ones as one. */
function tally(rows: readonly Count[]): Tallied[] {
  const all = [...Map.groupBy(rows, ({ value }) => value)].map(([value, own]) => ({
    value,
    n: sum(own),
    place: own[0]?.place ?? 0,
  }));
  const shown = all
    .filter(({ value }) => value !== "others")
    .toSorted((one, other) => other.n - one.n)
    .slice(0, MOST_LABELS);
  const n = sum(rows) - shown.reduce((known, one) => known + one.n, 0);
  return [
    ...shown.toSorted((one, other) => one.place - other.place),
    ...(n > 0 ? [{ value: "others", n, place: 0 }] : []),
  ];
}

/** The NPS of each month, if there are two. */
function monthsOf(rows: readonly Count[]): string {
  const months = [...Map.groupBy(rows, ({ month }) => month)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const [first = "", last = ""] = [months.at(0)?.[0], months.at(-1)?.[0]];
  if (first === last) return "";
  const names = months.map(([month, own]) => `${month}: ${signed(npsOf(own))}`);
  const at = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
  const points = months.map(
    ([month, own]) => `${(100 * (at(month) - at(first))) / (at(last) - at(first))},${50 - npsOf(own) / 2}`,
  );
  const shapes = `<line x1="0" x2="100" y1="50" y2="50"/><polyline points="${points.join(" ")}"/>`;
  return chart(`NPS by month: ${names.join(", ")}`, 100, shapes, [names.at(0) ?? "", names.at(-1) ?? ""]);
}
