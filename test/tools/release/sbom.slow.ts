import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { quickStart } from "../../../scripts/quick-start.ts";
import { bundledPackages } from "../../../tools/release/third-party-licenses.ts";

const root = join(import.meta.dirname, "../../..");
const json = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));

interface Component {
  readonly "bom-ref": string;
  readonly purl: string;
  readonly name: string;
  readonly hashes?: readonly unknown[];
  readonly properties?: readonly unknown[];
}

const sbom = JSON.parse(
  execFileSync(process.execPath, ["tools/release/sbom.ts"], { cwd: root, encoding: "utf8", maxBuffer: 1e8 }),
);

test("the list of parts has exactly the packages with code in the program and its demo", async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["connector/main.ts", "tools/demo/main.ts"],
    outdir: "dist",
    plugins: [quickStart],
    ...{ bundle: true, platform: "node", format: "esm", minifySyntax: true, metafile: true, write: false },
  });
  const inBundle = bundledPackages(metafile!).map((folder) => {
    const { name, version } = json(`${folder}/package.json`);
    return `${name}@${version}`;
  });
  const parts: readonly Component[] = sbom.components;
  expect(parts.map((part) => part["bom-ref"]).sort()).toEqual(inBundle.sort());
  expect(inBundle).toEqual(
    expect.arrayContaining(["ajv", "undici", "vega"].map((name) => expect.stringContaining(`${name}@`))),
  );
  for (const part of parts) {
    expect([part.name, part.hashes, part.properties]).toEqual([part.name, [expect.anything()], []]);
  }
});

test("it says which package it is of, and names nothing that is not in it", async () => {
  const { name, version } = json("package.json");
  const { component } = sbom.metadata;
  expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: expect.stringMatching(/^1\./) });
  expect(component).toMatchObject({ type: "application", name, version, purl: `pkg:npm/${name}@${version}` });
  const refs = [component["bom-ref"], ...sbom.components.map((part: Component) => part["bom-ref"])].sort();
  const dependencies: readonly { ref: string; dependsOn: string[] }[] = sbom.dependencies;
  expect(dependencies.map(({ ref }) => ref).sort()).toEqual(refs);
  expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([]);
});
