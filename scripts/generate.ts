import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dbtAnswerTypes } from "./dbt-answer-types.ts";
import { withTables } from "./documentation-tables.ts";
import { GENERATED_PAGES, withEntityDiagrams } from "./entity-diagram.ts";
import { exampleCatalog } from "./example-catalog.ts";
import { generatedTypes } from "./generated-types.ts";
import { manifestText } from "./manifest.ts";

const files = new Map([...(await generatedTypes()), ...(await dbtAnswerTypes())]);
files.set("connector/airbyte/manifest.yaml", await manifestText());
files.set("examples/catalog.json", `${JSON.stringify(exampleCatalog(), undefined, 2)}\n`);
for (const [path, text] of files) {
  const file = new URL(`../${path}`, import.meta.url);
  await mkdir(new URL(".", file), { recursive: true });
  await writeFile(file, text);
}
for (const path of GENERATED_PAGES) {
  const page = new URL(`../${path}`, import.meta.url);
  await writeFile(page, await withEntityDiagrams(await withTables(await readFile(page, "utf8"))));
}
