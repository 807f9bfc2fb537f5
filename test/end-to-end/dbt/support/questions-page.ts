import { readFileSync } from "node:fs";
import { path } from "./dbt-runner.ts";

interface Question {
  readonly title: string;
  readonly sql: string;
  /** Of its result, and of its chart if it has one. */
  readonly name: string;
}

export const PAGE = path("../../../../docs/questions.md");

/** The questions of `docs/questions.md`, in the page's order. */
export function questionsOf(page: string): Question[] {
  const found = page.matchAll(
    /^## (?<title>.+)\n[\s\S]*?```sql\n(?<sql>[\s\S]*?)```\n\n<!-- result: (?<name>\w+) -->/gm,
  );
  return [...found].map(({ groups }) => groups as unknown as Question);
}

export const readPage = (): string => readFileSync(PAGE, "utf8");
