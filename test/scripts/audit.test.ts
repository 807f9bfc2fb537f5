import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { startServer } from "../support/server.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));
let close = async (): Promise<void> => {};
afterEach(() => close());

/** Runs the audit with a registry that gives this answer to the audit's request. */
async function audit(
  status: number,
  answer: unknown,
  required = "",
): Promise<{ code: number; output: string }> {
  const registry = await startServer(({ method, url }, response) => {
    // For a package with an advisory npm also asks which versions there are.
    const body =
      method === "GET" ? { name: decodeURIComponent(url!.slice(1)), versions: {}, "dist-tags": {} } : answer;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  close = registry.close;
  const env = {
    ...process.env,
    npm_config_registry: `${registry.origin}/`,
    npm_config_fetch_retries: "0",
    npm_config_proxy: "",
    npm_config_noproxy: "127.0.0.1",
    SURVEY_EXPORT_AUDIT: required,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ["scripts/audit.ts"], { cwd: project, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

test("the audit passes when the registry knows of nothing", async () => {
  expect(await audit(200, {})).toEqual({ code: 0, output: "Audited: 0 findings, 0 of them open.\n" });
});

const ADVISORY = {
  ...{ id: 4711, title: "Something bad", severity: "low", vulnerable_versions: "*", cwe: [] },
  ...{ url: "https://example.com", cvss: { score: 0, vectorString: null } },
};

test.each(["undici", "vega"])(
  "it fails on an advisory about %s, which the package contains",
  async (name) => {
    expect(await audit(200, { [name]: [ADVISORY] })).toEqual({
      code: 1,
      output: `${name}: Something bad (4711)\nAudited: 1 findings, 1 of them open.\n`,
    });
  },
);

test("it passes on an advisory about a package that is used to build and test only", async () => {
  const output = "Audited: 0 findings, 0 of them open.\n";
  expect(await audit(200, { vitest: [ADVISORY] })).toEqual({ code: 0, output });
});

test("it fails when a registry that audits did not do it", async () => {
  const { code, output } = await audit(500, {});
  expect(code).toBe(1);
  expect(output).toContain("Not audited: the registry gave no report");
});

test("it excuses a registry that has no audit service, unless the audit is required", async () => {
  const { code, output } = await audit(405, {});
  expect(output).toContain("Not audited: the registry gave no report (405 ");
  expect(code).toBe(0);
  expect((await audit(405, {}, "required")).code).toBe(1);
});
