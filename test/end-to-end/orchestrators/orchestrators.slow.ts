import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { exampleSurveys } from "../../../sandbox/index.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, testSandbox } from "../../support/sandbox.ts";
import { pythonWith } from "../../support/virtual-environment.ts";
import { IMAGE, type Podman, startPodman } from "./support/podman.ts";

vi.setConfig({ testTimeout: 1_200_000 });

const EXAMPLES = join(import.meta.dirname, "../../../examples");
const KUBERNETES = ["cronjob.yaml", "volume.yaml"].map((name) => join(EXAMPLES, "kubernetes", name));
/** The operator asks which cluster there is before it says what it would start there. */
const CLUSTER = `apiVersion: v1
kind: Config
current-context: none
contexts: [{ name: none, context: { cluster: none, user: none } }]
clusters: [{ name: none, cluster: { server: "http://127.0.0.1:1" } }]
users: [{ name: none, user: {} }]
`;

const home = testFolder().path();
const folder = join(home, "data");
const sandbox = await testSandbox({ surveys: exampleSurveys(400, 5) });
let podman: Podman;
let python: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  podman = await startPodman();
  python = pythonWith("airflow", [
    "apache-airflow==3.3.2",
    "apache-airflow-providers-docker==4.6.1",
    "apache-airflow-providers-cncf-kubernetes==10.25.0",
    "kubernetes-validate==1.37.0",
  ]);
  mkdirSync(folder);
  chmodSync(folder, 0o777); // the image runs as user 1000
  writeFileSync(join(home, "cluster"), CLUSTER);
  env = {
    PATH: process.env.PATH,
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__DAGS_FOLDER: join(EXAMPLES, "airflow"),
    AIRFLOW__CORE__LOAD_EXAMPLES: "False",
    KUBECONFIG: join(home, "cluster"),
    PYTHONDONTWRITEBYTECODE: "1",
    DOCKER_HOST: podman.env.DOCKER_HOST,
    SURVEY_EXPORT_FOLDER: folder,
    SURVEY_EXPORT_NETWORK: "host", // the sandbox answers on this machine's loopback only
  };
  const { code, log } = await run(python, "airflow", ["db", "migrate"]);
  if (code !== 0) throw new Error(log);
});

afterAll(() => podman?.close());

/** Runs a program of a Python. The sandbox answers meanwhile, in this process. */
function run(python: string, program: string, words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const options = { env: { ...env, ...more }, encoding: "utf8", maxBuffer: 1 << 26 } as const;
  return new Promise<{ code: number; log: string; stdout: string }>((resolve) => {
    execFile(join(dirname(python), program), words, options, (failed, stdout, stderr) =>
      resolve({ code: Number(failed?.code ?? 0), log: stdout + stderr, stdout }),
    );
  });
}
/** How many responses a sync brought. */
const brought = (log: string): number =>
  Number(/Read in .*?\bsurvey_responses ([\d,]+)/.exec(log)?.[1]?.replaceAll(",", ""));

function sync(apiKey: string, more?: NodeJS.ProcessEnv) {
  writeFileSync(join(folder, "config.json"), JSON.stringify(configOf(sandbox, { api_key: apiKey })));
  return run(python, "airflow", ["dags", "test", "survey_export_docker"], more);
}

test("Airflow takes both DAGs, and Kubernetes the pods, the CronJob and the network policy", async () => {
  const describe = [join(import.meta.dirname, "support/describe_dags.py"), join(EXAMPLES, "airflow")];
  const { code, log, stdout } = await run(python, "python", [...describe, ...KUBERNETES]);
  expect(code, log).toBe(0);
  const dag = [false, 1, [[IMAGE, ["sync", "/data/surveys.sqlite"]]]];
  const described = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
  expect(described).toEqual({ survey_export_docker: dag, survey_export_kubernetes: dag });
});

test("Airflow runs the image, and keeps the state between two runs", async () => {
  const first = await sync(sandbox.apiKey);
  expect(first.code, first.log).toBe(0);
  expect(brought(first.log)).toBe(1610);

  const [survey = ""] = sandbox.service.truth.surveyIds();
  sandbox.service.collect(survey, { count: 7 });
  const second = await sync(sandbox.apiKey);
  expect(second.code, second.log).toBe(0);
  expect(brought(second.log)).toBeGreaterThanOrEqual(7);
  expect(brought(second.log)).toBeLessThan(800);
});

test("a run with a wrong key is failed, and the task's log says why without the key", async () => {
  // Without the retries, which take six minutes.
  const dags = join(home, "dags");
  mkdirSync(dags);
  const dag = readFileSync(join(EXAMPLES, "airflow/survey_export.py"), "utf8");
  writeFileSync(join(dags, "survey_export.py"), dag.replace('"retries": 3', '"retries": 0'));
  const { code, log } = await sync("no-such-key", { AIRFLOW__CORE__DAGS_FOLDER: dags });
  expect(code, log).not.toBe(0);
  expect(log).toMatch(/ERROR (survey_responses: )?The service does not accept the API key/);
  expect(log).toMatch(/Marking run .* failed/);
  expect(log).not.toContain("no-such-key");
});

describe("Compose", () => {
  const file = join(EXAMPLES, "compose/compose.yaml");
  let compose: string;
  beforeAll(() => {
    compose = pythonWith("compose", ["podman-compose==1.6.0"]);
  });
  const call = (...words: readonly string[]) => {
    const project = ["--file", file, "--project-name", `survey-export-${process.pid}`];
    return run(compose, "podman-compose", [...project, ...words], podman.env);
  };
  afterAll(() => call("down", "--volumes", "--timeout", "5"));
  const source = (...words: readonly string[]) => call("run", "--rm", "-T", ...words, "source");

  test("runs one sync after the other, the second of which brings only what is new, into a file to copy out", async () => {
    const first = await source();
    expect(first.code, first.log).toBe(0);
    const second = await source();
    expect(second.code, second.log).toBe(0);
    expect(brought(second.log)).toBeLessThan(brought(first.log) / 10);

    const [, command = ""] = /docker compose (run .+ cat .+) > surveys\.sqlite$/m.exec(
      readFileSync(file, "utf8"),
    )!;
    const { stdout } = await call(...command.split(" "));
    expect(stdout).toMatch(/^SQLite format 3\0/);
  });

  test("ends with the exit code of a sync that cannot start, and the log says why", async () => {
    const { code, log } = await source("-e", "SURVEY_EXPORT_CONFIG=/data/no-such-file.json");
    expect(log).toContain('its path leads to "/data" and no further');
    expect(code).toBe(2);
  });
});
