import { expect, it } from "vitest";
import { configuredCatalog } from "../../../connector/airbyte/catalog.ts";
import { runBin } from "../../support/bin.ts";

it("catalog prints all streams but the snapshots", async () => {
  const { code, stdout, stderr } = await runBin(["catalog"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(configuredCatalog().streams.length).toBeGreaterThan(3);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(configuredCatalog())));
});

it("catalog prints the streams that are named; a wrong name is an error on stderr alone", async () => {
  const { code, stdout, stderr } = await runBin(["catalog", "--streams", "survey_response"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^ERROR .*Did you mean survey_responses\?.* \[invalid_configuration\]\n$/);
});
