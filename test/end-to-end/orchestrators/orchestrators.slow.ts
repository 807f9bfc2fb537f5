import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { airflowSettings, pythonWithAirflow } from "./support/airflow.ts";

vi.setConfig({ testTimeout: 1_200_000 });

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const { version } = JSON.parse(readFileSync(path("../../../package.json"), "utf8"));
const image = `ghcr.io/survey-export/source-survey-export:${version}`;

let python: string;
let home: string;

beforeAll(() => {
  python = pythonWithAirflow();
  home = mkdtempSync(join(tmpdir(), "airflow-"));
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

function described(...manifests: readonly string[]): {
  status: number | null;
  stderr: string;
  found: Record<string, unknown>;
} {
  const run = spawnSync(
    python,
    [path("support/describe_dags.py"), path("../../../examples/airflow"), "1.33", ...manifests],
    {
      encoding: "utf8",
      env: {
        ...airflowSettings(home, path("../../../examples/airflow")),
        AIRFLOW__CORE__UNIT_TEST_MODE: "True",
      },
    },
  );
  const last = run.stdout.trimEnd().split("\n").at(-1) ?? "";
  return { status: run.status, stderr: run.stderr, found: run.status === 0 ? JSON.parse(last) : {} };
}

describe("Airflow and Kubernetes", () => {
  test("take the DAGs, the pod they start, the CronJob and the network policy", () => {
    const { status, stderr, found } = described(
      path("../../../examples/kubernetes/cronjob.yaml"),
      path("../../../examples/kubernetes/network-policy.yaml"),
    );
    expect(status, stderr).toBe(0);
    const task = { image, retries: 3 };
    const dag = { catchup: false, max_active_runs: 1 };
    expect(found).toEqual({
      errors: {},
      dags: {
        survey_export_docker: {
          ...dag,
          tasks: [
            {
              ...task,
              operator: "DockerOperator",
              runs: ["sync", "/data"],
            },
          ],
        },
        survey_export_kubernetes: {
          ...dag,
          tasks: [
            {
              ...task,
              operator: "KubernetesPodOperator",
              runs: ["sync", "/data"],
            },
          ],
        },
      },
      manifests: ["PersistentVolumeClaim", "CronJob", "NetworkPolicy"],
    });
  });

  test("refuse a CronJob that is written wrongly", () => {
    const wrong = join(home, "wrong.yaml");
    const right = readFileSync(path("../../../examples/kubernetes/cronjob.yaml"), "utf8");
    writeFileSync(wrong, right.replace("concurrencyPolicy", "concurencyPolicy"));
    expect(described(wrong)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("concurencyPolicy"),
    });
  });
});
