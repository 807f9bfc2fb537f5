import { chmod, rm } from "node:fs/promises";
import { build } from "esbuild";

/** Bundles the program into `dist/`: the bin, and a chunk for whatever only some commands need. */
const root = new URL("../", import.meta.url);
await rm(new URL("dist", root), { recursive: true, force: true });
await build({
  absWorkingDir: new URL(".", root).pathname,
  entryPoints: { "source-survey-export": "connector/main.ts" },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  chunkNames: "chunks/[name]-[hash]",
  // What is bundled from CommonJS still asks for Node's own modules with require.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
});
await chmod(new URL("dist/source-survey-export.js", root), 0o755);
