import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { exampleSurveys, SURVEY_IDS } from "../../../sandbox/index.ts";
import { freePort } from "../../support/server.ts";
import { stopProcess, testLeg } from "./support/n8n-instance.ts";
import { surveyExport, triggerWorkflow, workflowOf } from "./support/workflows.ts";

const [FIRST, SECOND, THIRD] = SURVEY_IDS;
const RESPONSES = 2_000;
const EXECUTIONS = 8;

const port = await freePort();
/** Debian's redis-server. It keeps nothing on disk. n8n connects again until it is there. */
const redis = spawn(
  "redis-server",
  ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp"],
  { stdio: "ignore" },
);
afterAll(() => stopProcess(redis));
const leg = await testLeg("queue", {
  sandbox: { surveys: exampleSurveys(RESPONSES, 1), latencyMs: 50 },
  builtInNodes: ["webhook"],
  environment: {
    EXECUTIONS_MODE: "queue",
    QUEUE_BULL_REDIS_HOST: "127.0.0.1",
    QUEUE_BULL_REDIS_PORT: String(port),
  },
});
await leg.n8n.startWorker();
await leg.n8n.startWorker();

/** Webhook → Survey Export: each call of the webhook is an execution that reads a whole survey. */
async function activateWebhook(path: string, surveyId: string): Promise<string> {
  const webhook = {
    type: "n8n-nodes-base.webhook",
    typeVersion: 2,
    webhookId: path,
    parameters: { httpMethod: "POST", path, responseMode: "onReceived" },
  };
  const steps = { Webhook: webhook, "Survey Export": surveyExport({ surveyId, returnAll: true }, "Webhook") };
  const id = await leg.rest.create(workflowOf(path, steps, leg.credential));
  await leg.rest.activate(id);
  return id;
}

test("parallel executions on two workers each get every response", async () => {
  const { rest, sandbox } = leg;
  const id = await activateWebhook("parallel", FIRST);
  await Promise.all(Array.from({ length: EXECUTIONS }, () => rest.webhook("parallel")));
  const executions = await rest.executionsOf(id, "webhook");
  const { requests, tooManyConcurrent, tooManyPerMinute } = sandbox.service.stats;
  console.log(`${requests} requests, ${tooManyConcurrent + tooManyPerMinute} refused`);
  expect(executions.map(({ status, failure }) => failure ?? status)).toEqual(
    Array(EXECUTIONS).fill("success"),
  );
  const truth = [...sandbox.service.truth.responses(FIRST)].map(({ uuid }) => uuid).reverse();
  for (const { items } of executions)
    expect(items("Survey Export")!.map(({ json }) => json.response_uuid)).toEqual(truth);
  await rest.deactivate(id);
});

test("an active trigger starts every new response once while the workers are busy", async () => {
  const { rest, sandbox, credential } = leg;
  const id = await rest.create(triggerWorkflow("Watching", { surveys: [FIRST, SECOND] }, credential));
  await rest.watch(id);
  const busy = await activateWebhook("busy", THIRD);
  const expected: string[] = [];
  const started = async () => {
    const executions = await rest.executionsOf(id);
    expect(executions.map(({ status }) => status)).toEqual(executions.map(() => "success"));
    return executions.flatMap(({ items }) => items("After")!.map(({ json }) => String(json.response_uuid)));
  };
  for (const count of [120, 80]) {
    expected.push(...sandbox.service.collect(FIRST, { count }));
    expected.push(...sandbox.service.collect(SECOND, { count, lateByMs: 60_000, now: true }));
    await Promise.all(Array.from({ length: 3 }, () => rest.webhook("busy")));
    while ((await started()).length < expected.length) await sleep(2_000);
  }
  await rest.deactivate(id);
  await rest.deactivate(busy);
  expect((await started()).sort()).toEqual(expected.sort());
});
