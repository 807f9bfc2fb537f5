import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { generatedTypes } from "../scripts/generated-types.ts";

test("the generated types are those of today's schemas; otherwise run npm run generate", async () => {
  for (const [path, text] of await generatedTypes()) {
    expect(await readFile(new URL(`../${path}`, import.meta.url), "utf8"), path).toBe(text);
  }
});
