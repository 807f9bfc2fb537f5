import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { type Leg, startLeg } from "./support/leg.ts";
import { largeRunWorkflow } from "./support/workflows.ts";

const RESPONSES = 100_000;

let leg: Leg;

// A service of its own for each run: requests of the run before would count in the same minute.
beforeEach(async () => {
  const responses = {
    seed: 7,
    count: RESPONSES,
    density: "growing",
    from: "2023-01-01T00:00:00.000000Z",
    to: "2026-09-30T00:00:00.000000Z",
    respondents: 30_000,
  } as const;
  leg = await startLeg("large", { sandbox: { surveys: [{ id: "large", responses }] } });
  return leg.stop;
});

const megabytes = (field: "VmHWM" | "VmRSS"): number => {
  const status = readFileSync(`/proc/${leg.n8n.processId}/status`, "utf8");
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024);
};

/**
 * An active workflow, as large runs are: started by a schedule, its data kept only when it fails. That all came is
 * seen in what the service gave; the engine tests compare every item.
 */
test.each(["simplified", "answers", "raw"])(
  "a hundred thousand responses come in one Get Many (output: %s)",
  async (output) => {
    const { sandbox, rest, credential } = leg;
    const workflow = largeRunWorkflow({ surveyId: "large", returnAll: true, output }, credential);
    const { id } = await rest.create(workflow);
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
