/** `npm run new:stream NAME`: writes the files of a new stream, and says what to do with them. */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newStream } from "../tools/generate/new-stream.ts";

const root = join(import.meta.dirname, "..");
const [name, ...more] = process.argv.slice(2);
if (name === undefined || more.length > 0) fail("Write one name: npm run new:stream survey_choices");

const files = await newStream(name).catch((error: Error) => fail(error.message));
for (const [path, text] of files) await writeFile(join(root, path), text);
const paths = [...files.keys()];
const code = paths.filter((path) => path.endsWith(".ts"));
execFileSync(process.execPath, ["node_modules/@biomejs/biome/bin/biome", "check", "--write", ...code], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});

const [definition, list, page, test] = paths;
process.stdout.write(`The stream ${name} has one record for each response. Now:

1. Say in ${definition} what a record is: the list that it reads, its
   columns, its key, and the records of an item.
2. Say the same in ${test}.
3. Run npm run generate, which writes its schema, types and tables, and npm test.

It stands in ${list}. ${page} says that Airbyte's
low-code manifest does not have it: add it to manifest/template.yaml and remove that sentence, or leave both.
If it reads what the sandbox does not serve, add data to sandbox/.
`);

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
