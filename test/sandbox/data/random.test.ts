import { describe, expect, it } from "vitest";
import { numberOf, uuidOf } from "../../../sandbox/data/random.ts";

describe("an id", () => {
  it("is a UUID of version 4 from which its number comes back, under its own seed alone", () => {
    for (const number of [0, 1, 97, 16_777_215, 16_777_216, 9_999_999, 2 ** 47]) {
      const uuid = uuidOf(5, number);
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(numberOf(5, uuid)).toBe(number);
      expect(numberOf(6, uuid)).toBeUndefined();
    }
    expect(new Set(Array.from({ length: 20_000 }, (_, number) => uuidOf(1, number))).size).toBe(20_000);
  });
});
