import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import build from "../../support/build.ts";
import { pythonWith } from "../../support/virtual-environment.ts";
import { run } from "./support/run.ts";
import { type Keys, type ServiceToLoad, startService } from "./support/service.ts";

vi.setConfig({ testTimeout: 1_200_000 });

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const source = [process.execPath, path("../../../dist/source-survey-export.js")];

let python: string;
let service: ServiceToLoad;

beforeAll(() => {
  python = pythonWith("runners", ["airbyte-serverless==0.37", "dlt[duckdb]==1.31.0"]);
  build();
});

beforeEach(async () => {
  service = await startService();
});

afterEach(() => service.close());

/** The primary keys in the tables of a DuckDB file, as often as they are there. */
async function keysIn(file: string, schema: string): Promise<Partial<Keys>> {
  const program = `
import duckdb, json, sys
database = duckdb.connect(sys.argv[1], read_only=True)
keys = {"survey_responses": "uuid", "respondent_responses": "uuid", "respondent_attributes": "respondent_uuid || ' ' || id"}
found = {}
for stream, key in keys.items():
    rows = database.execute(f"select {key} from {sys.argv[2]}.{stream} order by all").fetchall()
    found[stream] = [row[0] for row in rows]
print(json.dumps(found))`;
  const { code, stdout, stderr } = await run(python, ["-c", program, file, schema], { cwd: service.folder });
  expect(code, stderr).toBe(0);
  const found = JSON.parse(stdout) as Keys;
  return Object.fromEntries(Object.entries(found).map(([stream, keys]) => [stream, keys.toSorted()]));
}

/** Each record is there once after a first load, and after another of what is new. @returns the second load */
async function loadTwice(load: () => ReturnType<typeof run>, keys: () => Promise<unknown>) {
  const once = async () => {
    const loaded = await load();
    expect(loaded.code, loaded.stderr).toBe(0);
    expect(await keys()).toEqual(service.truth());
    return loaded;
  };
  await once();
  service.collect();
  return once();
}

describe("dlt", () => {
  const load = () =>
    run(python, [path("../../../examples/dlt/load.py"), "config.json", ...source], {
      cwd: service.folder,
      env: { DLT_DATA_DIR: join(service.folder, "dlt"), RUNTIME__DLTHUB_TELEMETRY: "false" },
    });
  const keys = () => keysIn("survey_export.duckdb", "surveys");

  test("loads everything, then what is new, and holds each record once", async () => {
    await loadTwice(load, keys);
  });

  test("tables have every column with its type, also one that is null in every record", async () => {
    expect(await load()).toMatchObject({ code: 0 });
    const program = `
import duckdb, json, sys
rows = duckdb.connect(sys.argv[1], read_only=True).execute("describe surveys.survey_answers").fetchall()
print(json.dumps({row[0]: row[1] for row in rows}))`;
    const { stdout } = await run(python, ["-c", program, "survey_export.duckdb"], { cwd: service.folder });
    expect(JSON.parse(stdout)).toMatchObject({
      collected_at: "TIMESTAMP WITH TIME ZONE",
      position: "BIGINT",
      value_text: "VARCHAR",
      value_number: "DOUBLE",
      value_boolean: "BOOLEAN",
      additional_fields: "JSON",
    });
  });

  test("a failed sync is reported, and the state that was reached before stays", async () => {
    expect(await load()).toMatchObject({ code: 0 });
    service.collect();
    service.useKey("no-such-key");
    const failed = await load();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("ERROR The service does not accept the API key");
    expect(failed.stderr).not.toContain("no-such-key");
    service.useKey(service.config.api_key);
    expect(await load()).toMatchObject({ code: 0 });
    expect(await keys()).toEqual(service.truth());
  });
});

describe("airbyte-serverless", () => {
  const load = () =>
    run(python, [path("../../../examples/airbyte-serverless/load.py"), "connection.yaml"], {
      cwd: service.folder,
    });
  const keys = () => keysIn("surveys.duckdb", "main");

  function configure(apiKey: string): void {
    const connection = parse(
      readFileSync(path("../../../examples/airbyte-serverless/connection.yaml"), "utf8"),
    );
    connection.source.executable = source.join(" ");
    connection.source.config = { ...service.config, api_key: apiKey };
    delete connection.source.streams; // all of them
    writeFileSync(join(service.folder, "connection.yaml"), stringify(connection));
  }

  test("loads everything, then what is new, and its views hold each record once", async () => {
    configure(service.config.api_key);
    const second = await loadTwice(load, keys);
    expect(second.stdout.match(/survey_responses (\d+)/)?.[1], second.stdout).toBeDefined();
    expect(Number(second.stdout.match(/survey_responses (\d+)/)?.[1])).toBeLessThan(100);
  });

  test("a failed sync ends with exit code 1, and its reason", async () => {
    configure("no-such-key");
    const { code, stderr } = await load();
    expect(code).toBe(1);
    expect(stderr).toContain("ERROR The service does not accept the API key");
    expect(stderr).not.toContain("no-such-key");
  });
});
