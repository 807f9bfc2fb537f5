import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { N8nInstance } from "./n8n-instance.ts";
import { RestClient } from "./rest-client.ts";
import { largeRunWorkflow } from "./workflows.ts";

const RESPONSES = 100_000;

let sandbox: Sandbox;
let n8n: N8nInstance;
let rest: RestClient;

// A service of its own for each run: requests of the run before would count in the same minute.
beforeEach(async () => {
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
  await n8n.start();
  rest = await RestClient.setUp(n8n.url, inject("n8n"));
});
afterEach(async () => {
  await n8n?.stop();
  await sandbox?.close();
});

const megabytes = (field: "VmHWM" | "VmRSS"): number => {
  const status = readFileSync(`/proc/${n8n.processId}/status`, "utf8");
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024);
};

/**
 * An active workflow, as large runs are: started by a schedule, its data kept only when it fails. That all came is
 * seen in what the service gave; the engine tests compare every item.
 */
test.each(["simplified", "answers", "raw"])(
  "a hundred thousand responses come in one Get Many (output: %s)",
  async (output) => {
    const credential = await rest.createCredential({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const workflow = largeRunWorkflow({ surveyId: "large", returnAll: true, output }, credential);
    const { id } = await rest.call<{ id: string }>("POST", "/rest/workflows", workflow);
    const before = megabytes("VmRSS");
    await rest.activate(id);
    while (sandbox.service.stats.requests === 0) await sleep(100);
    const startedMs = Date.now();
    await rest.deactivate(id);
    let left: { status: string }[];
    do {
      await sleep(250);
      left = (await rest.call<{ results: { status: string }[] }>("GET", "/rest/executions?limit=10")).results;
    } while (left.some(({ status }) => status === "running" || status === "new"));
    const seconds = ((Date.now() - startedMs) / 1_000).toFixed(0);
    const { items, requests, tooManyPerMinute } = sandbox.service.stats;
    console.log(
      `${output}: ${items} responses in ${requests} requests and ${seconds} s, ` +
        `memory ${before} MB before, ${megabytes("VmHWM")} MB at its peak`,
    );
    expect(left).toEqual([]);
    expect(items).toBeGreaterThanOrEqual(RESPONSES);
    expect(tooManyPerMinute).toBe(0);
  },
);
