import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { N8nInstance } from "./support/n8n-instance.ts";
import { RestClient } from "./support/rest-client.ts";
import { triggerWorkflow } from "./support/workflows.ts";

/*
 * Kills aimed at the moment after a poll, when n8n stores the trigger's memory and the execution. The README of the
 * node quotes the figures that each test prints.
 */

const KILLS = Number(process.env.KILLS ?? 20);
const RESPONSES_BEFORE_A_KILL = 3;
/** After the service's answer. n8n stores memory and execution within this time. */
const LATEST_KILL_MS = 120;
/** Every five seconds. n8n refuses a single expression for less than a minute, and takes several. */
const OFTEN = {
  pollTimes: {
    item: Array.from({ length: 12 }, (_, at) => ({ mode: "custom", cronExpression: `${5 * at} * * * * *` })),
  },
};
const PATH = "/v2/surveys/1001/responses";

let sandbox: Sandbox;
let n8n: N8nInstance | undefined;

beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(async () => {
  await n8n?.stop();
  n8n = undefined;
  await sandbox.close();
});

const polls = (): number => sandbox.service.stats.byPath[PATH] ?? 0;

async function nextPoll(): Promise<void> {
  const before = polls();
  for (let waitedMs = 0; polls() === before; waitedMs += 2) {
    if (waitedMs > 60_000) throw new Error("The trigger does not poll.");
    await sleep(2);
  }
}

/** How many of the collected responses are in no execution, and how many in more than one. */
async function killedAgainAndAgain(name: string, environment: NodeJS.ProcessEnv) {
  const instance = await N8nInstance.create(`crash-${name}`, inject("n8n"), inject("tarball"), {
    environment,
  });
  n8n = instance;
  await instance.start();
  const rest = await RestClient.setUp(instance.url, inject("n8n"));
  const credential = await rest.createCredential({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  const workflow = triggerWorkflow(name, { surveyIds: "1001", ...OFTEN }, credential);
  const { id } = await rest.create(workflow);
  await rest.activate(id);
  // With durable cursors, watching begins with the first scheduled poll.
  await nextPoll();
  await nextPoll();

  const collected: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await nextPoll();
    await sleep(500);
    collected.push(...sandbox.service.collect("1001", { count: RESPONSES_BEFORE_A_KILL }));
    await nextPoll();
    await sleep((kill / KILLS) * LATEST_KILL_MS);
    await instance.kill();
    await instance.start();
  }
  await nextPoll();
  await nextPoll();
  await nextPoll();
  await sleep(2_000);
  const executions = await rest.executionTexts(id);
  const starts = collected.map((uuid) => executions.filter((text) => text.includes(uuid)).length);
  const lost = starts.filter((times) => times === 0).length;
  const repeated = starts.filter((times) => times > 1).length;
  console.log(`${name}: ${KILLS} kills, ${lost} of ${collected.length} lost, ${repeated} repeated`);
  return { lost, repeated };
}

const MINUTES = 60_000;

test(
  "classic polling starts nothing twice; what it loses is printed",
  async () => {
    expect(await killedAgainAndAgain("classic", {})).toMatchObject({ repeated: 0 });
  },
  20 * MINUTES,
);

test(
  "durable poll cursors lose nothing and start nothing twice",
  async () => {
    const environment = {
      N8N_SCHEDULER_ENABLED: "true",
      N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: "true",
      N8N_USE_WORKFLOW_PUBLICATION_SERVICE: "true",
      N8N_POLLER_DURABLE_CURSORS_ENABLED: "true",
    };
    expect(await killedAgainAndAgain("durable", environment)).toEqual({ lost: 0, repeated: 0 });
  },
  20 * MINUTES,
);
