import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { SURVEY_IDS } from "../../../sandbox/index.ts";
import { testLeg } from "./support/n8n-instance.ts";
import { OFTEN, triggerWorkflow } from "./support/workflows.ts";

const [FIRST, SECOND, THIRD] = SURVEY_IDS;
const leg = await testLeg("trigger");

test("n8n loads the nodes of the tarball, and the action also as a tool", async () => {
  const types = await leg.rest.call<{ name: string }[]>("GET", "/types/nodes.json");
  const ours = types.map(({ name }) => name).filter((name) => name.startsWith("n8n-nodes-survey-export."));
  expect(ours.sort()).toEqual([
    "n8n-nodes-survey-export.surveyExport",
    "n8n-nodes-survey-export.surveyExportTool",
    "n8n-nodes-survey-export.surveyExportTrigger",
  ]);
});

test("n8n serves the previews of both nodes' fields, though 2.41 shows none of a trigger", async () => {
  const preview = (path: string) =>
    leg.rest.call<{ properties: object }>("GET", `/schemas/n8n-nodes-survey-export.${path}.json`);
  const action = await preview("surveyExport/1.0.0/surveyResponse/getAll");
  expect(action.properties).toHaveProperty("nps_score");
  expect(await preview("surveyExportTrigger/1.0.0")).toEqual(action);
});

test("a wrong ID refuses activation", async () => {
  const { n8n, rest, credential } = leg;
  const id = await rest.create(triggerWorkflow("Wrong", { surveys: [FIRST, "9999"] }, credential));
  await rest.activate(id);
  const refusal = 'There was a problem activating the workflow: "Survey "9999" was not found"';
  while (!n8n.log().includes(refusal)) await sleep(500);
  await rest.deactivate(id);
  expect(await rest.memoryOf(id)).toBeFalsy();
});

test("each new response starts the workflow once, late ones too, over polls, restarts and a service that is away", async () => {
  const { n8n, rest, sandbox, credential } = leg;
  const id = await rest.create(triggerWorkflow("Watching", { surveys: [FIRST, SECOND] }, credential));
  await rest.watch(id);
  const expected: string[] = [];
  const collect = (survey: string, what: { count: number; lateByMs?: number; now?: boolean }) =>
    expected.push(...sandbox.service.collect(survey, what));
  const started = async () => {
    const executions = (await rest.executionsOf(id)).filter(({ status }) => status === "success");
    return executions.map(({ items }) => items("After")!.map(({ json }) => String(json.response_uuid)));
  };
  const untilStarted = async () => {
    while ((await started()).flat().length < expected.length) await sleep(1_000);
  };

  collect(FIRST, { count: 1_200 });
  await untilStarted();
  expect(await started()).toEqual([expected]);

  collect(FIRST, { count: 2, lateByMs: 60_000, now: true });
  await n8n.stop();
  collect(SECOND, { count: 1 });
  sandbox.service.addFaults({ on: "any", reply: "reset_before_headers" });
  await n8n.start();
  const failed = async () =>
    (await rest.executionsOf(id)).flatMap(({ failure = [] }) => failure).filter((text) => text !== "");
  while ((await failed()).length === 0) await sleep(1_000);
  sandbox.service.clearFaults();
  await untilStarted();

  collect(FIRST, { count: 1 });
  await untilStarted();
  expect((await started()).flat().sort()).toEqual(expected.sort());
  expect(await failed()).toEqual([expect.stringMatching(/^The service did not answer/)]);
});

test("polls of all surveys that overlap start nothing twice, and each response comes with the attributes that were named", async () => {
  const { rest, sandbox, credential } = leg;
  const options = { attributeNames: "plan" };
  const id = await rest.create(triggerWorkflow("Slow", { watch: "all", options, ...OFTEN }, credential));
  await rest.watch(id);
  const people = Array.from({ length: 100 }, () => randomUUID());
  for (const uuid of people) sandbox.service.describe({ uuid, attributes: [{ name: "plan", value: uuid }] });
  // Two polls begin before the first one has read them.
  sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "delay", ms: 12_000 } });
  const collected_at = new Date().toISOString().replace("Z", "000Z");
  const answers = people.map((respondent_uuid) => ({ collected_at, respondent_uuid }));
  const expected = new Set(sandbox.service.collect(THIRD, answers));
  const started = async () =>
    (await rest.executionsOf(id)).flatMap(({ items }) => items("After")!.map(({ json }) => json));
  while ((await started()).length < expected.size) await sleep(1_000);
  sandbox.service.clearFaults();
  await sleep(6_000);
  const items = await started();
  expect(new Set(items.map(({ response_uuid }) => response_uuid))).toEqual(expected);
  expect(items.map(({ attribute_plan }) => attribute_plan).sort()).toEqual(people.sort());
  await rest.deactivate(id);
});
