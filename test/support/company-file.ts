import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { exampleCompany } from "../../sandbox/index.ts";
import { run } from "./bin.ts";
import { testFolder } from "./folder.ts";
import { configOf, testSandbox } from "./sandbox.ts";

type Row = Readonly<Record<string, unknown>>;

/** A file that a sync of the sandbox's company has written, for the tests of a file. */
export async function companyFile() {
  const sandbox = await testSandbox(exampleCompany());
  const folder = testFolder();
  await folder.file("config.json", configOf(sandbox));
  const path = folder.path("surveys.sqlite");
  const { code, stderr } = await run(["sync", path]);
  expect(code, stderr).toBe(0);
  const rowsOf = (statement: string): Row[] => {
    using database = new DatabaseSync(path, { readOnly: true });
    return database
      .prepare(statement)
      .all()
      .map((row) => ({ ...row }));
  };
  return { sandbox, path, rowsOf };
}

/** The text of a document, named from the root of the repository. */
export const documentText = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The blocks of SQL of a document, each with the heading that it stands below. */
export function sqlBlocks(text: string): { readonly heading: string; readonly sql: string }[] {
  return text.split(/^#+ /m).flatMap((section) => {
    const heading = section.split("\n", 1)[0] ?? "";
    return [...section.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, sql = ""]) => ({ heading, sql }));
  });
}
