import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { STREAMS, type StreamName } from "@survey-export/core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  exampleSurveys,
  expectedKeys,
  KEYED_STREAMS,
  keyOf,
  type Sandbox,
  startSandbox,
} from "../../../sandbox/index.ts";
import specification from "../../../spec/connection.json" with { type: "json" };
import build from "../../support/build.ts";
import { addUnstorableText } from "../../support/unstorable-text.ts";
import { runPython } from "./support/pyairbyte.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const bin = path("../../../dist/source-survey-export.js");

let folder: string;
let sandbox: Sandbox;

beforeAll(build);

afterEach(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

async function begin(responses: number): Promise<object> {
  folder = await mkdtemp(join(tmpdir(), "pyairbyte-"));
  sandbox = await startSandbox({ surveys: exampleSurveys(responses, 11) });
  addUnstorableText(sandbox.service);
  return {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: sandbox.service.truth.surveyIds(),
    attributes: ["plan", "email"],
  };
}

interface Read {
  readonly processed: number;
  readonly tables: Readonly<
    Record<
      string,
      { readonly types: Record<string, string>; readonly rows: readonly Record<string, string | null>[] }
    >
  >;
}

interface Report {
  readonly properties: readonly string[];
  readonly streams: readonly string[];
  readonly first: Read;
  readonly second: Read;
  readonly third: Read;
  readonly full: Read;
  readonly snapshots: Read;
  readonly refused: string;
}

/** The keys that the tables must hold now, by stream. */
const truth = () => expectedKeys(sandbox.service.truth);

const keys = (read: Read, stream: StreamName): Set<string> =>
  new Set((read.tables[stream]?.rows ?? []).map((row) => keyOf(parsedKey(row), STREAMS[stream].primaryKey)));

/** DuckDB's rows come as strings; these parts of keys are numbers. */
function parsedKey(row: Readonly<Record<string, string | null>>): Record<string, unknown> {
  const numbers = ["id", "question_id", "position"].filter((name) => row[name] != null);
  return { ...row, ...Object.fromEntries(numbers.map((name) => [name, Number(row[name])])) };
}

test("PyAirbyte reads everything into DuckDB, then what is new, and nothing twice", async () => {
  const config = await begin(400);
  const before = truth();
  const control = new URL("/sandbox/collect", sandbox.url);
  const collect = sandbox.service.truth.surveyIds().map((id) => `${control}?survey_id=${id}&count=7`);
  const { stdout } = await runPython(
    [path("support/drive.py"), JSON.stringify({ bin, config, folder, streams: KEYED_STREAMS, collect })],
    folder,
  );
  const report: Report = JSON.parse(stdout);
  const after = truth();
  expect(before.get("survey_responses")?.size).toBe(1601);
  expect(after.get("survey_responses")?.size).toBe(1629);

  expect(report.properties).toEqual(Object.keys(specification.properties).sort());
  const streams = KEYED_STREAMS;
  expect(report.streams.toSorted()).toEqual(Object.keys(STREAMS).toSorted());
  expect(report.refused).toMatch(/key/);
  expect(report.refused).not.toContain("no-such-key");

  for (const stream of streams) {
    expect(keys(report.first, stream), stream).toEqual(before.get(stream));
    for (const read of [report.second, report.third, report.full]) {
      expect(keys(read, stream), stream).toEqual(after.get(stream));
      expect(read.tables[stream]?.rows, stream).toHaveLength(after.get(stream)!.size);
    }
  }
  expect(report.first.processed).toBe([...before.values()].reduce((sum, { size }) => sum + size, 0));
  expect(report.second.processed).toBeLessThan(report.first.processed / 2);
  expect(report.third.processed).toBeLessThan(report.second.processed);

  expect(report.full.tables.survey_responses?.types).toEqual({
    uuid: "VARCHAR",
    collected_at: "TIMESTAMP",
    survey_id: "VARCHAR",
    survey_name: "VARCHAR",
    survey_type: "VARCHAR",
    respondent_uuid: "VARCHAR",
    url: "VARCHAR",
    device_type: "VARCHAR",
    operating_system: "VARCHAR",
    platform: "VARCHAR",
    language: "VARCHAR",
    answers: "JSON",
    attributes: "JSON",
    respondent_attributes: "JSON",
    additional_fields: "JSON",
  });
  expect(report.full.tables.respondent_attributes?.types).toEqual({
    respondent_uuid: "VARCHAR",
    id: "BIGINT",
    name: "VARCHAR",
    value: "VARCHAR",
    collected_at: "TIMESTAMP",
    additional_fields: "JSON",
  });
  // Two snapshots, each with every response.
  const { response_keys: found, response_key_snapshots: whole } = report.snapshots.tables;
  expect(found?.rows).toHaveLength(2 * after.get("survey_responses")!.size);
  expect(new Set(whole?.rows.map(({ snapshot_id }) => snapshot_id)).size).toBe(2);
  const counts = whole?.rows.map(({ number_of_keys }) => Number(number_of_keys)) ?? [];
  expect(counts.reduce((sum, count) => sum + count)).toBe(found?.rows.length);
  // To the microsecond, in UTC, as text that DuckDB writes without zeros at its end.
  const timestamps = report.full.tables.survey_responses?.rows.map(({ collected_at }) => collected_at);
  const { truth: data } = sandbox.service;
  const written = data
    .surveyIds()
    .flatMap((id) => [...data.responses(id)])
    .map(({ collected_at }) => collected_at.replace("T", " ").replace(/\.?0*Z$/, ""));
  expect(timestamps?.toSorted()).toEqual(written.toSorted());
});

test("the example of the documents prints the responses", async () => {
  const { base_url, api_key } = (await begin(40)) as { base_url: string; api_key: string };
  const [surveyId = ""] = sandbox.service.truth.surveyIds();
  const [, code = ""] = /<!-- run: pyairbyte -->\s+```python\n(.*?)```/s.exec(
    await readFile("docs/airbyte.md", "utf8"),
  )!;
  const example = join(folder, "example.py");
  const fill = { "/usr/local/bin/source-survey-export": bin, "https://api.example.com/v2": base_url };
  const filled = Object.entries({ ...fill, "…": api_key, "1042": surveyId }).reduce(
    (text, [from, to]) => text.replace(`"${from}"`, JSON.stringify(to)),
    code,
  );
  await writeFile(example, filled);
  const { stdout } = await runPython([example], folder);
  const rows = [...sandbox.service.truth.responses(surveyId)].length;
  expect(stdout).toMatch(new RegExp(`\\[${rows} rows x \\d+ columns\\]`));
});

/** A connector's folder as Airbyte's standard tests want it, with these files of ours. */
async function connectorWith(...files: readonly string[]): Promise<string> {
  const config = await begin(60);
  const connector = join(folder, "source-survey-export");
  await mkdir(join(connector, "secrets"), { recursive: true });
  await writeFile(join(connector, "secrets/config.json"), JSON.stringify(config));
  await writeFile(
    join(connector, "secrets/invalid.json"),
    JSON.stringify({ ...config, api_key: "no-such-key" }),
  );
  for (const name of ["support/acceptance-test-config.yml", ...files])
    await cp(path(name), join(connector, basename(name)));
  return connector;
}

/** What pytest prints. */
async function pytest(connector: string, words: readonly string[], before: readonly string[] = []) {
  const hooks = ["-p", "airbyte_cdk.test.standard_tests.pytest_hooks", "-p", "no:cacheprovider"];
  const all = ["-m", "pytest", ...words, ...hooks, "-v", "-rs"];
  return runPython(all, folder, { cwd: connector, before }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `${stdout}\n${stderr}`,
  );
}

describe("Airbyte's own standard tests", () => {
  test("pass, run on the bin and on what stands for its image", async () => {
    const connector = await connectorWith(
      "support/standard_tests.py",
      "../../../connector/airbyte/metadata.yaml",
    );
    await mkdir(join(folder, "stand-in"));
    await symlink(bin, join(folder, "stand-in", "source-survey-export"));
    const printed = await pytest(
      connector,
      [
        ...[
          "standard_tests.py",
          "--connector-image",
          "the-image",
          "--read-from-streams",
          "all",
          "--read-scenarios",
          "config",
        ],
        ...["-W", "error::airbyte_cdk.test.standard_tests.DiscoveredCatalogWarning"],
        // It compares with the version that Airbyte's registry on the internet has, and there is none.
        ...["--deselect", "standard_tests.py::TestSource::test_docker_image_spec_backward_compatibility"],
      ],
      [join(folder, "stand-in"), path("../../support/stand-ins")],
    );
    // Skipped is what the suite does not ask of the configuration with a wrong key.
    expect(printed).toMatch(/ 13 passed, 7 skipped/);
    expect(printed).not.toMatch(/failed|error/i);
  });

  test("pass, run on the manifest", async () => {
    const connector = await connectorWith(
      "support/manifest_standard_tests.py",
      "../../../manifest/manifest.yaml",
    );
    const printed = await pytest(connector, ["manifest_standard_tests.py", "-k", "not docker"]);
    expect(printed).toMatch(/ 7 passed, 4 skipped, 10 deselected/);
    expect(printed).not.toMatch(/failed|error/i);
  });
});
