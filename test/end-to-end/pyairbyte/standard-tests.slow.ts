import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleSurveys } from "../../../sandbox/index.ts";
import { BIN } from "../../support/bin.ts";
import { folderForTest } from "../../support/folder.ts";
import { addUnstorableText, sandboxForTest } from "../../support/sandbox.ts";
import { runPython } from "./support/pyairbyte.ts";

const support = (name: string) => join(import.meta.dirname, "support", name);

let folder: string;

async function begin(responses: number) {
  folder = folderForTest().path();
  const sandbox = await sandboxForTest({ surveys: exampleSurveys(responses, 11) });
  const { url, apiKey, service } = sandbox;
  addUnstorableText(service);
  const config = { base_url: url, api_key: apiKey, attributes: ["plan", "email"] };
  return { config, truth: service.truth };
}

describe("Airbyte's own standard tests", () => {
  /** What they run with which configuration. JSON is YAML. */
  const right = { tests: [{ config_path: "secrets/config.json" }] };
  const statuses = [
    { config_path: "secrets/config.json", status: "succeed" },
    { config_path: "secrets/invalid.json", status: "failed" },
  ];
  const acceptance = {
    connector_image: "the-image",
    test_strictness_level: "high",
    acceptance_tests: {
      spec: right,
      connection: { tests: statuses },
      discovery: right,
      basic_read: right,
      full_refresh: right,
    },
  };

  /** What pytest prints about a suite, in a connector's folder as Airbyte wants it. `described`: our file about it. */
  async function pytest(suite: string, described: string, more: readonly string[]): Promise<string> {
    const { config: every, truth } = await begin(60);
    // The manifest lists no surveys.
    const config = suite === "TestManifest" ? { ...every, survey_ids: truth.surveyIds() } : every;
    const connector = join(folder, "source-survey-export");
    const inside = (name: string) => join(connector, name);
    await mkdir(inside("secrets"), { recursive: true });
    await writeFile(inside("secrets/config.json"), JSON.stringify(config));
    await writeFile(inside("secrets/invalid.json"), JSON.stringify({ ...config, api_key: "no-such-key" }));
    await writeFile(inside("acceptance-test-config.yml"), JSON.stringify(acceptance));
    await cp(support("standard_tests.py"), inside("standard_tests.py"));
    await cp(described, inside(described.split("/").at(-1)!));
    await mkdir(join(folder, "stand-in"));
    await symlink(BIN, join(folder, "stand-in/source-survey-export"));
    const before = [join(folder, "stand-in"), join(import.meta.dirname, "../../support/stand-ins")];
    const hooks = ["-p", "airbyte_cdk.test.standard_tests.pytest_hooks", "-p", "no:cacheprovider"];
    const words = ["-m", "pytest", `standard_tests.py::${suite}`, ...hooks, "-v", "-rs", ...more];
    return runPython(words, folder, { cwd: connector, before }).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => `${stdout}\n${stderr}`,
    );
  }

  test("pass, run on the bin and on what stands for its image", async () => {
    const printed = await pytest("TestProgram", "connector/airbyte/metadata.yaml", [
      ...["--connector-image", "the-image", "--read-from-streams", "all", "--read-scenarios", "config"],
      ...["-W", "error::airbyte_cdk.test.standard_tests.DiscoveredCatalogWarning"],
      // It compares with the version that Airbyte's registry on the internet has, and there is none.
      ...["--deselect", "standard_tests.py::TestProgram::test_docker_image_spec_backward_compatibility"],
    ]);
    // Skipped is what the suite does not ask of the configuration with a wrong key.
    expect(printed).toMatch(/ 13 passed, 7 skipped/);
    expect(printed).not.toMatch(/failed|error/i);
  });

  test("pass, run on the manifest", async () => {
    const printed = await pytest("TestManifest", "manifest/manifest.yaml", ["-k", "not docker"]);
    expect(printed).toMatch(/ 7 passed, 4 skipped, 10 deselected/);
    expect(printed).not.toMatch(/failed|error/i);
  });
});
