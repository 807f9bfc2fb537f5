import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Coverage, coverageOf, isStrictlyInside } from "../../../../connector/core/coverage/coverage.ts";
import {
  EMPTY_STATE,
  parseStreamState,
  type StreamState,
} from "../../../../connector/core/coverage/stream-state.ts";
import { at, place, RUNS } from "./support/timestamps.ts";

const coverage = fc
  .array(fc.tuple(fc.option(place, { freq: 6 }), place), { maxLength: 4 })
  .map((pairs) =>
    coverageOf(
      pairs.map(([a, b]) => (a === null ? [null, at(b)] : [at(Math.min(a, b)), at(Math.max(a, b))])),
    ),
  );

const timestamp = place.map(at);

describe("a stored state", () => {
  it("comes back as it was written, however many intervals it has", () => {
    const many = Array.from({ length: 5000 }, (_, n): Coverage[number] => [at(3 * n), at(3 * n + 1)]);
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof({ weight: 50, arbitrary: coverage }, fc.constant(many))),
        fc.record(
          {
            respondents: fc.dictionary(fc.string(), coverage),
            start_date: timestamp,
            personal_data: fc.string(),
          },
          { requiredKeys: [] },
        ),
        (surveys, others) => {
          const state: StreamState = { version: 1, surveys, ...others };
          expect(parseStreamState(JSON.parse(JSON.stringify(state)), "respondent_responses")).toEqual({
            surveys: new Map(Object.entries(surveys)),
            respondents: new Map(Object.entries(others.respondents ?? {})),
            ...{ startDate: others.start_date, upTo: undefined, personalData: others.personal_data },
          });
        },
      ),
      RUNS,
    );
  });

  it("of before, with open ranges, covers nothing in them, wherever they lie", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("s", "t"), coverage), coverage, (surveys, ranges) => {
        const { surveys: taken } = parseStreamState({ version: 1, surveys, open: { s: ranges } }, "x");
        expect(taken.get("t")).toEqual(surveys.t);
        for (let n = 0; n <= 31; n++) {
          const isOpen = ranges.some(
            ([older, newer]) => (older === null || older <= at(n)) && at(n) <= newer,
          );
          if (isOpen) expect(isStrictlyInside(taken.get("s")!, at(n))).toBe(false);
        }
      }),
      RUNS,
    );
    const surveys = { s: [[null, at(9)]] };
    expect(parseStreamState({ version: 1, surveys, open: { s: [[at(5), at(5)]] } }, "x").surveys).toEqual(
      new Map([
        [
          "s",
          [
            [null, at(4)],
            [at(6), at(9)],
          ],
        ],
      ]),
    );
  });

  it("of before may hold what nobody needs any more", () => {
    const old = { open_next: ["s", "soon"], configured_respondents: 1, not_found: {} };
    expect(parseStreamState({ version: 1, surveys: {}, start_date: null, ...old }, "x")).toEqual(EMPTY_STATE);
  });

  it.each([undefined, null, {}])("%j is a first sync", (value) => {
    expect(parseStreamState(value, "survey_responses")).toEqual(EMPTY_STATE);
  });

  it("written by hand as a collected_at means everything up to there", () => {
    expect(parseStreamState({ collected_at: "2026-01-01T00:00:00Z" }, "survey_responses").upTo).toBe(at(0));
    const written = { version: 1, surveys: {}, collected_at: at(0), personal_data: 1 };
    const { upTo, personalData } = parseStreamState(written, "survey_responses");
    expect([upTo, personalData], "if it has no version").toEqual([undefined, undefined]);
  });

  it.each<[unknown, string]>([
    ["text", "it is not an object"],
    [[1], "it is not an object"],
    [
      { collected_at: "2026-02-31T00:00:00.000000Z" },
      "its collected_at is not a timestamp like 2026-01-31T00:00:00.000000Z",
    ],
    [{ collected_at: "2026" }, "its collected_at is not a timestamp like 2026-01-31T00:00:00.000000Z"],
    [{ surveys: {} }, "it has no version"],
    [{ version: 2, surveys: {} }, "its version is 2, and this program reads version 1"],
    [{ version: 1 }, "its field surveys is missing or is not an object"],
    [{ version: 1, surveys: { s: 1 } }, 'entry "s" of surveys is not a list'],
    [
      { version: 1, surveys: { s: [["2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"]] } },
      '["2026-01-02T00:00:00Z","2026-01-01T00:00:00Z"] of "s" is not a pair of timestamps, the older one first',
    ],
    [
      { version: 1, surveys: { s: [[null, null]] } },
      '[null,null] of "s" is not a pair of timestamps, the older one first',
    ],
    ...[null, "ab", [null], ["soon", at(0)], [null, at(0), at(1)]].map((interval): [object, string] => [
      { version: 1, surveys: { s: [interval] } },
      `${JSON.stringify(interval)} of "s" is not a pair of timestamps, the older one first`,
    ]),
    [{ version: 1, surveys: null }, "its field surveys is missing or is not an object"],
    [{ version: 1, surveys: {}, open: [] }, "its field open is missing or is not an object"],
    [{ version: 1, surveys: {}, respondents: [] }, "its field respondents is missing or is not an object"],
    [{ version: 1, surveys: {}, open: { s: 1 } }, 'entry "s" of open is not a list'],
    [
      { version: 1, surveys: {}, open: { s: [["soon", null]] } },
      '["soon",null] of "s" is not a pair of timestamps, the older one first',
    ],
    [
      { version: 1, surveys: {}, start_date: "soon" },
      "its start_date is not a timestamp like 2026-01-31T00:00:00.000000Z",
    ],
  ])("that cannot be read is the user's to correct, never a silent full read: %j", (value, what) => {
    const message = `The state of stream survey_responses cannot be read: ${what}. Pass a state that this source wrote, or clear the stream's state to read everything again.`;
    expect(() => parseStreamState(value, "survey_responses")).toThrow(
      expect.objectContaining({ kind: "config", code: "invalid_state", message }),
    );
  });
});
