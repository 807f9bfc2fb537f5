import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
type Rights = Readonly<Record<string, string>>;
interface Job {
  /** A workflow that the job calls. */
  readonly uses?: string;
  readonly permissions?: Rights;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly permissions: Rights;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Ours, and those of the n8n package's own repository. */
const workflows = [".github/workflows/", "tools/release/n8n-repository/.github/workflows/"]
  .flatMap((folder) => readdirSync(folder).map((name) => folder + name))
  .map((path) => {
    const text = readFileSync(path, "utf8");
    return { path, text, workflow: parse(text) as Workflow };
  });
const jobs = workflows.flatMap(({ path, workflow: { permissions, jobs } }) =>
  Object.entries(jobs).map(([name, job]) => ({
    name: `${path}: ${name}`,
    job,
    steps: job.steps ?? [],
    rights: Object.entries(job.permissions ?? permissions).map((right) => right.join(": ")),
  })),
);
const privileged = jobs.filter(({ rights }) => rights.some((right) => right.endsWith(": write")));
const actionOf = ({ uses }: Step): string | undefined => uses?.split("@")[0];

describe("what others made is fixed", () => {
  test.each(workflows)("$path names every action by its commit, with its version beside it", ({ text }) => {
    const uses = [...text.matchAll(/\buses: (?!\.\/)(.+)/g)].map(([, action]) => action);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("all workflows install one version of npm", () => {
    const versions = workflows.flatMap(({ text }) => text.match(/npm@.*/g) ?? []);
    expect(new Set(versions)).toEqual(new Set([expect.stringMatching(/^npm@\d+\.\d+\.\d+$/)]));
    for (const { text } of workflows) expect(text).not.toMatch(/npm install --global (?!"\$NPM"\n)/);
  });

  test("both stages of the image start from the one base that the release resolves", () => {
    const dockerfile = readFileSync("Dockerfile", "utf8");
    const bases = [...dockerfile.matchAll(/^FROM (?:--\S+ )?\$\{(\w+)\}/gm)].map(([, base]) => base);
    expect(bases).toEqual(["NODE_IMAGE", "NODE_IMAGE"]);
  });
});

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
  test.each(workflows)("$path gives every job at most the right to read", ({ workflow }) => {
    expect([{}, { contents: "read" }]).toContainEqual(workflow.permissions);
  });

  test.each(jobs)("$name uses each of its rights", ({ job, steps, rights }) => {
    expect(rights.filter((right) => USES[right]?.(job, steps) !== true)).toEqual([]);
  });

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

  test("no checkout leaves its token to later steps, and no workflow holds one that publishes", () => {
    const checkouts = jobs
      .flatMap(({ steps }) => steps)
      .filter((step) => actionOf(step) === "actions/checkout");
    expect(checkouts.length).toBeGreaterThan(3);
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ "persist-credentials": false });
    for (const { text } of workflows) expect(text).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/);
  });

  test("nothing runs a script of a package while it publishes or packs it", () => {
    const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run = "" }) => run.split("\n")));
    const packing = commands.filter((command) => /\bnpm (publish|pack)\b/.test(command));
    expect(packing).toHaveLength(4);
    for (const command of packing) expect(command).toMatch(/ --ignore-scripts\b/);
  });

  test("a release waits for all suites", () => {
    const { jobs } = workflows.find(({ path }) => path.endsWith("/release.yml"))!.workflow as {
      jobs: Record<string, { uses?: string; needs?: string[] }>;
    };
    expect(jobs.test).toEqual({ uses: "./.github/workflows/ci.yml" });
    for (const job of ["image", "pack", "n8n-repository"]) expect(jobs[job]?.needs).toContain("test");
  });
});
