import { expect, test } from "vitest";
import type { Sandbox } from "../../../sandbox/index.ts";
import { catalog, lastStates, records, runWarm } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, sandboxForTest, surveyOf } from "../../support/sandbox.ts";

/*
 * The two streams that show what was deleted, by the real command line. That a whole snapshot lacks nothing, whatever
 * happens in the middle of it, is proven in test/model.
 */

const folder = testFolder();
let sandbox: Sandbox;

const NAMES = ["response_keys", "response_key_snapshots"] as const;
const WITHIN = { from: "2026-01-01T00:00:00.000000Z", to: "2026-06-01T00:00:00.000000Z", respondents: 30 };
const SURVEYS = [1, 2].map((seed) => surveyOf(`100${seed}`, 250, { ...WITHIN, seed }));

async function service(settings: object = {}) {
  sandbox = await sandboxForTest({ surveys: [...SURVEYS, { id: "1003", responses: [] }] });
  const config = configOf(sandbox, settings);
  return async (streams: readonly string[] = NAMES, state?: unknown) =>
    runWarm(await folder.words("read", { config, catalog: catalog(...streams), state }));
}

test("each survey has a snapshot with all its keys, an empty one too", async () => {
  const read = await service();
  const { messages, code } = await read();
  expect(code).toBe(0);
  const [keys, snapshots] = NAMES.map((name) => records(messages, name));
  const { truth } = sandbox.service;
  const there = truth.surveyIds().flatMap((id) => [...truth.responses(id)].map(({ uuid }) => uuid));
  expect(keys!.map(({ response_uuid }) => response_uuid).toSorted()).toEqual(there.toSorted());
  const [{ snapshot_id } = {}] = keys!;
  expect(snapshot_id).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  // The first one is of the survey whose last answer comes first.
  expect(snapshots!.toSorted((one, other) => one.survey_id.localeCompare(other.survey_id))).toEqual(
    truth.surveyIds().map((survey_id) => ({
      snapshot_id,
      survey_id,
      number_of_keys: survey_id === "1003" ? 0 : 250,
      covered_from: null,
      covered_to: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })),
  );
  // Less the lookback.
  for (const { covered_to } of snapshots!) expect(covered_to < snapshot_id).toBe(true);
});

test("a snapshot with a first read of the responses costs no request", async () => {
  // With several, how a survey is cut depends on which answer comes first.
  const read = await service({ max_concurrent_requests: 1 });
  await read(["survey_responses"]);
  const alone = sandbox.service.stats.requests;
  await read(["survey_responses", ...NAMES]);
  expect(sandbox.service.stats.requests - alone).toBe(alone);
});

test("each sync reads all of it into a new snapshot, whatever state it is given", async () => {
  const read = await service();
  const first = await read();
  const second = await read(NAMES, lastStates(first.messages));
  for (const name of NAMES) {
    const [earlier, later] = [first, second].map(({ messages }) => records(messages, name));
    expect(later!.length).toBe(earlier!.length);
    expect(later![0].snapshot_id > earlier![0].snapshot_id).toBe(true);
  }
});
