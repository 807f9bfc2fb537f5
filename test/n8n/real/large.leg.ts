import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { N8nInstance } from "./n8n-instance.ts";
import { RestClient } from "./rest-client.ts";
import { getManyWorkflow } from "./workflows.ts";

const RESPONSES = 100_000;
let sandbox: Sandbox;
let n8n: N8nInstance;
let rest: RestClient;
let credential: { id: string; name: string };

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
});
beforeEach(async () => {
  n8n = await N8nInstance.create("large", inject("n8n"), inject("tarball"));
  await n8n.start();
  rest = await RestClient.setUp(n8n.url, inject("n8n"));
  credential = await rest.createCredential({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
});
afterEach(() => n8n?.stop());
afterAll(() => sandbox?.close());

const megabytes = (field: "VmHWM" | "VmRSS"): number => {
  const status = readFileSync(`/proc/${n8n.processId}/status`, "utf8");
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024);
};

test.each([true, false])(
  "a hundred thousand responses come in one Get Many (simplify: %s)",
  async (simplify) => {
    const parameters = { resource: "surveyResponse", surveyId: "large", returnAll: true, simplify };
    const { id: _, ...workflow } = getManyWorkflow("large", parameters);
    for (const node of workflow.nodes)
      if (node.credentials) node.credentials.surveyExportApi = credential as never;
    const { id } = await rest.call<{ id: string }>("POST", "/rest/workflows", workflow);
    const before = megabytes("VmRSS");
    const startedMs = Date.now();
    const { status, items, error } = await rest.run(id, "Start");
    expect(error).toBeUndefined();
    const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
    const found = items("Survey Export")!;
    console.log(
      `simplify ${simplify}: ${found.length} items in ${seconds} s, ${sandbox.service.stats.requests} requests so far, ` +
        `memory ${before} MB before, ${megabytes("VmHWM")} MB at its peak`,
    );
    expect(status).toBe("success");
    expect(new Set(found?.map(({ json }) => json.response_uuid ?? json.uuid)).size).toBe(RESPONSES);
    expect(sandbox.service.stats.tooManyPerMinute).toBe(0);
  },
);
