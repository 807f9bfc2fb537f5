import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HELD_ALL,
  HELD_NOTHING,
  heldBetween,
  isHeld,
  PeopleRead,
  respondentKey,
} from "../../../../connector/core/sync/people-read.ts";
import { at, RUNS } from "../coverage/support/timestamps.ts";

const id = fc.oneof(
  fc.uuid(),
  fc.nat(40).map((number) => `00000000-0000-4000-8000-0000000000${String(number).padStart(2, "0")}`),
  fc.nat(9).map((number) => `person ${number}`),
);
const seconds = fc.nat(0xffff_ffff);
const held = fc.oneof(
  fc.constant(HELD_ALL),
  fc.constant(HELD_NOTHING),
  fc.record({ oldest: seconds, newest: seconds }),
);

describe("the people whose lists were read", () => {
  it("are known with what each list held last, UUIDs and others, and nobody else is", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(id, held), { maxLength: 60 }), fc.array(id), (entries, others) => {
        const people = new PeopleRead();
        for (const [key, value] of entries) people.set(key, value);
        const truth = new Map(entries);
        for (const key of [...truth.keys(), ...others]) expect(people.get(key)).toEqual(truth.get(key));
      }),
      RUNS,
    );
  });

  it("may be many more than there is room for at first", () => {
    const people = new PeopleRead();
    const uuid = (number: number): string =>
      `${number.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
    for (let number = 0; number < 20_000; number++)
      people.set(uuid(number), { oldest: number, newest: 2 * number });
    for (let number = 0; number < 20_000; number++)
      expect(people.get(uuid(number))).toEqual({ oldest: number, newest: 2 * number });
    expect(people.get(uuid(20_000))).toBeUndefined();
  });

  it.each([0, 4, 8, 12, 16, 20, 24, 28])(
    "are never taken for each other, if only four digits of their UUIDs differ: from digit %i on",
    (from) => {
      const people = new PeopleRead();
      const uuids = Array.from({ length: 500 }, (_, number) => {
        const digits = "6f1c2a349b7e4c1d8e550a4b7c9d2e10".split("");
        digits.splice(from, 4, number.toString(16).padStart(4, "0"));
        return digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
      });
      for (const [number, uuid] of uuids.entries()) people.set(uuid, { oldest: number, newest: number });
      expect(uuids.map((uuid) => people.get(uuid)?.oldest)).toEqual([...uuids.keys()]);
    },
  );

  it("have one key for all spellings of a UUID, and the id itself for others", () => {
    expect(respondentKey("6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10")).toBe(
      "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10",
    );
    expect(respondentKey("Ann")).toBe("Ann");
  });
});

describe("a list that held responses from 10.5 s to 20.2 s", () => {
  const between = heldBetween(at(10_500_000), at(20_200_000));

  it.each([
    [9_999_999, false],
    [10_000_000, true],
    [10_600_000, true],
    [20_999_999, true],
    [21_000_000, false],
  ])("held one at %i µs: %s, by whole seconds, since it may show fewer digits", (microseconds, isInside) => {
    expect(isHeld(between, at(microseconds))).toBe(isInside);
  });

  it("is known as well from what is kept of it", () => {
    const people = new PeopleRead();
    people.set("6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10", between);
    expect(people.get("6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10")).toEqual(between);
  });
});

it("a list counts as whole, or as one that held nothing, at any time", () => {
  for (const year of ["0000", "1969", "2026", "2106", "9999"]) {
    const timestamp = at(0).replace("2026", year) as ReturnType<typeof at>;
    expect([isHeld(HELD_ALL, timestamp), isHeld(HELD_NOTHING, timestamp)]).toEqual([true, false]);
  }
});
