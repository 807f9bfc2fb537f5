import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import type { Sandbox } from "../../../sandbox/index.ts";
import { type Leg, startLeg } from "./support/leg.ts";
import type { RestClient } from "./support/rest-client.ts";
import { triggerWorkflow } from "./support/workflows.ts";

let sandbox: Sandbox;
let n8n: Leg["n8n"];
let rest: RestClient;
let credential: Leg["credential"];
const account = () => ({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

beforeAll(async () => {
  const leg = await startLeg("rest", { builtInNodes: ["set", "splitOut"] });
  ({ sandbox, n8n, rest, credential } = leg);
  return leg.stop;
});

test("the credential's test passes with the right address and key", async () => {
  expect(await rest.testCredential(credential, account())).toEqual({
    status: "OK",
    message: "The service accepts the key",
  });
});

test("the credential's test says that an address is wrong", async () => {
  const elsewhere = sandbox.url.replace("/v2", "/api");
  const { status, message } = await rest.testCredential(credential, { ...account(), baseUrl: elsewhere });
  expect(status).toBe("Error");
  expect(message).toContain("/v2");
});

test("fetching a test event shows a response with answers, though the newest has none, and remembers nothing", async () => {
  sandbox.service.collect("1001", [{ collected_at: "2026-10-01T00:00:00.000000Z", fields: { answers: [] } }]);
  const workflow = triggerWorkflow("Example", { surveyIds: "1001" }, credential);
  const { id } = await rest.create(workflow);
  const { status, items } = await rest.run(id, "New Response");
  expect(status).toBe("success");
  const [{ json }] = items("New Response")! as [{ json: object }];
  expect(Object.entries(json).filter(([name, value]) => name.startsWith("answer_") && value)).not.toEqual([]);
  expect(await rest.memoryOf(id)).toBeFalsy();
});

test("over three polls every new response starts the workflow once, those that show up late as well", async () => {
  const workflow = triggerWorkflow("Watching", { surveyIds: "1001, 1002" }, credential);
  const { id } = await rest.create(workflow);
  await rest.activate(id);
  while (!(await rest.memoryOf(id))) await sleep(200);
  const expected: string[] = [];
  const collect = (survey: string, count: number, lateByMs?: number) => {
    expected.push(
      ...sandbox.service.collect(survey, lateByMs === undefined ? { count } : { count, lateByMs }),
    );
  };
  const pollsSoFar = () => sandbox.service.stats.byPath["/v2/surveys/1001/responses"] ?? 0;
  const nextPoll = async () => {
    const before = pollsSoFar();
    for (let waited = 0; pollsSoFar() === before && waited < 90; waited++) await sleep(1_000);
    await sleep(3_000);
  };

  collect("1001", 1_200);
  await nextPoll();
  collect("1001", 2, 60_000);
  collect("1001", 1);
  await nextPoll();
  await nextPoll();
  await rest.deactivate(id);

  const executions = await rest.executionsOf(id);
  const started = executions.map(({ items }) =>
    items("After")!.map(({ json }) => String(json.response_uuid)),
  );
  expect(executions.map(({ status }) => status)).toEqual(["success", "success"]);
  expect(started[0]).toEqual(expected.slice(0, 1_200));
  expect(started.map((items) => items.length)).toEqual([1_200, 3]);
  expect(started.flat().sort()).toEqual(expected.sort());
});

test("a wrong ID refuses activation", async () => {
  const { id } = await rest.create(triggerWorkflow("Wrong", { surveyIds: "1001, 9999" }, credential));
  await rest.activate(id);
  const refusal = 'There was a problem activating the workflow: "Survey "9999" was not found"';
  while (!readFileSync(join(n8n.folder, "n8n.log"), "utf8").includes(refusal)) await sleep(500);
  await rest.deactivate(id);
  expect(await rest.memoryOf(id)).toBeFalsy();
});

test("a trigger that starts while the service is away says so, and starts the workflow once it is back", async () => {
  const { id } = await rest.create(triggerWorkflow("Away", { surveyIds: "1001" }, credential));
  await rest.activate(id);
  while (!(await rest.memoryOf(id))) await sleep(200);
  await n8n.stop();
  sandbox.service.addFaults({ on: "any", reply: "reset_before_headers" });
  await n8n.start();
  const texts = async (part: string) => (await rest.executionTexts(id)).filter((text) => text.includes(part));
  while ((await texts("Could not connect to the service")).length === 0) await sleep(1_000);
  sandbox.service.clearFaults();
  const [uuid] = sandbox.service.collect("1001", { count: 1 });
  while ((await texts(uuid!)).length === 0) await sleep(1_000);
  expect(await texts(uuid!)).toHaveLength(1);
  expect(await texts("Could not connect to the service")).toHaveLength(1);
});
