import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PeopleRead, respondentKey } from "../../../../connector/core/sync/people-read.ts";
import { RUNS } from "../coverage/support/timestamps.ts";

const id = fc.oneof(
  fc.uuid(),
  fc.nat(40).map((number) => `00000000-0000-4000-8000-0000000000${String(number).padStart(2, "0")}`),
  fc.nat(9).map((number) => `person ${number}`),
);
const read = fc.tuple(fc.nat(0xffff_ffff), fc.integer({ min: 1, max: 0xffff_ffff }));

describe("the people whose lists were read", () => {
  it("are known with what came of it last, UUIDs and others, and nobody else is", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(id, read), { maxLength: 60 }), fc.array(id), (entries, others) => {
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
    for (let number = 0; number < 20_000; number++) people.set(uuid(number), [number, number + 1]);
    for (let number = 0; number < 20_000; number++)
      expect(people.get(uuid(number))).toEqual([number, number + 1]);
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
      for (const [number, uuid] of uuids.entries()) people.set(uuid, [number, 1]);
      expect(uuids.map((uuid) => people.get(uuid)?.[0])).toEqual([...uuids.keys()]);
    },
  );

  it("have one key for all spellings of a UUID, and the id itself for others", () => {
    expect(respondentKey("6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10")).toBe(
      "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10",
    );
    expect(respondentKey("Ann")).toBe("Ann");
  });
});
