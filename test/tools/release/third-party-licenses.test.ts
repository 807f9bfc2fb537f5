import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bundledPackages, thirdPartyLicenses } from "../../../tools/release/third-party-licenses.ts";

const project = join(import.meta.dirname, "../../..");
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "licenses-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bundleOf = (...paths: string[]) => ({
  outputs: {
    "dist/a.js": {
      inputs: Object.fromEntries(paths.map((path) => [path, { bytesInOutput: 1 }])),
      ...{ bytes: 1, imports: [], exports: [] },
    },
  },
});

test("the program's folder holds the licence texts of all packages with code in the bundle", async () => {
  const text = await readFile(join(project, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const name of ["ajv", "undici", "vega", "vega-lite", "d3-array"]) {
    const { version } = JSON.parse(
      await readFile(join(project, "node_modules", name, "package.json"), "utf8"),
    );
    expect(text).toContain(`\n${name} ${version} (`);
    expect(text).toContain((await readFile(join(project, "node_modules", name, "LICENSE"), "utf8")).trim());
  }
});

test("a package counts once, at the place it was taken from, and only with code in the bundle", () => {
  const { outputs } = bundleOf(
    "connector/main.ts",
    "node_modules/a/index.js",
    "node_modules/a/lib/b.js",
    "node_modules/a/node_modules/@x/c/index.js",
  );
  const unused = { ...outputs["dist/a.js"], inputs: { "node_modules/d/index.js": { bytesInOutput: 0 } } };
  expect(bundledPackages({ outputs: { ...outputs, "dist/d.js": unused } })).toEqual([
    "node_modules/a",
    "node_modules/a/node_modules/@x/c",
  ]);
});

test("a package without a licence file stops the build", async () => {
  await mkdir(join(folder, "node_modules/a"), { recursive: true });
  await writeFile(join(folder, "node_modules/a/package.json"), '{ "name": "a", "version": "1.0.0" }');
  await expect(thirdPartyLicenses(folder, bundleOf("node_modules/a/index.js"))).rejects.toThrow(
    "node_modules/a is in the bundle and has no licence file. Add its licence text by hand.",
  );
});

test("the n8n package contains no code of others", async () => {
  const root = join(project, "n8n-node");
  const { n8n } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...n8n.nodes, ...n8n.credentials].map((file) =>
      file.replace(/^dist\//, "").replace(/\.js$/, ".ts"),
    ),
    outdir: folder,
    ...{ bundle: true, platform: "node", external: ["n8n-workflow"], metafile: true, write: false },
  });
  expect(Object.keys(metafile!.inputs).length).toBeGreaterThan(10);
  expect(bundledPackages(metafile!)).toEqual([]);
});
