import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schemaFiles } from "../../../n8n-node/scripts/schemas.mts";

test.each([...schemaFiles()])("%s follows from the schemas (npm run generate -w n8n-node)", (path, text) => {
  expect(readFileSync(join(import.meta.dirname, "../../../n8n-node", path), "utf8")).toBe(text);
});
