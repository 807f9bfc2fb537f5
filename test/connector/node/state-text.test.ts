import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Lines } from "../../../connector/node/lines.ts";
import { StateText } from "../../../connector/node/state-text.ts";

const RECORD = '{"type":"RECORD","record":{"stream":"a"}}';
const state = (stream: string, n: number) =>
  `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"${stream}"},"stream_state":{"n":${n}}}}}`;
const line = fc.constantFrom("", "é", "text", RECORD, state("a", 1), state("a", 2), state("b", 3));
const text = fc.tuple(fc.array(line, { maxLength: 8 }), fc.boolean()).map(([lines, hasEnd]) => {
  return lines.join("\n") + (hasEnd ? "\n" : "");
});

function* pieces(bytes: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

function stateText(text: string | Buffer, length: number): string {
  const taken = new StateText();
  for (const piece of pieces(Buffer.from(text as string), length)) taken.add(piece);
  return taken.text;
}

describe("a file in pieces", () => {
  it("may be in UTF-16", () => {
    expect(stateText(Buffer.from(`\uFEFF${state("a", 1)}\n`, "utf16le"), 7)).toBe(`${state("a", 1)}\n`);
  });

  it("may have a record of any length", () => {
    const taken = new StateText();
    taken.add(Buffer.from(`${state("a", 1)}\n`));
    taken.add(Buffer.from('{"type":"RECORD","record":{"data":{"text":"'));
    const more = Buffer.alloc(1 << 20, "x");
    for (let megabyte = 0; megabyte < 100; megabyte++) taken.add(more);
    taken.add(Buffer.from(`"}}}\n${state("a", 2)}\n`));
    expect(taken.text).toBe(`{"type":"RECORD"}\n${state("a", 2)}\n`);
  });

  it("has the lines of the whole file, each with its length and no more than the longest start", () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 60 }),
        (whole, length, longest) => {
          const lines = new Lines(longest);
          const found: [string, number][] = [];
          for (const piece of pieces(Buffer.from(whole), length))
            for (const { start, length } of lines.in(piece)) found.push([start.toString("latin1"), length]);
          found.push([lines.rest.start.toString("latin1"), lines.restLength]);
          const expected = Buffer.from(whole).toString("latin1").split("\n");
          expect(found).toEqual(expected.map((line) => [line.slice(0, longest), line.length]));
        },
      ),
    );
  });

  it("holds the same states, whatever the pieces: of records one, of states of ours the last of each stream", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 50 }), (whole, length) => {
        expect(stateText(whole, length)).toBe(stateText(whole, 100_000));
      }),
    );
    const whole = [state("a", 1), RECORD, state("b", 3), "other", RECORD, state("a", 2), ""].join("\n");
    expect(stateText(whole, 7)).toBe(
      `{"type":"RECORD"}\n${[state("b", 3), "other", state("a", 2), ""].join("\n")}`,
    );
  });
});
