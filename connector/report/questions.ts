import type { DatabaseSync } from "node:sqlite";
import { COUNTS, LABELS, TEXTS } from "./counts.ts";
import { chart, counted, day, own, plural } from "./html.ts";

type Words = Readonly<Record<"survey" | "words" | "kind" | "row" | "said" | "month" | "at", string>>;
type Count = Words & Readonly<Record<"question" | "n" | "answered" | "comments" | "place" | "score", number>>;

const keyOf = ({ survey, question }: Count): string => `${question} ${survey}`;
const sum = (rows: readonly Count[], of = ({ n }: Count) => n) => rows.reduce((all, row) => all + of(row), 0);
const mean = (rows: readonly Count[]): number => sum(rows, ({ place, n }) => place * n) / sum(rows);
const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;
const SIGNED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0, signDisplay: "exceptZero" });
const nps = (rows: readonly Count[]): string =>
  SIGNED.format((100 * sum(rows, ({ place, n }) => (place - 2) * n)) / sum(rows));

/** Each survey's answered questions, in its order. Without `hasTexts`, none of it can be a respondent's words. */
export function questionsOf(database: DatabaseSync, hasTexts: boolean): Map<unknown, string> {
  database.exec(LABELS);
  const all = (sql: string) => database.prepare(sql).all({ hasTexts: +hasTexts }) as unknown as Count[];
  const [texts, html] = [Map.groupBy(all(TEXTS), keyOf), new Map<unknown, string>()];
  for (const [key, rows] of Map.groupBy(all(COUNTS), keyOf)) {
    const { survey, question, words } = rows[0] as Count;
    const parts = [own("h3", words ?? `Question ${question}`)];
    for (const of of Map.groupBy(rows, ({ kind, row }) => `${kind} ${row}`).values()) parts.push(blockOf(of));
    const comments = sum(rows, (row) => row.comments);
    if (comments > 0) parts.push(`<p>${plural(comments, "comment")}</p>`);
    for (const text of texts.get(key) ?? []) parts.push(textOf(text));
    html.set(survey, `${html.get(survey) ?? ""}<article>${parts.join("")}</article>`);
  }
  return html;
}

const textOf = ({ words, at, score }: Count): string =>
  `<blockquote>${own("div", words)}<p>${day(at)}${score === null ? "" : ` · scored ${score}`}</p></blockquote>`;

/** What was answered to a question, or to one row of it: a figure, and how often each value. */
function blockOf(rows: readonly Count[]): string {
  const { kind, row } = rows[0] as Count;
  const whole = row === "" ? sum(rows, ({ answered }) => answered) : sum(rows);
  const satisfied = sum(rows.filter(({ place }) => place >= 4));
  const heads: Readonly<Record<string, string>> = {
    nps: `<strong>${nps(rows)}</strong>NPS of `,
    csat: `<strong>${percent(satisfied, whole)}</strong>satisfied (4 or 5) of `,
    number: `<strong>${counted(mean(rows))}</strong>on average of `,
    ranking: `place ${counted(mean(rows))} on average of `,
    text: "a text in ",
    form: "a form in ",
  };
  const head = `${own("h4", row)}<p>${heads[kind] ?? ""}${plural(whole, "response")}</p>`;
  if (kind === "text" || kind === "form") return head;
  const lines = [...Map.groupBy(rows, ({ said }) => said)].map(([said, of]) => {
    const bar = `<i class="${kind === "nps" ? said : ""}" style="width:${Math.min(100, (100 * sum(of)) / whole)}%"></i>`;
    return `<li>${own("span", said)}<b>${counted(sum(of))} · ${percent(sum(of), whole)}</b><div>${bar}</div></li>`;
  });
  return `${head}<ul>${lines.join("")}</ul>${kind === "nps" ? monthsOf(rows) : ""}`;
}

/** The NPS over the months, if there are several. */
function monthsOf(rows: readonly Count[]): string {
  const months = [...new Set(rows.map(({ month }) => month))].toSorted();
  const scores = months.map((month) => nps(rows.filter((row) => row.month === month)));
  const names = months.map((month, at) => `${month}: ${scores[at]}`);
  const line = `<polyline points="${scores.map((score, at) => `${at},${50 - Number(score) / 2}`).join(" ")}"/>`;
  if (names.length < 2) return "";
  return chart(`NPS by month: ${names.join(", ")}`, names.length - 1, line, names[0], names.at(-1));
}
