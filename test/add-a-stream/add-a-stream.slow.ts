import { execFile } from "node:child_process";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exampleSurveys, startSandbox } from "../../sandbox/index.ts";
import { copyOfTheTree } from "../tree/copy-of-the-tree.ts";

const run = promisify(execFile);

/**
 * The four steps of "To add a stream" in CONTRIBUTING.md, and nothing else: a schema, a file, a line, and the manifest.
 * Of the fourth it takes the second way: it leaves the stream out of the manifest, and says so on the page.
 */
const SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "ResponseDevice",
  description: "The device of one response.",
  type: "object",
  additionalProperties: true,
  required: ["uuid", "collected_at"],
  properties: {
    uuid: { type: "string", description: "Identifier of the response. Primary key of the stream." },
    collected_at: {
      type: "string",
      format: "date-time",
      airbyte_type: "timestamp_with_timezone",
      description: "When the service received the response. Cursor of the stream.",
    },
    device_type: { type: ["string", "null"], description: "Kind of device." },
  },
};
const DEFINITION = `import schema from "../../../schemas/streams/response_devices.json" with { type: "json" };
import type { SurveyStream } from "./definition.ts";

/** The device of every response of the configured surveys. */
export const responseDevices = {
  name: "response_devices",
  schema,
  primaryKey: ["uuid"],
  columns: { uuid: "plain", collected_at: "plain", device_type: "plain" },
  reads: "survey responses",
  records: ({ uuid, response }) => [
    {
      uuid,
      collected_at: String(response.collected_at),
      device_type: response.device_type == null ? null : String(response.device_type),
    },
  ],
} as const satisfies SurveyStream;
`;

let folder: string;
beforeAll(async () => {
  folder = await copyOfTheTree("add-a-stream");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const node = (...words: string[]) => run(process.execPath, words, { cwd: folder, maxBuffer: 1e8 });

it("a stream is a schema, a file, a line and a word about the manifest: types, catalog, documentation and reading follow", async () => {
  await writeFile(
    join(folder, "schemas/streams/response_devices.json"),
    JSON.stringify(SCHEMA, undefined, 2),
  );
  await writeFile(join(folder, "connector/core/streams/response-devices.ts"), DEFINITION);
  const index = join(folder, "connector/core/streams/index.ts");
  const text = await readFile(index, "utf8");
  const listed = text.replace(
    "respondentAttributes] as const",
    "respondentAttributes, responseDevices] as const",
  );
  expect(listed).not.toBe(text);
  await writeFile(index, `import { responseDevices } from "./response-devices.ts";\n${listed}`);

  await appendFile(
    join(folder, "docs/airbyte-manifest.md"),
    "\nThe stream `response_devices` is not in the manifest.\n",
  );

  await node("scripts/generate.ts");
  await node("node_modules/typescript/bin/tsc", "--noEmit");
  await node("scripts/build.ts");
  expect(await readFile(join(folder, "docs/airbyte.md"), "utf8")).toContain("### response_devices");

  const sandbox = await startSandbox({ surveys: exampleSurveys(150, 5) });
  try {
    const config = join(folder, "config.json");
    await writeFile(
      config,
      JSON.stringify({
        base_url: sandbox.url,
        api_key: sandbox.apiKey,
        survey_ids: sandbox.service.truth.surveyIds(),
      }),
    );
    const discovered = await node("dist/source-survey-export.js", "discover", "--config", config);
    const { streams } = JSON.parse(discovered.stdout.trim()).catalog;
    const stream = streams.find(({ name }: { name: string }) => name === "response_devices");
    const catalog = join(folder, "catalog.json");
    await writeFile(catalog, JSON.stringify({ streams: [{ stream, sync_mode: "incremental" }] }));
    const { stdout } = await node(
      ...["dist/source-survey-export.js", "read", "--config", config, "--catalog", catalog],
    );
    const uuids = stdout
      .split("\n")
      .filter((line) => line.startsWith('{"type":"RECORD"'))
      .map((line) => JSON.parse(line).record.data.uuid);
    const truth = sandbox.service.truth
      .surveyIds()
      .flatMap((id) => [...sandbox.service.truth.responses(id)].map(({ uuid }) => uuid));
    expect(uuids.sort()).toEqual(truth.sort());
  } finally {
    await sandbox.close();
  }
});

it("the tests that go through all streams accept it", async () => {
  const { VITEST: _, VITEST_WORKER_ID: __, VITEST_POOL_ID: ___, ...env } = process.env;
  const words = ["run", "test/airbyte/acceptance.test.ts", "test/manifest/generated.test.ts"];
  const ended = await run(process.execPath, ["node_modules/vitest/vitest.mjs", ...words], {
    cwd: folder,
    env,
    maxBuffer: 1e8,
  }).catch((failed: { stdout: string; stderr: string }) => failed);
  expect(ended, `${ended.stdout}${ended.stderr}`).not.toBeInstanceOf(Error);
});
