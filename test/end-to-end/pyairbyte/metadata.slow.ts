import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { pythonWith } from "../../support/virtual-environment.ts";

/** Where a package has the JSON schema that Airbyte generates its own checks of metadata.yaml from. */
const PRINT_PATH = `
from importlib.util import find_spec
folder = find_spec("airbyte_connector_models").submodule_search_locations[0]
print(folder + "/metadata/v0/ConnectorMetadataDefinitionV0.json", end="")
`;

test("metadata.yaml fits the model that Airbyte publishes", async () => {
  const python = pythonWith("connector-models", ["--no-deps", "airbyte-connector-models==0.1.12"]);
  const path = execFileSync(python, ["-c", PRINT_PATH], { encoding: "utf8" });
  // Its parts are bundled and keep the ids of their files, which its references do not mean.
  const schema = JSON.parse(await readFile(path, "utf8"), (name, value) =>
    name === "$id" ? undefined : value,
  );
  // What Airbyte's registry adds later; it has a type that JSON Schema does not know.
  delete schema.properties.data.properties.generated;
  const fits = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  const metadata = parse(
    await readFile(new URL("../../../connector/airbyte/metadata.yaml", import.meta.url), "utf8"),
  );
  fits(metadata);
  expect(fits.errors).toBe(null);
  for (const changed of [{ releaseStage: "new" }, { relaseDate: "2026-11-21" }, { suggestedStreams: [] }])
    expect(fits({ ...metadata, data: { ...metadata.data, ...changed } }), JSON.stringify(changed)).toBe(
      false,
    );
});
