/**
 * `npm run demo:picture`: runs the demo and writes what it shows on a terminal, in the times that it took, as an
 * animated picture: `docs/demo.svg`. Run it after a change of the demo's text.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tellInto } from "../tools/demo/main.ts";
import { animated, type Written } from "../tools/demo/terminal.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "demo-picture-"));
try {
  const beganMs = performance.now();
  const written: Written[] = [{ atMs: 0, text: "$ npx source-survey-export demo\n\n" }];
  await tellInto(folder, join(root, "dist/source-survey-export.js"), {
    isLive: true,
    write: (text) => {
      process.stdout.write(text);
      const shown = text.replaceAll(folder, ".survey-export/demo");
      written.push({ atMs: performance.now() - beganMs + 1_000, text: shown });
    },
  });
  await writeFile(join(root, "docs/demo.svg"), animated(written));
} finally {
  await rm(folder, { recursive: true });
}
