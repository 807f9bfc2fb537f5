import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { INodeExecutionData } from "n8n-workflow";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { N8nInstance } from "./n8n-instance.ts";
import { jsonIn } from "./run.ts";
import { CREDENTIAL, getManyWorkflow } from "./workflows.ts";

const RESPONSES = 100_000;

let sandbox: Sandbox;
let n8n: N8nInstance;

beforeAll(async () => {
  sandbox = await startSandbox({
    surveys: [
      {
        id: "large",
        type: "WidgetSurvey",
        name: "Large",
        responses: {
          seed: 7,
          count: RESPONSES,
          density: "growing",
          from: "2023-01-01T00:00:00.000000Z",
          to: "2026-09-30T00:00:00.000000Z",
          respondents: 30_000,
        },
      },
    ],
  });
  n8n = await N8nInstance.create("large", inject("n8n"), inject("tarball"));
  const data = { baseUrl: sandbox.url, apiKey: sandbox.apiKey };
  await importFile("credentials", [{ ...CREDENTIAL, type: "surveyExportApi", data }]);
});
afterAll(() => sandbox?.close());

async function importFile(what: "credentials" | "workflow", content: unknown): Promise<void> {
  const file = join(n8n.folder, `${what}.json`);
  writeFileSync(file, JSON.stringify(content));
  const { exitCode, stderr } = await n8n.commandLine([`import:${what}`, `--input=${file}`]);
  expect(exitCode, stderr).toBe(0);
}

test.each([true, false])(
  "a hundred thousand responses come in one Get Many (simplify: %s)",
  async (simplify) => {
    const parameters = { resource: "surveyResponse", surveyId: "large", returnAll: true, simplify };
    await importFile("workflow", getManyWorkflow("largerun", parameters));
    // n8n says at its end how much memory it had at most.
    const [note, peak] = [join(n8n.folder, "peak.cjs"), join(n8n.folder, "peak.txt")];
    writeFileSync(
      note,
      `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
    );
    const startedMs = Date.now();
    const { exitCode, stdout, stderr } = await n8n.commandLine(["execute", "--id=largerun", "--rawOutput"], {
      NODE_OPTIONS: `--require=${note}`,
    });
    const seconds = ((Date.now() - startedMs) / 1_000).toFixed(0);
    expect(exitCode, stderr.slice(-2_000)).toBe(0);
    const result = jsonIn(stdout);
    const items: INodeExecutionData[] = result.data.resultData.runData["Survey Export"][0].data.main[0];
    const megabytes = Math.round(Number(readFileSync(peak, "utf8")) / 1_024);
    const requests = sandbox.service.stats.byEndpoint.survey_responses;
    sandbox.service.resetStats();
    console.log(
      `simplify ${simplify}: ${items.length} items in ${seconds} s with n8n's start, ${requests} requests, ` +
        `${megabytes} MB at its peak, ${Math.round(stdout.length / 1_048_576)} MB printed`,
    );
    expect(new Set(items.map(({ json }) => json.response_uuid ?? json.uuid)).size).toBe(RESPONSES);
    expect(sandbox.service.stats.tooManyPerMinute).toBe(0);
  },
);
