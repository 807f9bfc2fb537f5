import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { BIN } from "../../support/bin.ts";
import { folderForTest } from "../../support/folder.ts";
import { pythonWithPyAirbyte } from "./support/pyairbyte.ts";
import { scenariosOfManifest, scenariosOfSource, standardTests } from "./support/standard-tests.ts";

/*
 * The tests that Airbyte runs on each of its sources, from its CDK. All that they ask and assert is Airbyte's. Those
 * that start an image are in the suite of the image. The counts are exact: a test that no longer runs is noticed. What
 * is skipped does not apply: a malformed configuration does not fit the form, and a catalog is asked for only with one
 * that works.
 */

/** They start Python and the source many times, which takes as long as the machine needs. */
const PATIENT = { timeout: 1_800_000 };

describe("Airbyte's standard tests", () => {
  let python: string;
  beforeAll(() => {
    python = pythonWithPyAirbyte();
  });

  test("pass on the program", PATIENT, async () => {
    const folder = folderForTest().path();
    await symlink(BIN, join(folder, "source-survey-export"));
    const runner = { python, before: [folder] };
    const tests = standardTests(
      "TestProgram",
      "connector/airbyte/metadata.yaml",
      await scenariosOfSource(),
      runner,
    );
    expect(await tests).toEqual({
      test_spec: "1 passed",
      test_config_matches_spec: "7 passed, 3 skipped",
      test_check: "10 passed",
      test_discover: "6 passed, 4 skipped",
      test_basic_read: "10 passed",
      test_fail_read_with_bad_catalog: "10 passed",
    });
  });

  test("pass on the manifest", PATIENT, async () => {
    const runner = { python, before: [] };
    const tests = standardTests(
      "TestManifest",
      "manifest/manifest.yaml",
      await scenariosOfManifest(),
      runner,
    );
    expect(await tests).toEqual({
      test_spec: "1 passed",
      test_config_matches_spec: "4 passed, 3 skipped",
      test_check: "7 passed",
      test_discover: "2 passed, 5 skipped",
      test_basic_read: "7 passed",
      test_fail_read_with_bad_catalog: "7 passed",
    });
  });
});
