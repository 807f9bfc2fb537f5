import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import build from "../../../support/build.ts";
import { outcomeOf, prepare } from "../support/warehouses/warehouses.ts";

/** The dbt package on a Spark of this machine, whose session is in another time zone than UTC. Needs Java. */
vi.setConfig({ testTimeout: 1_800_000 });

let folder: string;

beforeAll(() => {
  build();
  execFileSync("java", ["-version"], { stdio: "pipe" });
  folder = mkdtempSync(join(tmpdir(), "spark-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("dbt builds, and tests, the models on Spark, with the rows that they have on DuckDB", async () => {
  const { faults, equal } = outcomeOf("run_spark", "spark", folder, await prepare(folder));
  expect(faults).toEqual({});
  expect(equal).toHaveLength(14);
});
