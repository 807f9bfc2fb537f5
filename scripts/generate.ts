import { mkdir, writeFile } from "node:fs/promises";
import { generatedTypes } from "./generated-types.ts";

for (const [path, text] of await generatedTypes()) {
  const file = new URL(`../${path}`, import.meta.url);
  await mkdir(new URL(".", file), { recursive: true });
  await writeFile(file, text);
}
