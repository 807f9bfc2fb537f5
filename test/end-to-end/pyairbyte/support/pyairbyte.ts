import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { BIN } from "../../../support/bin.ts";
import { pythonWith } from "../../../support/virtual-environment.ts";
import { CDK, PYTEST } from "./standard-tests.ts";

/** A Python with PyAirbyte, and with Airbyte's standard tests. */
export const pythonWithPyAirbyte = (): string => pythonWith("airbyte", ["airbyte==0.71.3", CDK, PYTEST]);

/** Runs a program of it. The sandbox runs in this process, so nothing may block it. */
export const runPython = (words: readonly string[], folder: string) =>
  promisify(execFile)(pythonWithPyAirbyte(), words, {
    cwd: folder,
    maxBuffer: 1 << 30,
    env: {
      // The bin is started by its first line, so a new enough Node comes first.
      PATH: [dirname(process.execPath), process.env.PATH].join(":"),
      HOME: folder,
      AIRBYTE_OFFLINE_MODE: "1",
      DO_NOT_TRACK: "1",
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
