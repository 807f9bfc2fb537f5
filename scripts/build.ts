import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/**
 * Bundles the program into `dist/`: the bin, and a chunk for whatever only some commands need. Chunks are named by
 * their content and put in place before the bin that asks for them, so a program that is running meanwhile, or
 * started at any moment, finds all its parts.
 */
const root = fileURLToPath(new URL("../", import.meta.url));
/** What is bundled from CommonJS still asks for Node's own modules with require; elsewhere it would only cost time. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { "source-survey-export": "connector/main.ts" },
  outdir: "dist",
  write: false,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  chunkNames: "chunks/[name]-[hash]",
  banner: { js: REQUIRE },
  // By its path, so that the image can be built without npm's links between workspaces.
  alias: {
    "@survey-export/core/errors": "./connector/core/errors.ts",
    "@survey-export/core": "./connector/core/index.ts",
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
});
const isChunk = (path: string): boolean => basename(dirname(path)) === "chunks";
for (const { path, text } of outputFiles.toSorted(
  (a, b) => Number(isChunk(b.path)) - Number(isChunk(a.path)),
)) {
  await mkdir(dirname(path), { recursive: true });
  const rest = text.replace(REQUIRE, "");
  await writeFile(`${path}.new`, /\brequire\b/.test(rest) ? text : rest);
  await chmod(`${path}.new`, isChunk(path) ? 0o644 : 0o755);
  await rename(`${path}.new`, path);
}

/** Chunks of an earlier build may still be asked for by a program that is running; after an hour nobody does. */
const made = new Set(outputFiles.map(({ path }) => basename(path)));
const chunks = join(root, "dist/chunks");
for (const name of await readdir(chunks)) {
  const path = join(chunks, name);
  if (!made.has(name) && (await stat(path)).mtimeMs < Date.now() - 3_600_000) await rm(path, { force: true });
}
