/** `npm run generate`: writes every file that follows from definitions, schemas and figures. */
import { mkdir, writeFile } from "node:fs/promises";
import { generatedFiles } from "../tools/generate/files.ts";

for (const [path, text] of await generatedFiles()) {
  const file = new URL(`../${path}`, import.meta.url);
  await mkdir(new URL(".", file), { recursive: true });
  await writeFile(file, text);
}
