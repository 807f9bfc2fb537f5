import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, transform } from "esbuild";

const root = join(import.meta.dirname, "..");

/**
 * Makes a dist folder: a file for each node and credential, and files for the code that they share, the core
 * included. n8n installs a community package without dependencies, so they are bundled. n8n's scanner reads
 * the result, so it is not minified. n8n finds a class by its file's name, so names are kept. n8n itself
 * brings n8n-workflow. `more` are source files that tests want by themselves.
 *
 * Shared code is in files of its own, so that both nodes share its state: the rate limiter counts all
 * requests of the process. esbuild splits modules of ECMAScript only, so each file becomes CommonJS afterwards.
 */
export async function bundleInto(dist: string, more: readonly string[] = []): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const built: readonly string[] = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
  rmSync(dist, { recursive: true, force: true });
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [...built.map((file) => file.replace(/^dist\//, "").replace(/\.js$/, ".ts")), ...more],
    outdir: dist,
    outbase: root,
    chunkNames: "shared/[hash]",
    bundle: true,
    splitting: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node22",
    external: ["n8n-workflow"],
    keepNames: true,
    legalComments: "none",
    logLevel: "warning",
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, { format: "cjs", platform: "node", target: "node22" });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  for (const node of manifest.n8n.nodes) {
    const codex = node.replace(/^dist\//, "").replace(/\.js$/, ".json");
    cpSync(join(root, codex), join(dist, codex));
    const schemas = join(dirname(codex), "__schema__");
    cpSync(join(root, schemas), join(dist, schemas), { recursive: true });
  }
  cpSync(join(root, "icons"), join(dist, "icons"), { recursive: true });
}

if (import.meta.main) await bundleInto(join(root, "dist"));
