import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join, posix } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
/** As somebody else has it: without our packages, and without what vitest sets. */
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST.*|TEST|NODE_ENV|npm_package.*)$/.test(name)),
  ),
  PATH: process.env
    .PATH!.split(delimiter)
    .filter((path) => !path.startsWith(root))
    .join(delimiter),
};
interface Locked {
  readonly name?: string;
  readonly integrity?: string;
  readonly resolved?: string;
}
const MINUTES = 60_000;

let folder: string;
let files: readonly string[];

async function run(command: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, words, { cwd: folder, env, maxBuffer: 1e9 }).catch(
    ({ stdout, stderr }) => {
      throw new Error(`${command} ${words.join(" ")} failed:\n${stdout}${stderr}`);
    },
  );
  return stdout;
}
const json = async (file: string) => JSON.parse(await readFile(join(folder, file), "utf8"));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "survey-export-n8n-repository-"));
  await run("git", "init", "--quiet");
  await run(process.execPath, join(root, "scripts/export-n8n.ts"), folder);
  await run("git", "add", "--all");
  files = (await run("git", "ls-files")).trim().split("\n");
  await run("npm", "ci");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("has one package.json, which names a repository of its own and no package outside the registry", async () => {
  expect(files.filter((file) => basename(file) === "package.json")).toEqual(["package.json"]);
  const manifest = await json("package.json");
  expect(manifest.repository).toEqual({
    type: "git",
    url: `git+https://github.com/survey-export/${manifest.name}.git`,
  });
  expect(Object.keys(manifest)).not.toContain("overrides");
  for (const version of Object.values(manifest.devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  const { packages } = await json("package-lock.json");
  delete packages[""];
  for (const [path, { name, integrity, resolved = "https:" }] of Object.entries<Locked>(packages)) {
    expect([path, name, integrity]).toEqual([path, undefined, expect.any(String)]);
    expect(resolved).toMatch(/^https:/);
  }
});

it("has no path that leads out of it", async () => {
  const sources = files.filter((file) => /\.m?ts$/.test(file));
  expect(sources.length).toBeGreaterThan(150);
  for (const file of sources) {
    const text = await readFile(join(folder, file), "utf8");
    expect(text).not.toContain("@survey-export/");
    const paths = [...text.matchAll(/["'`](\.\.\/[^"'`]*)["'`]/g)].map(([, path]) =>
      posix.join(posix.dirname(file), path!),
    );
    expect(paths.filter((path) => path.startsWith(".."))).toEqual([]);
  }
  expect(await run("git", "ls-files", "--stage")).not.toMatch(/^120000/m);
});

it("says nowhere that the node is in a folder of another repository", async () => {
  for (const file of files.filter((each) => /\.(m?ts|json|md)$/.test(each)))
    expect(await readFile(join(folder, file), "utf8"), file).not.toMatch(
      /survey-export\/(tree|blob)\/main\/n8n-node/,
    );
});

it.each(["build", "lint", "test", "scan"])(
  "passes npm run %s by itself",
  async (script) => {
    await run("npm", "run", script);
  },
  15 * MINUTES,
);

it("packs the program and its documents only, and nothing of it is left to commit", async () => {
  const [{ files: packed }] = JSON.parse(await run("npm", "pack", "--dry-run", "--json", "--ignore-scripts"));
  for (const { path } of packed)
    expect(path).toMatch(/^(dist\/|(README|LICENSE|CHANGELOG)\.md$|package\.json$)/);
  expect(await run("git", "ls-files", "--modified", "--others", "--exclude-standard")).toBe("");
});

it("has no part of others in its list of parts, as in its bundle", async () => {
  const workflow = await readFile(join(folder, ".github/workflows/publish.yml"), "utf8");
  const [, command = ""] = /npm (sbom [-\w ]+) >/.exec(workflow)!;
  const { name, version } = await json("package.json");
  expect(JSON.parse(await run("npm", ...command.split(" ")))).toMatchObject({
    bomFormat: "CycloneDX",
    metadata: { component: { purl: `pkg:npm/${name}@${version}` } },
    components: [],
  });
});
