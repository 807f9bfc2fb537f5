import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { exampleSurveys, type Sandbox } from "../../../sandbox/index.ts";
import { type Leg, startLeg } from "./support/leg.ts";
import { type Redis, startRedis } from "./support/redis.ts";
import type { RestClient } from "./support/rest-client.ts";
import { triggerWorkflow, webhookWorkflow } from "./support/workflows.ts";

const RESPONSES = 2_000;
const EXECUTIONS = 8;

let sandbox: Sandbox;
let redis: Redis;
let rest: RestClient;
let credential: Leg["credential"];

beforeAll(async () => {
  redis = await startRedis("/tmp");
  const leg = await startLeg("queue", {
    sandbox: { surveys: exampleSurveys(RESPONSES, 1), latencyMs: 50 },
    builtInNodes: ["webhook"],
    environment: {
      EXECUTIONS_MODE: "queue",
      QUEUE_BULL_REDIS_HOST: "127.0.0.1",
      QUEUE_BULL_REDIS_PORT: String(redis.port),
    },
  });
  ({ sandbox, rest, credential } = leg);
  await leg.n8n.startWorker();
  await leg.n8n.startWorker();
  return async () => {
    await leg.stop();
    await redis.stop();
  };
});

test("parallel executions on two workers each get every response", async () => {
  const workflow = webhookWorkflow("Parallel", "parallel", { surveyId: "1001", returnAll: true }, credential);
  const { id } = await rest.create(workflow);
  await rest.activate(id);
  sandbox.service.resetStats();
  await Promise.all(Array.from({ length: EXECUTIONS }, () => rest.webhook("parallel")));
  const executions = await rest.executionsOf(id, "webhook");
  const { requests, tooManyConcurrent, tooManyPerMinute } = sandbox.service.stats;
  console.log(
    `${EXECUTIONS} executions of ${RESPONSES} responses on two workers: ${requests} requests, ` +
      `${tooManyConcurrent + tooManyPerMinute} refused`,
  );
  expect(executions.map(({ status, error }) => error?.message ?? status)).toEqual(
    Array(EXECUTIONS).fill("success"),
  );
  const truth = [...sandbox.service.truth.responses("1001")].map(({ uuid }) => uuid).reverse();
  for (const { items } of executions) {
    expect(items("Survey Export")!.map(({ json }) => json.response_uuid)).toEqual(truth);
  }
  await rest.deactivate(id);
});

test("an active trigger starts every new response once while the workers are busy", async () => {
  const watching = triggerWorkflow("Watching", { surveyIds: "1001, 1002" }, credential);
  const busy = webhookWorkflow("Busy", "busy", { surveyId: "1003", returnAll: true }, credential);
  const [{ id }, { id: busyId }] = await Promise.all([rest.create(watching), rest.create(busy)]);
  await rest.activate(id);
  await rest.activate(busyId);
  while (!(await rest.memoryOf(id))) await sleep(200);
  sandbox.service.resetStats();
  const expected: string[] = [];
  const started = async () => {
    const executions = await rest.executionsOf(id);
    expect(executions.map(({ status }) => status)).toEqual(executions.map(() => "success"));
    return executions.flatMap(({ items }) => items("After")!.map(({ json }) => String(json.response_uuid)));
  };
  for (const count of [120, 80]) {
    expected.push(...sandbox.service.collect("1001", { count }));
    expected.push(...sandbox.service.collect("1002", { count, lateByMs: 60_000 }));
    await Promise.all(Array.from({ length: 3 }, () => rest.webhook("busy")));
    for (let waited = 0; (await started()).length < expected.length && waited < 100; waited++) {
      await sleep(2_000);
    }
  }
  await rest.deactivate(id);
  await rest.deactivate(busyId);
  const { requests, tooManyConcurrent, tooManyPerMinute } = sandbox.service.stats;
  console.log(
    `${expected.length} new responses with busy workers: ${requests} requests, ` +
      `${tooManyConcurrent + tooManyPerMinute} refused`,
  );
  expect((await started()).sort()).toEqual(expected.sort());
});
