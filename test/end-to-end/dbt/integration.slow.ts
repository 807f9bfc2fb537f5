import { cpSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { testFolder } from "../../support/folder.ts";
import { testPostgres } from "../../support/postgres.ts";
import { inFork, path, run } from "./support/dbt-runner.ts";

/** The project that a user of the package can run, by the commands of its README. */
vi.setConfig({ testTimeout: 600_000 });

const PACKAGE = path("../../../../dbt");
const COMMANDS = readFileSync(join(PACKAGE, "integration_tests/README.md"), "utf8").match(/^dbt .+$/gm)!;
const EXPECTED = globSync("integration_tests/seeds/expected/*.csv", { cwd: PACKAGE });

const folder = testFolder().path();
const postgres = await testPostgres();

test.each([
  ["DuckDB", ""],
  ["PostgreSQL", " --target postgres"],
])("the README's commands pass on %s, and compare each expected seed with its model", (name, target) => {
  const copy = join(folder, name);
  // What dbt made there in a run by hand stays there.
  cpSync(PACKAGE, copy, { recursive: true, filter: (file) => !/\/(target|dbt_packages)$/.test(file) });
  const commands = [
    `dbt() { python3 ${inFork().join(" ")} "$@"; }`,
    `export PGHOST=127.0.0.1 PGPORT=${postgres.port} PGUSER=survey`,
    ...COMMANDS.map((command) => `${command}${target}`),
  ];
  const said = run("/bin/sh", ["-ec", commands.join("\n")], join(copy, "integration_tests"));
  expect(said.match(/Done\. .+/g)?.at(-1)).toMatch(/^Done\. PASS=\d+ WARN=\d+ ERROR=0 SKIP=0 /);
  expect(said.match(/ PASS matches_expected_/g)).toHaveLength(EXPECTED.length);
});
