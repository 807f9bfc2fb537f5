import { describe, expect, it } from "vitest";
import type { Fault } from "../../sandbox/index.ts";
import { COUNT, inProcess, lost, survey, sync } from "./support/sandbox-sync.ts";

/* Refusals that no table of faults holds: of some surveys, and of the key. */

const SURVEYS = ["s1", "s2"];

describe("a survey that is not found", () => {
  const ofBoth = { surveyIds: SURVEYS };
  const isGone = (...ids: string[]): Fault[] =>
    ids.map((id) => ({ on: `/surveys/${id}/`, reply: "status_404" }));

  it.each([
    ["at first", 0, "config", 'Survey "s1" was not found ('],
    ["in mid-sync", 2, "transient", 'Survey "s1" could not be read below 2025-'],
  ])("%s is named, and the others are read", async (_, afterRequests, kind, sentence) => {
    let answered = 0;
    const remove = () => reached.sandbox.remove({ surveys: ["s1"] });
    const onAnswer = () => {
      if (++answered === afterRequests) remove();
    };
    const reached = inProcess({ surveys: SURVEYS.map(survey), onAnswer });
    if (afterRequests === 0) remove();
    const { isComplete, failures } = await sync(reached, ofBoth);
    expect(isComplete).toBe(false);
    expect(failures).toEqual([
      expect.objectContaining({ kind, code: "not_found", message: expect.stringContaining(sentence) }),
    ]);
    expect(lost(reached, ["s2"])).toEqual([]);
  });

  it("and that is named is an error also if an earlier sync has read it, and loses nothing if it comes back", async () => {
    const reached = inProcess({ surveys: SURVEYS.map(survey) });
    await sync(reached, ofBoth);
    for (const id of SURVEYS) reached.sandbox.collect(id, { count: 3 });
    reached.sandbox.addFaults(...isGone("s1"));
    expect((await sync(reached, ofBoth)).failures).toEqual([
      expect.objectContaining({
        message:
          'Survey "s1" was not found (status 404). Remove it from survey_ids or correct the id. This does not affect the other surveys.',
      }),
    ]);
    reached.sandbox.clearFaults();
    await sync(reached, ofBoth);
    expect(lost(reached, SURVEYS)).toEqual([]);
  });
});

it("a key that is no longer accepted ends the run in seconds, with what was delivered in the state", async () => {
  // Items that have their names: no page waits.
  const reached = inProcess({ dialect: "as_documented" });
  const reply = { kind: "status", status: 401 } as const;
  const nth = Array.from({ length: 30 }, (_, place) => place + 5);
  reached.sandbox.addFaults({ on: "survey_responses", nth, reply });
  const { clock } = reached.client.host;
  const beganMs = clock.monotonicMs();
  const broken = await sync(reached);
  expect(broken).toMatchObject({ isComplete: false, codes: ["unauthorized"] });
  expect(broken.records.length).toBeGreaterThanOrEqual(10);
  expect(clock.monotonicMs() - beganMs).toBeLessThan(15_000);
  reached.sandbox.clearFaults();
  const next = await sync(reached);
  expect(next.isComplete).toBe(true);
  expect(next.records.length).toBeLessThan(COUNT);
  expect(lost(reached)).toEqual([]);
});
