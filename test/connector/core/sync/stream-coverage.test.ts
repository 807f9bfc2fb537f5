import { expect, it } from "vitest";
import { type Coverage, NOTHING } from "../../../../connector/core/coverage/coverage.ts";
import { EMPTY_STATE } from "../../../../connector/core/coverage/stream-state.ts";
import { KEEP_ALL } from "../../../../connector/core/privacy/record-treatment.ts";
import { STREAMS, type StreamName } from "../../../../connector/core/streams/index.ts";
import { usableState } from "../../../../connector/core/sync/stream-coverage.ts";
import { type SyncOptions, settingsOf } from "../../../../connector/core/sync/sync-options.ts";
import { at } from "../coverage/support/timestamps.ts";

const READ: Coverage = [[at(50), at(90)]];
const STORED = { ...EMPTY_STATE, surveys: new Map([["s", READ]]) };

const usable = (name: StreamName, stored = {}, options: Partial<SyncOptions> = {}) => {
  const settings = settingsOf({ surveyIds: ["s"], respondentUuids: [], streams: new Map(), ...options });
  return usableState({ ...STORED, ...stored }, STREAMS[name], settings);
};

it.each<[StreamName, number | undefined, number | undefined, boolean]>([
  ["respondent_responses", undefined, undefined, true],
  ["respondent_responses", undefined, 50, true],
  ["respondent_responses", 50, 50, true],
  ["respondent_responses", 50, 51, true],
  ["respondent_responses", 50, 49, false],
  ["respondent_responses", 50, undefined, false],
  ["respondent_attributes", 50, undefined, true],
  ["survey_responses", 50, undefined, true],
  ["response_keys", undefined, undefined, false],
])("a state of %s that was read down to %s is worth something from %s on: %s", (name, then, now, isWorth) => {
  const dates = [then, now].map((place) => (place === undefined ? undefined : at(place)));
  const { surveys } = usable(name, { startDate: dates[0] }, { startDate: dates[1] });
  expect(surveys.get("s")).toEqual(isWorth ? READ : undefined);
});

it("only the stream that reads lists of respondents' responses has the start date in its state", () => {
  const startDate = at(60);
  const of = (name: StreamName) => usable(name, {}, { startDate });
  expect(of("respondent_responses").startDate).toBe(startDate);
  expect(of("respondent_attributes").startDate).toBeUndefined();
});

it("the state of a stream of named respondents stays as it was, for the day on which nobody is named", () => {
  const named = { respondentUuids: ["6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10"], startDate: at(40) };
  const { surveys, startDate } = usable("respondent_responses", { startDate: at(50) }, named);
  expect({ read: surveys.get("s"), startDate }).toEqual({ read: READ, startDate: at(50) });
});

it("of a list that a state of before does not name, everything up to a hand-written time was read, less the lookback", () => {
  expect(usable("survey_responses").others).toEqual(NOTHING);
  const byHand = usable("survey_responses", { collectedAt: at(80) }, { lookbackMs: 0.02 });
  expect(byHand.others).toEqual([[null, at(60)]]);
  expect(byHand.collectedAt).toBe(at(80));
});

it.each<[string, object, boolean]>([
  ["of a first sync", EMPTY_STATE, false],
  ["that kept everything", {}, true],
  ["with another treatment", { personalData: "another" }, true],
  ["with the same treatment", { personalData: "same" }, false],
])("a state %s was made under another setting of personal data: %s", (_, stored, isOther) => {
  const treatment = { ...KEEP_ALL, fingerprint: "same" };
  const settings = settingsOf({ surveyIds: [], respondentUuids: [], streams: new Map(), treatment });
  const state = stored === EMPTY_STATE ? EMPTY_STATE : { ...STORED, ...stored };
  expect(usableState(state, STREAMS.survey_responses, settings).isOtherTreatment).toBe(isOther);
  expect(usableState(state, STREAMS.response_keys, settings).isOtherTreatment).toBe(false);
});
