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
  readonly environment?: string;
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
    writes: Object.entries(job.permissions ?? permissions)
      .map((right) => right.join(": "))
      .filter((right) => right.endsWith(": write")),
  })),
);
const privileged = jobs.filter(({ writes }) => writes.length > 0);
const actionOf = ({ uses }: Step): string | undefined => uses?.split("@")[0];

test.each(workflows)("$path names every action by its commit, with its version after it", ({ text }) => {
  const uses = [...text.matchAll(/\buses: (?!\.\/)(.+)/g)].map(([, action]) => action);
  for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

/** Every right to write, by its job. */
const MAY_WRITE = {
  ".github/workflows/release.yml: image": ["packages: write", "id-token: write"], // pushes and signs
  ".github/workflows/release.yml: packages": ["id-token: write"], // shows npm that this workflow publishes
  ".github/workflows/release.yml: page": ["contents: write"],
  "tools/release/n8n-repository/.github/workflows/publish.yml: publish": ["id-token: write"],
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

  test("the jobs that may write are these, each for what it does", () => {
    expect(Object.fromEntries(privileged.map(({ name, writes }) => [name, writes]))).toEqual(MAY_WRITE);
  });

  test.each(privileged)("$name waits for the approval that its environment asks for", ({ job }) => {
    expect(job.environment).toBe("release");
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
});
