import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { pythonWith } from "../../support/virtual-environment.ts";
import { CDK, PYTEST, scenariosOfSource, standardTests } from "../pyairbyte/support/standard-tests.ts";
import { buildImage } from "./support/image.ts";

let python: string;
beforeAll(() => {
  buildImage();
  // Not PyAirbyte's, which another suite may be installing at the same time.
  python = pythonWith("standard-tests", [CDK, PYTEST]);
});

/** A container starts for each command. */
const PATIENT = { timeout: 1_800_000 };

// Skipped is what does not apply: a malformed configuration does not fit the form, and only one that works is read with.
test("Airbyte's standard tests of an image pass", PATIENT, async () => {
  const { HOME, XDG_CACHE_HOME, SURVEY_EXPORT_CONTAINER_TOOL } = process.env;
  const env = { HOME, XDG_CACHE_HOME, SURVEY_EXPORT_CONTAINER_TOOL };
  const runner = { python, before: [join(import.meta.dirname, "support")], env };
  const scenarios = await scenariosOfSource();
  expect(await standardTests("TestImage", "connector/airbyte/metadata.yaml", scenarios, runner)).toEqual({
    test_docker_image_build_and_spec: "1 passed",
    test_docker_image_build_and_config_matches_spec: "7 passed, 3 skipped",
    test_docker_image_build_and_check: "10 passed",
    test_docker_image_build_and_discover: "6 passed, 4 skipped",
    test_docker_image_build_and_read: "6 passed, 4 skipped",
  });
});
