import { report } from "../../../../connector/report/report.ts";
import { Folder } from "../../../support/folder.ts";
import { type KeptSync, type Tables, writeTables } from "../../../support/tables.ts";

/** A sync that read everything. */
export const SYNC: KeptSync = {
  began_at: "2026-09-29T09:00:00.000000Z",
  ended_at: "2026-09-29T09:01:00.000000Z",
  outcome: "complete",
  lookback_seconds: 600,
};

export interface Given {
  readonly hasTexts?: boolean;
  readonly syncs?: readonly KeptSync[];
  readonly states?: object;
  readonly since?: string;
  readonly surveyIds?: readonly string[];
}

/** The page about these tables. */
export function pageOf(
  tables: Tables,
  { hasTexts = false, syncs = [SYNC], states = {}, since, surveyIds = [] }: Given = {},
): string {
  const folder = new Folder();
  try {
    writeTables(folder.path("made.sqlite"), tables, syncs, states);
    return report(folder.path("made.sqlite"), { hasTexts, since, surveyIds });
  } finally {
    folder.remove();
  }
}

/** What a page, or a part of it, says without markup, with a bar between what stands apart. */
export const textOf = (markup: string): string =>
  markup
    .replace(/<style>.*?<\/style>|<title>.*?<\/title>/gs, "")
    .replace(/<\/?(?:span|small|em|b|strong|code)\b[^>]*>/g, " ")
    .replace(/<[^>]*>/g, "|")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&")
    .replace(/\s+/g, " ")
    .replace(/\s*\|[|\s]*/g, "|")
    .replace(/^\||\|$/g, "");

/** The card of a question, by the start of its words. */
export function cardOf(page: string, words: string): string {
  const cards = page.split("<article").slice(1);
  const found = cards
    .map((card) => textOf(`<article${card.split("</article>")[0]}`))
    .find((card) => card.startsWith(words));
  if (found === undefined) throw new Error(`There is no question ${words}.`);
  return found;
}

/** The first screen. */
export const firstScreen = (page: string): string =>
  textOf(/<h2>How are we doing.*?<\/section>/s.exec(page)?.[0] ?? "");
