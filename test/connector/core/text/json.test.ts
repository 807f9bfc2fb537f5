import fc from "fast-check";
import { expect, it } from "vitest";
import { cutBelow, parseJsonExactly as parse } from "../../../../connector/core/text/json.ts";

it.each([
  ...["9007199254740992", "-9007199254740993", "12345678901234567890123", "9007199254740993.0"],
  ...["1e400", "-1E+400", "1e-400", "0.001e-999", "-2E-324"],
  ...[`0.${"0".repeat(400)}1`, `0.${"0".repeat(250)}1e-90`],
])("%s would change, so it becomes a string with the digits as sent, wherever it is", (digits) => {
  for (const space of ["", "\r\n  "]) {
    const text = `${space}{"a":${space}${digits}${space},"b":[${space}${digits},${space}1${space},${space}${digits}]}`;
    expect(parse(text)).toEqual({ a: digits, b: [digits, 1, digits] });
  }
});

it.each([
  ["9007199254740991", 9007199254740991],
  ["-9007199254740991", -9007199254740991],
  ["1.0", 1],
  ["0.1000000000000000055511151231257827", 0.1],
  ["6.02e23", 6.02e23],
  ["0e-400", 0],
  ["0.0000000000000000000", 0],
  ["5e-324", 5e-324],
])("%s stays a number", (digits, number) => {
  expect(parse(`[${digits}]`)).toEqual([number]);
});

it("keeps every whole number's digits, of any length", () => {
  const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
  fc.assert(
    fc.property(fc.array(whole), (numbers) => {
      const parsed = parse(`{"a":[${numbers.join(",")}]}`) as { a: (number | string)[] };
      expect(parsed.a.map(String)).toEqual(numbers.map(String));
    }),
  );
});

it("leaves strings and names as they are, digits, lone surrogates and __proto__ included", () => {
  const text = String.raw`{"a":"id:9007199254740993, 1e400","b":"\ud83d","c":"\udc4d x","9007199254740993":"9","__proto__":{"a":1}}`;
  for (const number of ["1", "9007199254740993"])
    expect(JSON.stringify(parse(`[${text},${number}]`))).toContain(text);
});

it.each([
  ["{}", 1],
  ["[[],[[]]]", 3],
  ['{"a":{"b":[1,"[[[["]},"c":[]}', 3],
  ["1", 0],
])("cuts %s only below the %d levels that it has", (text, levels) => {
  const value = parse(text);
  expect(cutBelow(value, levels)).toBe(value);
  if (levels > 0) expect(JSON.stringify(cutBelow(value, levels - 1))).toContain("(nested too deeply)");
});

it("cuts nesting of any depth without running out of stack, and keeps what stands next to it", () => {
  const value = parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)},"b":{"c":1}}`);
  expect(JSON.stringify(cutBelow(value))).toMatch(/^{"a":\[{63}"\(nested too deeply\)"\]{63},"b":{"c":1}}$/);
});
