import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Coverage,
  coverageOf,
  isStrictlyInside,
  isWithin,
} from "../../../../connector/core/coverage/coverage.ts";
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
  it("comes back as it was written", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), coverage),
        fc.record(
          {
            open: fc.dictionary(fc.string(), coverage),
            open_next: fc.tuple(fc.string(), timestamp),
            configured_respondents: fc.record({
              fingerprint: fc.string(),
              collected_at: fc.option(timestamp),
            }),
            start_date: timestamp,
            personal_data: fc.string(),
          },
          { requiredKeys: [] },
        ),
        (surveys, others) => {
          const state: StreamState = { version: 1, surveys, ...others };
          expect(parseStreamState(JSON.parse(JSON.stringify(state)), "respondent_responses")).toEqual({
            surveys: new Map(Object.entries(surveys)),
            open: new Map(Object.entries(others.open ?? {})),
            openNext: others.open_next,
            configured: others.configured_respondents,
            startDate: others.start_date,
            ...{ namesRespondents: false, upTo: undefined, personalData: others.personal_data },
          });
        },
      ),
      RUNS,
    );
  });

  it("that holds respondents or not_found is one of version 0.1", () => {
    for (const [field, isOld] of [
      ["respondents", true],
      ["not_found", true],
      ["another", false],
    ] as const) {
      const state = { version: 1, surveys: {}, [field]: {} };
      expect(parseStreamState(state, "respondent_responses").namesRespondents).toBe(isOld);
    }
  });

  it.each(["open_next", "configured_respondents", "start_date"])("may hold null as %s", (field) => {
    expect(parseStreamState({ version: 1, surveys: {}, [field]: null }, "survey_responses")).toEqual(
      EMPTY_STATE,
    );
  });

  const intervals = fc
    .uniqueArray(fc.nat(5000), { minLength: 500, maxLength: 1500 })
    .map((places): Coverage => {
      const sorted = [...places].sort((a, b) => a - b);
      const pairs = Array.from({ length: Math.floor(sorted.length / 2) }, (_, n) =>
        sorted.slice(2 * n, 2 * n + 2),
      );
      return pairs.map(([older, newer], n) => [n === 0 ? null : at(older!), at(newer!)]);
    });

  it("with more intervals of a survey than ours have covers nothing that it did not cover, and keeps the newest", () => {
    fc.assert(
      fc.property(intervals, (covered) => {
        const state = parseStreamState({ version: 1, surveys: { s: covered } }, "survey_responses");
        const taken = state.surveys.get("s")!;
        expect(taken).toHaveLength(200);
        expect([taken[0], taken.at(-1)]).toEqual([covered[0], covered.at(-1)]);
        for (let n = 0; n <= 5000; n++) {
          if (isStrictlyInside(taken, at(n))) expect(isStrictlyInside(covered, at(n))).toBe(true);
        }
      }),
      { numRuns: 5 },
    );
  });

  it("with more open ranges of a survey than ours have forgets none of them", () => {
    fc.assert(
      fc.property(intervals, (open) => {
        const state = parseStreamState({ version: 1, surveys: {}, open: { s: open } }, "survey_responses");
        const taken = state.open.get("s")!;
        expect(taken).toHaveLength(100);
        for (const [older, newer] of open)
          expect([older ?? newer, newer].every((end) => isWithin(taken, end))).toBe(true);
      }),
      { numRuns: 5 },
    );
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

  it.each([
    ["open_next", ["s", ["s"], ["s", "soon"], [1, "2026-01-01T00:00:00Z"]], "a survey and a timestamp"],
    [
      "configured_respondents",
      ["f", {}, { fingerprint: "f" }, { fingerprint: "f", collected_at: "soon" }, { collected_at: null }],
      "a fingerprint and a collected_at",
    ],
  ])("whose %s is something else cannot be read", (field, values, what) => {
    for (const value of values) {
      expect(() => parseStreamState({ version: 1, surveys: {}, [field]: value }, "survey_responses")).toThrow(
        `The state of stream survey_responses cannot be read: its field ${field} is not ${what}.`,
      );
    }
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
