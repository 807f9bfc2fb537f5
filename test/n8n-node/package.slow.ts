import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
/** As somebody else has it: without our packages, and without what npm and vitest set. */
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST.*|TEST|NODE_ENV|npm_package.*)$/.test(name)),
  ),
  PATH: process.env
    .PATH!.split(delimiter)
    .filter((path) => !path.startsWith(root))
    .join(delimiter),
};
const folder = await mkdtemp(join(tmpdir(), "survey-export-n8n-repository-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(command: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, words, { cwd: folder, env, maxBuffer: 1e9 }).catch(
    ({ stdout, stderr }) => {
      throw new Error(`${command} ${words.join(" ")} failed:\n${stdout}${stderr}`);
    },
  );
  return stdout;
}

it("the repository that publishes the node passes n8n's lint and scan, and packs the program only", async () => {
  await run("git", "init", "--quiet");
  await run(process.execPath, join(root, "scripts/export-n8n.ts"), folder);
  await run("git", "add", "--all");
  await run("npm", "ci");
  const checked = await run("npm", "run", "check");
  expect(checked).toContain("sources: passed");
  expect(checked).toContain("tarball: passed");

  const [{ files }] = JSON.parse(await run("npm", "pack", "--dry-run", "--json", "--ignore-scripts"));
  for (const { path } of files)
    expect(path).toMatch(/^(dist\/|(README|LICENSE|CHANGELOG)\.md$|package\.json$)/);
  // Nothing that the checks wrote is left to commit, and no text still names the folder of this repository.
  expect(await run("git", "status", "--porcelain")).not.toMatch(/^( M|\?\?)/m);
  expect(
    await run("git", "grep", "-lE", "@survey-export/|main/n8n-node", "--", "nodes", "README.md").catch(
      () => "",
    ),
  ).toBe("");
}, 1_200_000);
