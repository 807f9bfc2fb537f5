import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { STREAMS } from "../../connector/core/index.ts";

const INDEX = "connector/core/streams/index.ts";
const MANIFEST_PAGE = "manifest/README.md";
const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);

/**
 * The text of each file that a new stream needs, by its path: its definition, which reads every response and makes one
 * record of it, its line in the list, the note that it is not in the manifest, and a test. With them `npm run generate`
 * and `npm test` pass, before anything is filled in.
 *
 * @throws Error with a sentence for the user, if the name cannot be a stream's or is taken
 */
export async function newStream(name: string): Promise<Map<string, string>> {
  if (!/^[a-z]+(_[a-z0-9]+)+$/.test(name)) {
    throw new Error(
      `"${name}" cannot be the name of a stream. Write two words or more like this: survey_choices.`,
    );
  }
  const file = `connector/core/streams/${name.replaceAll("_", "-")}.ts`;
  if (name in STREAMS || existsSync(at(file))) {
    throw new Error(`The name ${name} is taken: ${file} is there. Choose another one.`);
  }
  const record = pascal(name).replace(/s$/, "");
  const same = Object.values(STREAMS).find(({ schema }) => schema.title === record);
  if (same !== undefined) {
    throw new Error(
      `The records of ${same.name} have the name ${record}, as those of ${name} would. Choose another one.`,
    );
  }
  const [index, page] = await Promise.all([INDEX, MANIFEST_PAGE].map((path) => readFile(at(path), "utf8")));
  return new Map([
    [file, definition(name, record)],
    [INDEX, listed(index!, name)],
    [MANIFEST_PAGE, page!.replace("\n## ", `\nThe stream \`${name}\` is not in the manifest.\n\n## `)],
    [`test/${file.replace(/\.ts$/, ".test.ts")}`, firstTest(name)],
  ]);
}

const pascal = (name: string): string =>
  name.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
const variable = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const listed = (index: string, name: string): string =>
  index
    .replace(/(?=\n\n\/\*\*)/, `\nimport { ${variable(name)} } from "./${name.replaceAll("_", "-")}.ts";`)
    .replace("\n] as const;", `\n  ${variable(name)},\n] as const;`);

const definition = (name: string, record: string): string => `import type { Columns } from "./column.ts";
import { defineStream } from "./definition.ts";
import { RESPONSE_COLUMNS } from "./response-record.ts";

const COLUMNS = {
  response_uuid: {
    type: "string",
    description: "Identifier of the response: uuid in survey_responses. Primary key of the stream.",
    from: "response.uuid",
    holds: { plain: "an id that the service makes" },
    joins: "survey_responses.uuid",
  },
  collected_at: RESPONSE_COLUMNS.collected_at,
} as const satisfies Columns;

/** One record for each response of the configured surveys. */
export const ${variable(name)} = defineStream({
  name: "${name}",
  title: "${record}",
  description: "One response given to a configured survey.",
  primaryKey: ["response_uuid"],
  columns: COLUMNS,
  reads: "survey responses",
  records: (item) => [{ response_uuid: item.uuid, collected_at: item.timestamp }],
});
`;

const firstTest = (name: string): string => `import { expect, test } from "vitest";
import { ${variable(name)} } from "../../../../connector/core/streams/${name.replaceAll("_", "-")}.ts";
import { recordsOf } from "./support/service-items.ts";

test("a response is one record", () => {
  const response = { uuid: "r1", collected_at: "2026-01-05T08:00:00.000000Z", answers: [] };
  const item = { response, survey: { id: "s1" }, attribute: {}, listOf: "s1" };
  expect(recordsOf(${variable(name)}, item)).toEqual([
    { response_uuid: "r1", collected_at: "2026-01-05T08:00:00.000000Z" },
  ]);
});
`;
