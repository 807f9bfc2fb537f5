import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { SURVEY_IDS } from "../../../sandbox/index.ts";
import { startLeg } from "./support/n8n-instance.ts";
import { OFTEN, triggerWorkflow } from "./support/workflows.ts";

/*
 * Kills aimed at the moment after a poll, when n8n stores the trigger's memory and the execution. The README of the
 * node says what follows from the figures that each test prints.
 */

const [SURVEY] = SURVEY_IDS;
const KILLS = 8;
const RESPONSES_BEFORE_A_KILL = 3;
/** After the service's answer. n8n stores memory and execution within this time. */
const LATEST_KILL_MS = 120;
const DURABLE_CURSORS = {
  N8N_SCHEDULER_ENABLED: "true",
  N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: "true",
  N8N_USE_WORKFLOW_PUBLICATION_SERVICE: "true",
  N8N_POLLER_DURABLE_CURSORS_ENABLED: "true",
};

/** How many of the collected responses are in no execution, and how many in more than one. */
async function killedAgainAndAgain(name: string, environment: NodeJS.ProcessEnv) {
  const { n8n, rest, sandbox, credential, stop } = await startLeg(`crash-${name}`, { environment });
  let kills = 0;
  const nextPolls = async (count: number): Promise<void> => {
    const polls = (): number => sandbox.service.stats.byPath[`/v2/surveys/${SURVEY}/responses`] ?? 0;
    const until = polls() + count;
    for (let waitedMs = 0; polls() < until; waitedMs += 2) {
      // A kill in the first poll of a start may leave the trigger without polls.
      if (waitedMs > 60_000) throw new Error(`${name}: n8n polls no more after ${kills} kills.`);
      await sleep(2);
    }
  };
  try {
    const id = await rest.create(triggerWorkflow(name, { surveys: [SURVEY], ...OFTEN }, credential));
    await rest.activate(id);
    // With durable cursors, watching begins with the first scheduled poll.
    await nextPolls(2);

    const collected: string[] = [];
    for (; kills < KILLS; kills++) {
      await nextPolls(1);
      await sleep(500);
      collected.push(...sandbox.service.collect(SURVEY, { count: RESPONSES_BEFORE_A_KILL }));
      await nextPolls(1);
      await sleep((kills / KILLS) * LATEST_KILL_MS);
      await n8n.kill();
      await n8n.start();
    }
    await nextPolls(3);
    await sleep(2_000);
    const executions = await rest.executionTexts(id);
    const starts = collected.map((uuid) => executions.filter((text) => text.includes(uuid)).length);
    const lost = starts.filter((times) => times === 0).length;
    const repeated = starts.filter((times) => times > 1).length;
    console.log(`${name}: ${KILLS} kills, ${lost} of ${collected.length} lost, ${repeated} repeated`);
    return { lost, repeated };
  } finally {
    await stop();
  }
}

const TIMEOUT_MS = 20 * 60_000;

test(
  "classic polling starts nothing twice; what it loses is printed",
  async () => {
    expect(await killedAgainAndAgain("classic", {})).toMatchObject({ repeated: 0 });
  },
  TIMEOUT_MS,
);

test(
  "durable poll cursors lose nothing and start nothing twice",
  async () => {
    expect(await killedAgainAndAgain("durable", DURABLE_CURSORS)).toEqual({ lost: 0, repeated: 0 });
  },
  TIMEOUT_MS,
);
