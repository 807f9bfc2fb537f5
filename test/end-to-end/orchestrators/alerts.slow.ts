import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";

const file = fileURLToPath(new URL("../../../examples/kubernetes/alerts.yaml", import.meta.url));
const cronjob = 'namespace="surveys", cronjob="survey-export"';
const job = 'namespace="surveys", job_name="survey-export-29"';

let folder: string;

beforeAll(() => {
  if (spawnSync("promtool", ["--version"]).status !== 0) {
    throw new Error("promtool is needed here. On Debian it is part of the package prometheus.");
  }
  folder = mkdtempSync(join(tmpdir(), "alerts-"));
  writeFileSync(join(folder, "rules.yaml"), stringify(parse(readFileSync(file, "utf8")).spec));
});

afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

/** Asks Prometheus which of the two alerts fire at a time, if a metric has one value, minute by minute. */
function expectFiring(
  at: string,
  metrics: Readonly<Record<string, number>>,
  firing: readonly string[],
): void {
  const labels = {
    SurveyExportFailed: { job_name: "survey-export-29", condition: "true", severity: "warning" },
    SurveyExportTooOld: { cronjob: "survey-export", severity: "critical" },
  };
  const rules: { alert: keyof typeof labels; annotations: Record<string, string> }[] = parse(
    readFileSync(file, "utf8"),
  ).spec.groups[0].rules;
  const inWords = (text: string) =>
    text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) =>
      name === "job_name" ? "survey-export-29" : "surveys",
    );
  const alert_rule_test = rules.map(({ alert, annotations }) => ({
    eval_time: at,
    alertname: alert,
    exp_alerts: firing.includes(alert)
      ? [
          {
            exp_labels: { namespace: "surveys", ...labels[alert] },
            exp_annotations: Object.fromEntries(
              Object.entries(annotations).map(([name, text]) => [name, inWords(text)]),
            ),
          },
        ]
      : [],
  }));
  const input_series = Object.entries(metrics).map(([series, value]) => ({
    series,
    values: `${value}x1000`,
  }));
  const tests = { rule_files: ["rules.yaml"], tests: [{ interval: "1m", input_series, alert_rule_test }] };
  writeFileSync(join(folder, "test.yaml"), stringify(tests));
  const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", "test.yaml"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(status, stdout + stderr).toBe(0);
}

describe("the alerts of the Kubernetes example, by Prometheus itself", () => {
  const created = `kube_cronjob_created{${cronjob}}`;
  const succeeded = `kube_cronjob_status_last_successful_time{${cronjob}}`;
  const failed = `kube_job_failed{${job}, condition="true"}`;
  const started = `kube_job_created{${job}}`;

  test("say nothing of a CronJob that works", () => {
    expectFiring("5h", { [created]: 0, [succeeded]: 4 * 3600, [failed]: 0, [started]: 3 * 3600 }, []);
  });

  test("tell of a job that failed for good", () => {
    const metrics = { [created]: 0, [succeeded]: 3600, [failed]: 1, [started]: 3 * 3600 };
    expectFiring("4h", metrics, ["SurveyExportFailed"]);
  });

  test("say nothing of a failure that a later job has made good", () => {
    expectFiring("5h", { [created]: 0, [succeeded]: 4 * 3600, [failed]: 1, [started]: 3 * 3600 }, []);
  });

  test("tell when the last success is too old, and when there never was one", () => {
    expectFiring("6h", { [created]: 0, [succeeded]: 3600 }, ["SurveyExportTooOld"]);
    expectFiring("5h", { [created]: 0 }, ["SurveyExportTooOld"]);
    expectFiring("5h", { [created]: 0, [failed]: 1, [started]: 3600 }, [
      "SurveyExportTooOld",
      "SurveyExportFailed",
    ]);
  });
});
