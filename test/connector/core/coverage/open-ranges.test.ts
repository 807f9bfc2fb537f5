import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Coverage,
  coverageOf,
  type Interval,
  isWithin,
} from "../../../../connector/core/coverage/coverage.ts";
import { OpenRanges, type Place } from "../../../../connector/core/coverage/open-ranges.ts";
import { at, place, RUNS } from "./support/timestamps.ts";

const openAt = (...ranges: [number | null, number][]): OpenRanges =>
  new OpenRanges(new Map([["s", ranges.map(([older, newer]) => between(older, newer))]]));
const between = (older: number | null, newer: number): Interval => [
  older === null ? null : at(older),
  at(newer),
];
const placeAt = (number: number): Place => ({ surveyId: "s", timestamp: at(number) });
const listed = (open: OpenRanges): Coverage => open.snapshot().toJSON().s ?? [];

describe("what is open", () => {
  it("is what was open before and was not read again, and what this sync could not deliver", () => {
    const open = openAt([3, 9]);
    open.close("s", between(6, 12));
    open.add("s", between(7, 7));
    expect(listed(open)).toEqual([between(3, 5), between(7, 7)]);
    expect(open.left("s")).toEqual([between(3, 5)]);
  });

  it("stays open if the same sync reads it once more", () => {
    const open = openAt();
    open.add("s", between(7, 7));
    open.close("s", between(null, 30));
    expect(listed(open)).toEqual([between(7, 7)]);
  });

  it("was open at the start of the sync, and is left, until it has been read", () => {
    const open = openAt([3, 9]);
    open.close("s", between(null, 5));
    open.add("s", between(12, 12));
    expect([5, 6, 12].map((number) => open.wasOpen(placeAt(number)))).toEqual([true, true, false]);
    expect([5, 6, 12].map((number) => open.isLeft(placeAt(number)))).toEqual([false, true, false]);
    expect(open.atStart("s")).toEqual([between(3, 9)]);
  });

  it("of one survey says nothing of another", () => {
    const open = openAt([3, 9]);
    open.add("t", between(1, 2));
    open.close("t", between(null, 30));
    expect(open.snapshot().toJSON()).toEqual({ s: [between(3, 9)], t: [between(1, 2)] });
    expect([open.left("t"), open.atStart("u"), open.count]).toEqual([[], [], 2]);
  });

  it("does not change in a state that has left (I4)", () => {
    const open = openAt([3, 9]);
    const before = open.snapshot();
    open.close("s", between(3, 9));
    open.add("t", between(1, 2));
    expect(before.toJSON()).toEqual({ s: [between(3, 9)] });
  });
});

describe("a doubt", () => {
  it("lists its timestamp as open until it is decided", () => {
    const open = openAt();
    open.doubt(placeAt(5));
    expect(listed(open)).toEqual([between(5, 5)]);
    open.decide([placeAt(5)], () => true);
    expect(listed(open)).toEqual([]);
  });

  it("that is not closed leaves its timestamp open for good", () => {
    const open = openAt();
    open.doubt(placeAt(5));
    open.decide([placeAt(5)], () => false);
    expect(listed(open)).toEqual([between(5, 5)]);
  });

  it("about one of two people who share a timestamp says nothing of the other", () => {
    const open = openAt();
    for (let person = 0; person < 2; person++) open.doubt(placeAt(5));
    open.decide([placeAt(5)], () => true);
    expect(listed(open)).toEqual([between(5, 5)]);
    open.decide([placeAt(5)], () => true);
    expect(listed(open)).toEqual([]);
  });

  it("closes nothing that is open for another reason", () => {
    const open = openAt([3, 9]);
    open.add("s", between(12, 12));
    for (const number of [5, 12]) open.doubt(placeAt(number));
    open.decide([placeAt(5), placeAt(12)], () => true);
    expect(listed(open)).toEqual([between(3, 9), between(12, 12)]);
  });
});

describe("a survey has at most a hundred ranges", () => {
  it("and those nearest to each other become one", () => {
    const open = openAt();
    for (let number = 0; number < 100; number++) open.add("s", between(10 * number, 10 * number + 1));
    expect(listed(open)).toHaveLength(100);
    open.add("s", between(505, 505));
    expect(listed(open)).toHaveLength(100);
    expect(listed(open)).toContainEqual(between(500, 505));
  });

  it("whether they are in doubt, come from the state or are new; and nothing is forgotten", () => {
    const open = openAt(
      ...Array.from({ length: 90 }, (_, number): [number, number] => [10 * number, 10 * number]),
    );
    const doubts = Array.from({ length: 90 }, (_, number) => placeAt(10 * number + 3));
    for (const doubt of doubts) open.doubt(doubt);
    for (let number = 0; number < 90; number++) open.add("s", between(10 * number + 6, 10 * number + 6));
    for (let round = 0; round < 2; round++) {
      expect(listed(open).length).toBeLessThanOrEqual(100);
      for (let number = 0; number < 90; number++) {
        for (const offset of round === 0 ? [0, 3, 6] : [0, 6])
          expect(isWithin(listed(open), at(10 * number + offset))).toBe(true);
      }
      if (round === 0) open.decide(doubts, () => true);
    }
  });
});

const step = fc.oneof(
  fc.record({ kind: fc.constant("close" as const), from: place, to: place }),
  fc.record({ kind: fc.constant("add" as const), from: place, to: place }),
  fc.record({ kind: fc.constant("doubt" as const), from: place, to: fc.boolean() }),
  fc.record({ kind: fc.constant("decide" as const), from: fc.nat(9), to: fc.nat(9) }),
);

it("is what plain sets of timestamps say, whatever happens in whatever order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(place, place), { maxLength: 4 }),
      fc.array(step, { maxLength: 30 }),
      (given, steps) => {
        const ranges = coverageOf(given.map(([a, b]) => between(Math.min(a, b), Math.max(a, b))));
        const open = new OpenRanges(new Map([["s", ranges]]));
        const all = Array.from({ length: 31 }, (_, number) => number);
        const left = new Set(all.filter((number) => isWithin(ranges, at(number))));
        const added = new Set<number>();
        let doubts: { number: number; isClosed: boolean }[] = [];
        for (const { kind, from, to } of steps) {
          if (kind === "doubt") {
            doubts.push({ number: from, isClosed: to });
            open.doubt(placeAt(from));
          } else if (kind === "decide") {
            const decided = doubts.slice(from, to);
            doubts = doubts.filter((doubt) => !decided.includes(doubt));
            for (const { number, isClosed } of decided) if (!isClosed) added.add(number);
            open.decide(
              decided.map((doubt) => ({ ...placeAt(doubt.number), ...doubt })),
              ({ isClosed }) => isClosed,
            );
          } else {
            const [older, newer] = [Math.min(from, to), Math.max(from, to)];
            open[kind]("s", between(older, newer));
            for (let number = older; number <= newer; number++)
              if (kind === "add") added.add(number);
              else left.delete(number);
          }
        }
        for (const number of all) {
          expect(isWithin(listed(open), at(number))).toBe(
            left.has(number) || added.has(number) || doubts.some((doubt) => doubt.number === number),
          );
          expect(open.isLeft(placeAt(number))).toBe(left.has(number));
        }
        expect(open.count).toBe(listed(open).length);
      },
    ),
    RUNS,
  );
});
