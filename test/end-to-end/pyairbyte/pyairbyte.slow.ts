import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { STREAMS, type StreamName } from "@survey-export/core";
import { beforeAll, expect, test } from "vitest";
import { exampleSurveys, expectedKeys, KEYED_STREAMS, keyOf, surveyKeys } from "../../../sandbox/index.ts";
import specification from "../../../spec/connection.json" with { type: "json" };
import { BIN } from "../../support/bin.ts";
import { folderForTest } from "../../support/folder.ts";
import { addUnstorableText, sandboxForTest } from "../../support/sandbox.ts";
import { pythonWithPyAirbyte, runPython } from "./support/pyairbyte.ts";

const support = (name: string) => join(import.meta.dirname, "support", name);

beforeAll(() => {
  pythonWithPyAirbyte(); // installed here, where it may take as long as the network needs
});

let folder: string;

async function begin(responses: number) {
  folder = folderForTest().path();
  const sandbox = await sandboxForTest({ surveys: exampleSurveys(responses, 11) });
  const { url, apiKey, service } = sandbox;
  addUnstorableText(service);
  const config = { base_url: url, api_key: apiKey, attributes: ["plan", "email"] };
  return { config, truth: service.truth };
}

interface Read {
  readonly processed: number;
  readonly tables: Readonly<Record<string, Table>>;
}

interface Table {
  readonly types: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, string | null>>[];
}

/** DuckDB's rows come as strings. */
function keys({ tables }: Read, stream: StreamName): Set<string> {
  const { primaryKey, columns } = STREAMS[stream];
  const parsed = (row: Readonly<Record<string, string | null>>) =>
    primaryKey.map((name) => [name, columns[name]!.type === "integer" ? Number(row[name]) : row[name]]);
  const rows = tables[stream]?.rows ?? [];
  return new Set(rows.map((row) => keyOf(Object.fromEntries(parsed(row)), primaryKey)));
}

test("PyAirbyte reads everything into DuckDB, then what is new, and nothing twice", async () => {
  const { config, truth } = await begin(400);
  const before = expectedKeys(truth);
  const control = new URL("/sandbox/collect", config.base_url);
  const collect = truth.surveyIds().map((id) => `${control}?survey_id=${id}&count=7`);
  const streams = [...KEYED_STREAMS, "surveys", "survey_questions"] as const;
  const given = { bin: BIN, config, folder, streams, collect };
  const report = JSON.parse((await runPython([support("drive.py"), JSON.stringify(given)], folder)).stdout);
  const { first, second, full, snapshots }: Readonly<Record<string, Read>> = report;
  const after = expectedKeys(truth);
  const responses = after.get("survey_responses")!.size;
  expect(before.get("survey_responses")!.size).toBe(1611);
  expect(responses).toBe(1653);

  expect(report.properties).toEqual(Object.keys(specification.properties).toSorted());
  expect(report.streams.toSorted()).toEqual(Object.keys(STREAMS).toSorted());
  expect(report.refused).toMatch(/key/);
  expect(report.refused).not.toContain("no-such-key");

  for (const stream of KEYED_STREAMS) {
    expect(keys(first!, stream), stream).toEqual(before.get(stream));
    for (const read of [second!, full!]) {
      expect(keys(read, stream), stream).toEqual(after.get(stream));
      expect(read.tables[stream]?.rows, stream).toHaveLength(after.get(stream)!.size);
    }
  }
  const facts = surveyKeys(truth);
  for (const read of [first!, second!, full!])
    for (const [stream, expected] of facts) expect(keys(read, stream), stream).toEqual(expected);
  const all = [...before.values(), ...facts.values()];
  expect(first!.processed).toBe(all.reduce((sum, { size }) => sum + size, 0));
  expect(second!.processed).toBeLessThan(first!.processed / 2);

  const { survey_responses: stored, respondent_attributes: attributes } = full!.tables;
  expect(stored!.types).toMatchObject({ uuid: "VARCHAR", collected_at: "TIMESTAMP", answers: "JSON" });
  expect(attributes!.types).toMatchObject({ id: "BIGINT", additional_fields: "JSON" });
  // Two snapshots, each with every response.
  const { response_keys: found, response_key_snapshots: whole } = snapshots!.tables;
  expect(found!.rows).toHaveLength(2 * responses);
  expect(new Set(whole!.rows.map(({ snapshot_id }) => snapshot_id)).size).toBe(2);
  expect(whole!.rows.reduce((sum, row) => sum + Number(row.number_of_keys), 0)).toBe(found!.rows.length);
  // To the microsecond, in UTC, as text that DuckDB writes without zeros at its end.
  const written = truth
    .surveyIds()
    .flatMap((id) => [...truth.responses(id)])
    .map(({ collected_at }) => collected_at.replace("T", " ").replace(/\.?0*Z$/, ""));
  expect(stored!.rows.map((row) => row.collected_at).toSorted()).toEqual(written.toSorted());
});

test("the example of the documents prints the responses", async () => {
  const { config, truth } = await begin(40);
  const page = await readFile("docs/airbyte.md", "utf8");
  const [, code = ""] = /<!-- run: pyairbyte -->\s+```python\n(.*?)```/s.exec(page)!;
  const filled = Object.entries({
    "/usr/local/bin/source-survey-export": BIN,
    "https://api.example.com/v2": config.base_url,
    "…": config.api_key,
  }).reduce((text, [from, to]) => text.replace(`"${from}"`, JSON.stringify(to)), code);
  const example = join(folder, "example.py");
  await writeFile(example, filled);
  const { stdout } = await runPython([example], folder);
  const rows = truth.surveyIds().reduce((sum, id) => sum + truth.count(id), 0);
  expect(stdout).toMatch(new RegExp(`\\[${rows} rows x \\d+ columns\\]`));
});
