import { KEEP_ALL } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import type { Interval } from "../../../../connector/core/coverage/coverage.ts";
import { EMPTY_STATE, parseStreamState } from "../../../../connector/core/coverage/stream-state.ts";
import { streamOf } from "../sync/support/stream.ts";
import { at } from "./support/timestamps.ts";

const range = (older: number, newer = older): Interval => [at(older), at(newer)];

describe("a stored state", () => {
  it("comes back as it was written, whatever the ids are", async () => {
    const ids = ["constructor", "toString", "__proto__"];
    const treatment = { ...KEEP_ALL, fingerprint: "hashed" };
    const options = { surveyIds: ids, startDate: at(3), treatment };
    const { stream, deliver, told } = streamOf("respondent_responses", options);
    for (const id of ids) void deliver({ covered: range(3, 9) }, [], id);
    expect(Object.values(stream.coverage.state().toJSON().surveys)).toEqual([[], [], []]);
    await told();
    const parsed = parseStreamState(
      JSON.parse(JSON.stringify(stream.coverage.state())),
      "respondent_responses",
    );
    expect(parsed).toEqual({
      surveys: new Map(ids.map((id) => [id, [range(3, 9)]])),
      startDate: at(3),
      collectedAt: undefined,
      personalData: "hashed",
    });
  });

  it("of before covers nothing in its open ranges and at its points, and may hold what nobody needs any more", () => {
    const old = { open_next: ["s", "soon"], respondents: ["anna"], not_found: {}, start_date: null };
    const state = { version: 1, surveys: { s: [[null, at(9)], range(20)] }, open: { s: [range(5)] }, ...old };
    expect(parseStreamState(state, "x")).toEqual({
      ...EMPTY_STATE,
      surveys: new Map([["s", [[null, at(4)], range(6, 9)]]]),
    });
  });

  it.each([undefined, null, {}])("%j is a first sync", (value) => {
    expect(parseStreamState(value, "survey_responses")).toEqual(EMPTY_STATE);
  });

  it("written by hand as a collected_at means everything up to there", () => {
    expect(parseStreamState({ collected_at: "2026-01-01T00:00:00Z" }, "survey_responses").collectedAt).toBe(
      at(0),
    );
  });

  const of = (fields: object) => ({ version: 1, surveys: {}, ...fields });
  it.each<[unknown, string]>([
    ["text", "it is not an object"],
    [[1], "it is not an object"],
    [{ collected_at: "2026-02-31" }, "its collected_at is not a timestamp like 2026-01-31T00:00:00.000000Z"],
    [{ surveys: {} }, "it has no version"],
    [{ version: 2, surveys: {} }, 'its version is "2", and this program reads version 1'],
    [{ version: 1 }, "its field surveys is missing or is not an object"],
    [of({ open: [] }), "its field open is missing or is not an object"],
    [of({ start_date: "soon" }), "its start_date is not a timestamp like 2026-01-31T00:00:00.000000Z"],
    [of({ surveys: { s: 1 } }), 'entry "s" of surveys is not a list'],
    ...[range(9, 3), [null, null], null, "ab", [null], ["soon", at(0)], [null, at(0), at(1)]].map(
      (interval): [object, string] => [
        of({ surveys: { s: [interval] } }),
        'an interval of "s" is not a pair of timestamps, the older one first',
      ],
    ),
  ])("that cannot be read is the user's to correct, never a silent full read: %j", (value, what) => {
    const message = `The state of stream survey_responses cannot be read: ${what}. Pass a state that this source wrote, or clear the stream's state to read everything again.`;
    expect(() => parseStreamState(value, "survey_responses")).toThrow(
      expect.objectContaining({ kind: "config", code: "invalid_state", message }),
    );
  });
});
