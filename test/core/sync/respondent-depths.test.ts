import fc from "fast-check";
import { expect, it } from "vitest";
import { RespondentDepths, respondentKey } from "../../../connector/core/sync/respondent-depths.ts";
import { RUNS } from "../coverage/timestamps.ts";

const id = fc.oneof(
  fc.uuid(),
  fc.nat(40).map((number) => `00000000-0000-4000-8000-0000000000${String(number).padStart(2, "0")}`),
  fc.nat(9).map((number) => `person ${number}`),
);
const depth = fc.oneof(fc.constant(Number.NEGATIVE_INFINITY), fc.maxSafeInteger());

it("holds the last depth of each id, UUIDs and others, and none of any other", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(id, depth), { maxLength: 60 }), fc.array(id), (entries, others) => {
      const depths = new RespondentDepths();
      for (const [key, value] of entries) depths.set(key, value);
      const truth = new Map(entries);
      for (const key of [...truth.keys(), ...others]) expect(depths.get(key)).toBe(truth.get(key));
    }),
    RUNS,
  );
});

it("keeps them while it grows far beyond its first size", () => {
  const depths = new RespondentDepths();
  const uuid = (number: number): string =>
    `${number.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
  for (let number = 0; number < 20_000; number++) depths.set(uuid(number), number);
  for (let number = 0; number < 20_000; number++) expect(depths.get(uuid(number))).toBe(number);
  expect(depths.get(uuid(20_000))).toBeUndefined();
});

it("is asked by one key for all spellings of a UUID, and by the id itself for others", () => {
  expect(respondentKey("6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10")).toBe("6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10");
  expect(respondentKey("Ann")).toBe("Ann");
});
