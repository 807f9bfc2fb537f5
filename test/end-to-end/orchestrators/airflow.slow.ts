import { execFile, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { exampleSurveys, type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { distinct, truthOf, written } from "../../repository/documents/support/written.ts";
import { airflowSettings, pythonWithAirflow } from "./support/airflow.ts";
import { type Podman, startPodman } from "./support/podman.ts";

vi.setConfig({ testTimeout: 1_200_000 });

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const dags = path("../../../examples/airflow");

let podman: Podman;
let airflow: string;
let home: string;
let folder: string;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  podman = await startPodman();
  airflow = join(dirname(pythonWithAirflow()), "airflow");
  home = mkdtempSync(join(tmpdir(), "airflow-"));
  folder = join(home, "data");
  mkdirSync(folder);
  chmodSync(folder, 0o777); // the image runs as user 1000
  sandbox = await startSandbox({ surveys: exampleSurveys(400, 5) });
  cpSync(path("../../../examples/catalog.json"), join(folder, "catalog.json"));
  configure(sandbox.apiKey);
  env = {
    ...airflowSettings(home, dags),
    DOCKER_HOST: podman.env.DOCKER_HOST,
    SURVEY_EXPORT_FOLDER: folder,
    SURVEY_EXPORT_NETWORK: "host", // the sandbox answers on this machine's loopback only
  };
  const made = spawnSync(airflow, ["db", "migrate"], { env, encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
});

afterAll(async () => {
  await sandbox?.close();
  await podman?.close();
  if (home) rmSync(home, { recursive: true, force: true });
});

function configure(apiKey: string): void {
  const config = {
    base_url: sandbox.url,
    api_key: apiKey,
    survey_ids: sandbox.service.truth.surveyIds(),
  };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
}

/** `airflow dags test`: the exit code, and the log with the task's own lines. */
function run(settings: NodeJS.ProcessEnv = {}): Promise<{ code: number; log: string }> {
  return new Promise((resolve) => {
    execFile(
      airflow,
      ["dags", "test", "survey_export_docker"],
      { env: { ...env, ...settings }, encoding: "utf8", maxBuffer: 1 << 26 },
      (failed, stdout, stderr) => resolve({ code: Number(failed?.code ?? 0), log: stdout + stderr }),
    );
  });
}

test("Airflow runs the image, keeps the state between two runs, and loses nothing", async () => {
  const first = await run();
  expect(first.code, first.log).toBe(0);
  expect(first.log).toMatch(/sync: done after \d+ s: .*\b1600 survey_responses/);
  expect(distinct(written(folder))).toEqual(truthOf(sandbox.service));

  const [survey] = sandbox.service.truth.surveyIds();
  sandbox.service.collect(survey!, { count: 7 });
  const second = await run();
  expect(second.code, second.log).toBe(0);
  const [before, brought] = written(folder);
  expect(brought!.length).toBeLessThan(before!.length / 2);
  expect(distinct(written(folder))).toEqual(truthOf(sandbox.service));
});

test("a run with a wrong key is failed, and the task's log says why without the key", async () => {
  configure("no-such-key");
  // Without the retries, which take six minutes.
  const impatient = join(home, "dags");
  mkdirSync(impatient);
  const dag = readFileSync(join(dags, "survey_export.py"), "utf8");
  writeFileSync(join(impatient, "survey_export.py"), dag.replace('"retries": 3', '"retries": 0'));
  const { code, log } = await run({ AIRFLOW__CORE__DAGS_FOLDER: impatient });
  expect(log).toMatch(/ERROR (survey_responses: )?The service does not accept the API key/);
  expect(log).toMatch(/sync: failed \(exit code 1\) after \d+ s: no records in /);
  expect(log).toMatch(/Marking run .* failed/);
  expect(code, log).not.toBe(0);
  expect(log).not.toContain("no-such-key");
  const kept = readFileSync(join(folder, "state.jsonl"), "utf8");
  for (const id of sandbox.service.truth.surveyIds()) expect(kept.split(`"${id}":[[`)).toHaveLength(5); // all four streams still know it
});
