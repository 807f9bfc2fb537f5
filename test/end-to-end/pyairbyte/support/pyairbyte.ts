import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { BIN } from "../../../support/bin.ts";
import { pythonWith } from "../../../support/virtual-environment.ts";

/** A Python with PyAirbyte. */
const pythonWithPyAirbyte = (): string => pythonWith("pyairbyte", ["airbyte==0.71.3", "pytest==9.2.0"]);

/** Runs a program of it. The sandbox runs in this process, so nothing may block it. */
export const runPython = (
  words: readonly string[],
  folder: string,
  { cwd = folder, before = [] }: { readonly cwd?: string; readonly before?: readonly string[] } = {},
) =>
  promisify(execFile)(pythonWithPyAirbyte(), words, {
    cwd,
    maxBuffer: 1 << 30,
    env: {
      // The bin is started by its first line, so a new enough Node comes first.
      PATH: [...before, dirname(process.execPath), process.env.PATH].join(":"),
      HOME: folder,
      AIRBYTE_OFFLINE_MODE: "1",
      DO_NOT_TRACK: "1",
      SURVEY_EXPORT_BIN: BIN,
      PYTHONDONTWRITEBYTECODE: "1",
    },
  });

/** One read by PyAirbyte, into `survey.duckdb` of the folder and into PostgreSQL. */
export async function load(
  folder: string,
  postgres: { readonly port: number },
  config: object,
  { schema = "raw", streams, how = {} }: { schema?: string; streams?: readonly string[]; how?: object } = {},
): Promise<void> {
  const given = {
    bin: BIN,
    config,
    schema,
    streams: streams ?? null,
    how: { write_strategy: "append", ...how },
    duckdb: join(folder, "survey.duckdb"),
    postgres: postgres.port,
  };
  await runPython([join(import.meta.dirname, "load.py"), JSON.stringify(given)], folder);
}
