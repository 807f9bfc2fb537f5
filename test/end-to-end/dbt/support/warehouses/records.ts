import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { exampleCompany, startSandbox } from "../../../../../sandbox/index.ts";
import { environment, path } from "../dbt-runner.ts";
import { HOSTILE_NAMES } from "../made-tables.ts";

/** Reads everything with the bin, and puts it into DuckDB as a warehouse's loader would; returns the database's path. */
export async function loadTables(python: string, folder: string): Promise<string> {
  const sandbox = await startSandbox(exampleCompany());
  const bin = path("../../../../dist/source-survey-export.js");
  const source = async (...args: readonly string[]) =>
    (await promisify(execFile)(process.execPath, [bin, ...args], { maxBuffer: 1 << 30 })).stdout;
  const keep = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  try {
    const survey_ids = sandbox.service.truth.surveyIds();
    const settings = { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids };
    const config = keep("config.json", JSON.stringify(settings));
    const discovered = (await source("discover", "--config", config)).trim().split("\n");
    const { streams } = discovered.map((line) => JSON.parse(line)).find(({ catalog }) => catalog).catalog;
    const configured = streams.map((stream: object) => ({
      ...{ stream, sync_mode: "full_refresh", destination_sync_mode: "append" },
    }));
    const catalog = keep("catalog.json", JSON.stringify({ streams: configured }));
    const lines = keep("lines.jsonl", await source("read", "--config", config, "--catalog", catalog));
    const duckdb = join(folder, "survey.duckdb");
    const given = JSON.stringify({ lines, streams, names: HOSTILE_NAMES, duckdb });
    await promisify(execFile)(python, [path("warehouses/tables.py"), given], { env: environment(folder) });
    return duckdb;
  } finally {
    await sandbox.close();
  }
}
