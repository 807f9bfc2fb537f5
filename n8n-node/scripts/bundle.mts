import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

/**
 * Makes a dist folder: each node and credential in one file, with the core inside. n8n installs a community
 * package without dependencies, hence the bundle; its scanner reads the result, hence no minifying; and
 * it finds a class by its file's name, hence keepNames. n8n itself brings n8n-workflow. `more` are source files that tests want by themselves.
 */
export async function bundleInto(dist: string, more: readonly string[] = []): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const built: readonly string[] = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
  rmSync(dist, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: [...built.map((file) => file.replace(/^dist\//, "").replace(/\.js$/, ".ts")), ...more],
    outdir: dist,
    outbase: root,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22",
    external: ["n8n-workflow"],
    keepNames: true,
    legalComments: "none",
    logLevel: "warning",
  });
  for (const node of manifest.n8n.nodes) {
    const codex = node.replace(/^dist\//, "").replace(/\.js$/, ".json");
    mkdirSync(dirname(join(dist, codex)), { recursive: true });
    cpSync(join(root, codex), join(dist, codex));
  }
  cpSync(join(root, "icons"), join(dist, "icons"), { recursive: true });
}
