import { execSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { bundledPackages, thirdPartyLicenses } from "../../../tools/release/third-party-licenses.ts";
import { folderForTest } from "../../support/folder.ts";

const root = join(import.meta.dirname, "../../..");

interface Part {
  readonly name: string;
  readonly version: string;
}
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));

test("what is published installs no package, since its bundle holds what it imports", () => {
  expect(readJson("package.json")).not.toHaveProperty("dependencies");
  expect(readJson("n8n-node/package.json")).not.toHaveProperty("dependencies");
});

test("the audit and the list of parts cover every package in the bundle", () => {
  const text = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  const bundled = [...text.matchAll(/^=+\n(\S+) (\S+) \(.+\)\n=+$/gm)].map(([, ...part]) => part);
  expect(bundled.length).toBeGreaterThanOrEqual(2);
  const workflow = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  const [, command = ""] = /run: (npm sbom .+) > source-survey-export/.exec(workflow) ?? [];
  const { components } = JSON.parse(execSync(command, { cwd: root, encoding: "utf8" }));
  expect(components.map((part: Part) => [part.name, part.version])).toEqual(expect.arrayContaining(bundled));
  // `npm audit --omit=dev` goes by this mark.
  const { packages } = readJson("package-lock.json");
  for (const [name] of bundled) expect(packages[`node_modules/${name}`].dev).toBeUndefined();
});

test("the program's folder holds the licence texts of the packages in the bundle", () => {
  const text = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const name of ["ajv", "undici"]) {
    const { version } = readJson(`node_modules/${name}/package.json`);
    expect(text).toContain(`\n${name} ${version} (`);
    expect(text).toContain(readFileSync(join(root, "node_modules", name, "LICENSE"), "utf8").trim());
  }
});

test("a package without a licence file stops the build", async () => {
  const folder = folderForTest().path();
  mkdirSync(join(folder, "node_modules/a"), { recursive: true });
  writeFileSync(join(folder, "node_modules/a/package.json"), '{ "name": "a", "version": "1.0.0" }');
  writeFileSync(join(folder, "node_modules/a/index.js"), "export const a = 1;");
  writeFileSync(join(folder, "main.js"), 'import { a } from "./node_modules/a/index.js"; console.log(a);');
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: ["main.js"],
    outdir: "dist",
    bundle: true,
    metafile: true,
    write: false,
  });
  await expect(thirdPartyLicenses(folder, metafile!)).rejects.toThrow(
    "node_modules/a is in the bundle and has no licence file. Add its licence text by hand.",
  );
});

test("the n8n package contains no code of others", async () => {
  const { n8n } = readJson("n8n-node/package.json");
  const sources: string[] = [...n8n.nodes, ...n8n.credentials];
  const { metafile } = await build({
    absWorkingDir: join(root, "n8n-node"),
    entryPoints: sources.map((file) => file.replace(/^dist\/(.+)\.js$/, "$1.ts")),
    outdir: "dist",
    bundle: true,
    platform: "node",
    external: ["n8n-workflow"],
    metafile: true,
    write: false,
  });
  expect(Object.keys(metafile!.inputs).length).toBeGreaterThan(10);
  expect(bundledPackages(metafile!)).toEqual([]);
});
