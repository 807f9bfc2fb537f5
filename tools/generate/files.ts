import { readFile } from "node:fs/promises";
import { configuredCatalog } from "../../connector/airbyte/catalog.ts";
import { manifestText } from "../../manifest/generate.ts";
import { dbtAnswerTypes } from "./dbt-answer-types.ts";
import { withGeneratedParts } from "./documentation-tables.ts";
import { generatedTypes } from "./generated-types.ts";

/** Pages with parts that are generated. */
const PAGES = ["docs/streams.md", "docs/personal-data.md"];
const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

/**
 * The text of every file that `npm run generate` writes, by its path in the repository. A test compares each with what is
 * checked in, so that nothing generated can be old.
 */
export async function generatedFiles(): Promise<Map<string, string>> {
  const pages = PAGES.map(async (path) => [path, withGeneratedParts(await read(path))] as const);
  return new Map([
    ...(await generatedTypes()),
    ...(await dbtAnswerTypes()),
    ["manifest/manifest.yaml", await manifestText()],
    ["examples/catalog.json", `${JSON.stringify(exampleCatalog(), undefined, 2)}\n`],
    ...(await Promise.all(pages)),
  ]);
}

/** What the command `catalog` prints, without the schemas, so that people can edit it. */
function exampleCatalog() {
  const { streams } = configuredCatalog();
  return {
    streams: streams.map((configured) => ({
      ...configured,
      stream: { ...configured.stream, json_schema: {} },
    })),
  };
}
