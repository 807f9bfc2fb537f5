import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addMicroseconds,
  microsecondsBetween,
  parseTimestamp,
} from "../../../../connector/core/coverage/timestamp.ts";
import { RUNS } from "./support/timestamps.ts";

const [FIRST, LAST] = [-62_167_219_200_000_000n, 253_402_300_799_999_999n];
const anyMicroseconds = fc.bigInt({ min: FIRST, max: LAST });
const write = (microseconds: bigint) => {
  const fraction = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((microseconds - fraction) / 1000n)).toISOString().slice(0, 19);
  return parseTimestamp(`${second}.${String(fraction).padStart(6, "0")}Z`)!;
};

describe("timestamps (S7)", () => {
  it("compare and take steps exactly, to the microsecond", () => {
    fc.assert(
      fc.property(anyMicroseconds, fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }), (start, by) => {
        const sum = start + BigInt(by);
        fc.pre(sum >= FIRST && sum <= LAST);
        expect(addMicroseconds(write(start), by)).toBe(write(sum));
        expect(microsecondsBetween(write(start), write(sum))).toBe(by);
        expect(write(start) < write(sum)).toBe(by > 0);
      }),
      RUNS,
    );
  });

  it("never leave the years 0000 to 9999, which a fixed-width string can hold", () => {
    expect(addMicroseconds(write(FIRST), -1)).toBe("0000-01-01T00:00:00.000000Z");
    expect(addMicroseconds(write(LAST), 1)).toBe("9999-12-31T23:59:59.999999Z");
  });

  it("are read with 0 to 6 fraction digits, padded to one width", () => {
    expect(parseTimestamp("2026-01-01T00:00:00Z")).toBe("2026-01-01T00:00:00.000000Z");
    expect(parseTimestamp("2026-01-01T00:00:00.12Z")).toBe("2026-01-01T00:00:00.120000Z");
  });

  it("name days that exist, as the calendar has them", () => {
    const [year, month, day] = [
      fc.integer({ min: 0, max: 9999 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 31 }),
    ];
    fc.assert(
      fc.property(year, month, day, (...numbers) => {
        const [y, m, d] = numbers.map((number, index) => String(number).padStart(index === 0 ? 4 : 2, "0"));
        const text = `${y}-${m}-${d}T00:00:00.000000Z`;
        const date = new Date(`${y}-${m}-01T00:00:00Z`);
        date.setUTCDate(Number(d));
        expect(parseTimestamp(text)).toBe(date.toISOString().startsWith(`${y}-${m}-${d}`) ? text : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ...["yesterday", "", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00"],
    ...["2026-01-01T00:00:00.1234567Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z"],
    ...["2026-02-29T00:00:00Z", "2026-01-01T00:00:00.000000Z ", 1_767_225_600, null, undefined, {}],
  ])("are not read from %j", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
