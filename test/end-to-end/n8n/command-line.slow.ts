import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { INodeExecutionData, INodeParameters } from "n8n-workflow";
import { beforeAll, expect, inject, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { N8nInstance } from "./support/n8n-instance.ts";
import { jsonIn } from "./support/run.ts";
import { credentialWith, getManyWorkflow } from "./support/workflows.ts";

let sandbox: Sandbox;
let n8n: N8nInstance;

beforeAll(async () => {
  sandbox = await startSandbox();
  n8n = await N8nInstance.create("command-line", inject("n8n"), inject("tarball"));
  await n8n.import("credentials", credentialWith({ baseUrl: sandbox.url, apiKey: sandbox.apiKey }));
  return () => sandbox.close();
});

/** Imports a workflow and executes it; the items of the node, or the whole output when it failed. */
async function execute(id: string, parameters: INodeParameters) {
  await n8n.import("workflow", getManyWorkflow(id, parameters));
  const { exitCode, stdout, stderr } = await n8n.commandLine(["execute", `--id=${id}`, "--rawOutput"]);
  const result = exitCode === 0 ? jsonIn(stdout) : undefined;
  const items: INodeExecutionData[] | undefined =
    result?.data.resultData.runData["Survey Export"]?.[0]?.data?.main[0];
  return { exitCode, items, output: `${stdout}\n${stderr}` };
}

test("the tarball's nodes are loaded, and the action node also as a tool", async () => {
  const file = join(n8n.folder, "nodes.json");
  const { exitCode, stderr } = await n8n.commandLine(["export:nodes", `--output=${file}`]);
  expect(exitCode, stderr).toBe(0);
  const types: { name: string }[] = JSON.parse(readFileSync(file, "utf8"));
  const ours = types.map(({ name }) => name).filter((name) => name.startsWith("n8n-nodes-survey-export."));
  expect(ours.sort()).toEqual([
    "n8n-nodes-survey-export.surveyExport",
    "n8n-nodes-survey-export.surveyExportTool",
    "n8n-nodes-survey-export.surveyExportTrigger",
  ]);
});

test("Return All gives every response of the survey, newest first", async () => {
  const { exitCode, items, output } = await execute("everyresponse", {
    resource: "surveyResponse",
    surveyId: "1001",
    returnAll: true,
    output: "raw",
  });
  expect(exitCode, output).toBe(0);
  const truth = [...sandbox.service.truth.responses("1001")];
  expect(items!.length).toBe(truth.length);
  expect(new Set(items!.map(({ json }) => json.uuid))).toEqual(new Set(truth.map(({ uuid }) => uuid)));
  expect(items!.map(({ json }) => json.collected_at)).toEqual(
    truth.map(({ collected_at }) => collected_at).reverse(),
  );
});

test("a survey that was not found fails the execution and says so", async () => {
  const { exitCode, output } = await execute("nosuchsurvey", {
    resource: "surveyResponse",
    surveyId: "9999",
  });
  expect(exitCode).toBe(1);
  expect(output).toContain('Survey "9999" was not found');
});
