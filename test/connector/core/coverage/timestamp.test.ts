import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addMicroseconds,
  latest,
  microsecondsBetween,
  parseTimestamp,
  roundDown,
  timestampOfMs,
} from "../../../../connector/core/coverage/timestamp.ts";
import { RUNS } from "./support/timestamps.ts";

const anyMicroseconds = fc.bigInt({ min: -62_167_219_200_000_000n, max: 253_402_300_799_999_999n });
const write = (microseconds: bigint) => {
  const fraction = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((microseconds - fraction) / 1000n)).toISOString().slice(0, 19);
  return parseTimestamp(`${second}.${String(fraction).padStart(6, "0")}Z`)!;
};

describe("timestamps (S7)", () => {
  it("compare as strings as they do in time, to the microsecond", () => {
    fc.assert(
      fc.property(anyMicroseconds, anyMicroseconds, (a, b) => {
        expect(write(a) < write(b)).toBe(a < b);
      }),
      RUNS,
    );
  });

  it("take steps of microseconds exactly, and back again", () => {
    fc.assert(
      fc.property(anyMicroseconds, fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }), (start, by) => {
        const sum = start + BigInt(by);
        fc.pre(sum >= -62_167_219_200_000_000n && sum <= 253_402_300_799_999_999n);
        expect(addMicroseconds(write(start), by)).toBe(write(sum));
        expect(addMicroseconds(addMicroseconds(write(start), by), -by)).toBe(write(start));
      }),
      RUNS,
    );
  });

  it("never leave the years 0000 to 9999, which a fixed-width string can hold", () => {
    expect(addMicroseconds(write(-62_167_219_200_000_000n), -1)).toBe("0000-01-01T00:00:00.000000Z");
    expect(addMicroseconds(write(253_402_300_799_999_999n), 1)).toBe("9999-12-31T23:59:59.999999Z");
  });

  it("are as far apart as the steps between them", () => {
    expect(microsecondsBetween(write(1n), write(1_000_000n))).toBe(999_999);
  });

  it("have a latest one, which anything is later than nothing", () => {
    const [one, two] = [write(1n), write(2n)];
    expect([latest(one, two), latest(two, one)]).toEqual([two, two]);
    expect([latest(one, undefined), latest(undefined, one)]).toEqual([one, one]);
    expect(latest(undefined, undefined)).toBeUndefined();
  });

  it("are rounded down to seconds and milliseconds, and left as they are by a microsecond", () => {
    const timestamp = write(1_999_999n);
    expect([1_000_000, 1000, 1].map((grain) => roundDown(timestamp, grain))).toEqual([
      write(1_000_000n),
      write(1_999_000n),
      timestamp,
    ]);
  });

  it("are made of milliseconds since the epoch", () => {
    expect(timestampOfMs(1500.4)).toBe("1970-01-01T00:00:01.500000Z");
  });

  it("are read with 0 to 6 fraction digits, padded to one width", () => {
    fc.assert(
      fc.property(anyMicroseconds, fc.integer({ min: 0, max: 6 }), (microseconds, digits) => {
        const whole = write(microseconds);
        const cut = digits === 0 ? `${whole.slice(0, 19)}Z` : `${whole.slice(0, 20 + digits)}Z`;
        expect(parseTimestamp(cut)).toBe(
          `${cut.slice(0, digits === 0 ? 19 : -1)}${digits === 0 ? "." : ""}`.padEnd(26, "0").concat("Z"),
        );
      }),
      RUNS,
    );
  });

  it("name days that exist, as the calendar has them", () => {
    expect(parseTimestamp("2000-02-29T00:00:00Z")).toBe("2000-02-29T00:00:00.000000Z");
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9999 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 31 }),
        (...numbers) => {
          const [year, month, day] = numbers.map((number, at) =>
            String(number).padStart(at === 0 ? 4 : 2, "0"),
          );
          const text = `${year}-${month}-${day}T00:00:00.000000Z`;
          const date = new Date(`${year}-${month}-01T00:00:00Z`);
          date.setUTCDate(Number(day));
          const exists = date.toISOString().startsWith(`${year}-${month}-${day}`);
          expect(parseTimestamp(text)).toBe(exists ? text : undefined);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "yesterday",
    "",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00+01:00",
    "2026-01-01T00:00:00.1234567Z",
    "2026-13-01T00:00:00Z",
    "2026-02-31T00:00:00.000000Z",
    "2026-02-29T00:00:00.000000Z",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00.000000Z",
    "2026-04-31T00:00:00.000000Z",
    "2026-11-31T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:00.000000Z ",
    1_767_225_600,
    null,
    undefined,
    {},
  ])("are not read from %j", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
