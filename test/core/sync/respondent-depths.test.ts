import fc from "fast-check";
import { expect, it } from "vitest";
import { createRespondentSet } from "../../../connector/core/sync/respondent-depths.ts";
import { RUNS } from "../coverage/timestamps.ts";

const id = fc.oneof(
  fc.uuid(),
  fc.nat(40).map((number) => `00000000-0000-4000-8000-0000000000${String(number).padStart(2, "0")}`),
  fc.nat(9).map((number) => `person ${number}`),
  fc.uuid().map((uuid) => uuid.toUpperCase()),
);

it("holds exactly the ids that were added, UUIDs and others", () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 60 }), fc.array(id, { maxLength: 60 }), (added, others) => {
      const set = createRespondentSet();
      for (const each of added) set.add(each);
      const truth = new Set(added);
      for (const each of [...added, ...others]) expect(set.has(each)).toBe(truth.has(each));
      expect(set.size).toBe(truth.size);
    }),
    RUNS,
  );
});

it("keeps them while it grows far beyond its first size", () => {
  const set = createRespondentSet();
  const uuid = (number: number): string =>
    `${number.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
  for (let number = 0; number < 20_000; number++) set.add(uuid(number));
  for (let number = 0; number < 20_000; number++) expect(set.has(uuid(number))).toBe(true);
  expect(set.has(uuid(20_000))).toBe(false);
  expect(set.size).toBe(20_000);
});
