import { describe, expect, it } from "vitest";
import type { Client } from "../../../../connector/core/client/client.ts";
import { type InitialState, parseStreamState } from "../../../../connector/core/coverage/stream-state.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { RecordTreatment } from "../../../../connector/core/privacy/record-treatment.ts";
import { STREAMS, type StreamName } from "../../../../connector/core/streams/index.ts";
import { planSync, type SyncOptions } from "../../../../connector/core/sync/plan-sync.ts";
import { say } from "../../../../connector/core/text/message.ts";
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
/** A stream that has covered its dates, with these places open. */
function retrying(name: StreamName, ...places: number[]) {
  const open = { s: places.map((place) => [at(place), at(place)]) };
  const dates = { startDate: at(2), endDate: at(9), surveyIds: ["s"] };
  const { plan } = planned([name], state({ open, start_date: at(2) }), dates);
  (plan.bound as { at: unknown }).at = PRESENT;
  return plan;
}
/** A page of 20 people's responses at a place and another's below it, which says that there is more. */
const pageOfPeople = (place: number): string => {
  const data = Array.from({ length: 21 }, (_, number) => ({
    ...{ uuid: `${place}.${number}`, collected_at: at(number < 20 ? place : place - 1) },
    respondent: { uuid: `person ${place}.${number}` },
  }));
  const next_url = "/surveys/s/responses?next";
  return JSON.stringify({ pagination_data: { has_more: true, next_url }, data });
};

describe("a sync is planned", () => {
  it("with pages of 100 responses and no attributes, unless it is told otherwise", () => {
    expect(firstPath()).toBe("/surveys/s/responses?items_per_page=100");
    expect(firstPath({ itemsPerPage: 7, attributes: ["mood"] })).toMatch(/items_per_page=7&.*mood/);
  });

  it("with the surveys of which some stream wants something", () => {
    const dates = { startDate: at(5), endDate: at(9) };
    expect(planned(["survey_responses"], state(), dates).plan.surveys.left).toBe(1);
    expect(planned(["survey_responses"], state()).plan.surveys.left).toBe(2);
    expect(planned(["survey_responses", "response_keys"], state(), dates).plan.surveys.left).toBe(2);
  });

  it("with slices that know where some stream's coverage begins, since no cut may be there", () => {
    const { plan } = planned(["survey_responses", "response_keys"], state());
    expect(plan.scheduler.next(true, 0)).toMatchObject({ edges: new Set([at(1)]) });
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

  it("with items that cannot be read as failures, unless only a warning is wanted", () => {
    const error = new SurveyExportError("system", "unreadable_item", say`It is odd.`);
    const isTolerated = (options?: Partial<SyncOptions>) =>
      planned(["survey_responses"], undefined, options).plan.warnings.isTolerated(error);
    expect([isTolerated(), isTolerated({ unreadable: "warn" })]).toEqual([false, true]);
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
    const path = retrying(name, 4).scheduler.next(true, 0)?.path;
    expect(path).toContain(`items_per_page=${itemsPerPage}&`);
    expect(path).not.toContain("attributes");
  });

  it("with no third page of open ranges before the people of two, of whom there may be 24 each, have answered", () => {
    const { scheduler } = retrying("respondent_responses", 4, 6, 8);
    const asked = { surveys: 0, respondents: 0 };
    for (let task = scheduler.next(false, 0); task?.path; task = scheduler.next(false, 0)) {
      const list = task.path.startsWith("/surveys") ? "surveys" : "respondents";
      asked[list]++;
      if (list === "respondents") continue;
      task.accept(task.parse(pageOfPeople(8 - 2 * (asked.surveys - 1)), PRESENT));
      task.returned();
    }
    expect(asked).toEqual({ surveys: 2, respondents: 40 });
  });
});
