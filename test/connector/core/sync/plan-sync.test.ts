import { describe, expect, it } from "vitest";
import type { Client } from "../../../../connector/core/client/client.ts";
import { type InitialState, parseStreamState } from "../../../../connector/core/coverage/stream-state.ts";
import type { RecordTreatment } from "../../../../connector/core/privacy/record-treatment.ts";
import { STREAMS, type StreamName } from "../../../../connector/core/streams/index.ts";
import { planSync, type SyncOptions } from "../../../../connector/core/sync/plan-sync.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const PEOPLE: readonly StreamName[] = ["respondent_responses", "respondent_attributes"];
const ALL: readonly StreamName[] = ["survey_responses", "response_keys", ...PEOPLE];
const state = (more: object = {}): InitialState =>
  parseStreamState({ version: 1, surveys: { s: [[at(1), at(20)]] }, ...more }, "x");

/** What a sync of these streams works with, all of them from the same state. */
function planned(names: readonly StreamName[], initial?: InitialState, options: Partial<SyncOptions> = {}) {
  const codes: string[] = [];
  const host = {
    log: (level: string, _: unknown, code?: string) => codes.push(code ?? level),
    clock: { now: () => 0 },
  };
  const client = { host, present: () => PRESENT } as unknown as Client;
  const streams = new Map(names.map((name) => [STREAMS[name], initial]));
  const plan = planSync(client, { surveyIds: ["s", "t"], respondentUuids: [], streams, ...options });
  const states = plan.streams.map(({ cursor }) => cursor.state().toJSON());
  return { plan, codes, states };
}
const firstPath = (options?: Partial<SyncOptions>) =>
  planned(["survey_responses"], undefined, options).plan.scheduler.next(true, 0)?.path;

describe("a sync is planned", () => {
  it("with pages of 100 responses and no attributes, unless it is told otherwise", () => {
    expect(firstPath()).toBe("/surveys/s/responses?items_per_page=100");
    expect(firstPath({ itemsPerPage: 7, attributes: ["mood"] })).toMatch(/items_per_page=7&.*mood/);
  });

  it("with the surveys of which some stream wants something", () => {
    const dates = { startDate: at(5), endDate: at(9) };
    expect(planned(["survey_responses"], state(), dates).plan.surveys.left).toBe(1);
    expect(planned(["survey_responses"], state()).plan.surveys.left).toBe(2);
  });

  it("with the streams that read respondents beside", () => {
    expect(planned(ALL).plan.respondents).toHaveLength(2);
  });

  it("from nothing for a snapshot, and from its state for any other stream", () => {
    const { states, codes } = planned(ALL, state());
    expect(states.map(({ surveys }) => Object.keys(surveys))).toEqual([["s"], [], ["s"], ["s"]]);
    expect(codes).toEqual([]);
  });

  it("from nothing for a stream of respondents whose state names them (0.1), which is told", () => {
    const { states, codes } = planned(ALL, state({ respondents: {} }));
    expect(states.map(({ surveys }) => Object.keys(surveys))).toEqual([["s"], [], [], []]);
    expect(codes).toEqual(["info", "info"]);
  });

  it("with a warning if a state was made under another treatment of personal data", () => {
    const treatment = { fingerprint: "f", record: (record: unknown) => record } as unknown as RecordTreatment;
    expect(planned(["survey_responses"], state(), { treatment }).codes).toEqual(["other_personal_data"]);
    expect(planned(["survey_responses"], state({ personal_data: "f" }), { treatment }).codes).toEqual([]);
    const first = planned(["survey_responses"], undefined, { treatment });
    expect([first.codes, first.states[0]?.personal_data]).toEqual([[], "f"]);
    expect(first.plan.warnings.unknown.isLeftOut).toBe(true);
    expect(planned(["survey_responses"]).plan.warnings.unknown.isLeftOut).toBe(false);
  });

  it("with a warning if a state reaches into the future", () => {
    const future = state({ surveys: { s: [[at(1), "2100-01-01T00:00:00Z"]] } });
    expect(planned(["survey_responses"], future).codes).toEqual(["state_in_future"]);
  });

  it("with the present of its first page as a bound of what people's streams cover, and of no other", () => {
    const { plan } = planned(["survey_responses", ...PEOPLE]);
    (plan.bound as { at: unknown }).at = at(5);
    expect(plan.streams.map(({ cursor }) => cursor.isWithinBound(at(6)))).toEqual([true, false, false]);
  });

  it("with the start date in the state of respondents' responses alone", () => {
    const { states } = planned(ALL, undefined, { startDate: at(5) });
    expect(states.map(({ start_date }) => start_date)).toEqual([undefined, undefined, at(5), undefined]);
  });

  it.each([
    ["survey_responses", 100],
    ["respondent_responses", 24],
  ] as const)("with pages of open ranges that fit the tries: %s", (name, itemsPerPage) => {
    const dates = { startDate: at(2), endDate: at(9), surveyIds: ["s"] };
    const { plan } = planned([name], state({ open: { s: [[at(4), at(4)]] }, start_date: at(2) }), dates);
    (plan.bound as { at: unknown }).at = PRESENT;
    expect(plan.scheduler.next(true, 0)?.path).toContain(`items_per_page=${itemsPerPage}&`);
  });
});
