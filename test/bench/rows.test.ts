import { describe, expect, it } from "vitest";
import { Rows } from "../../bench/rows.ts";

const record = (name: string, emittedAt = 1) =>
  `{"type":"RECORD","record":{"stream":"s","data":{"name":"${name}"},"emitted_at":${emittedAt}}}\n`;
const STATE = '{"type":"STATE","state":{}}\n';

function rowsOf(output: string, pieceBytes = 1000): Rows {
  const rows = new Rows();
  const bytes = Buffer.from(output);
  for (let at = 0; at < bytes.length; at += pieceBytes) rows.take(bytes.subarray(at, at + pieceBytes));
  return rows;
}

describe("two programs wrote the same rows", () => {
  const one = rowsOf(record("ä") + record("b") + record("b"));

  it.each([
    ["in another order", record("b") + record("b") + record("ä")],
    ["at another time", record("ä", 22) + record("b", 333) + record("b", 4444)],
    ["with other lines between them", STATE + record("ä") + record("b") + STATE + record("b")],
  ])("if they are equal, %s", (_, output) => {
    for (const pieceBytes of [1, 7, 1000]) {
      const other = rowsOf(output, pieceBytes);
      expect(other.count).toBe(3);
      expect(other.equals(one)).toBe(true);
    }
  });

  it.each([
    ["one differs", record("ä") + record("b") + record("c")],
    ["one is missing", record("ä") + record("b")],
    ["one comes more often", record("ä") + record("b") + record("b") + record("b")],
    ["another one is there twice", record("ä") + record("ä") + record("b")],
  ])("not if %s", (_, output) => {
    expect(rowsOf(output).equals(one)).toBe(false);
  });
});
