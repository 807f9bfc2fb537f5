import type { SurveyExportError } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { parseStates } from "../../../connector/airbyte/state.ts";

const state = (name: string, n: number) => ({
  type: "STREAM",
  stream: { stream_descriptor: { name }, stream_state: { n } },
});
const message = (name: string, n: number): string => JSON.stringify({ type: "STATE", state: state(name, n) });
const RECORD = '{"type":"RECORD","record":{}}';
const found = (text: string | undefined) => {
  return Object.fromEntries(parseStates(text));
};
function refusal(text: string): string {
  try {
    parseStates(text);
  } catch (thrown) {
    expect(thrown).toMatchObject({ kind: "config", code: "invalid_state" });
    return (thrown as SurveyExportError).message;
  }
  throw new Error("the state was accepted");
}

describe("a state file", () => {
  it.each([
    ["Airbyte's array", JSON.stringify([state("a", 1), state("b", 2)])],
    [
      "with nulls next to the states",
      JSON.stringify([{ ...state("a", 1), global: null, data: null }, state("b", 2)]),
    ],
    ["messages", `${message("a", 1)}\n${message("b", 2)}\n`],
    [
      "a whole run, of which the last state counts",
      [message("a", 0), RECORD, message("b", 2), message("a", 1), '{"type":"LOG"}'].join("\n"),
    ],
    [
      "as Airbyte's settings show it",
      JSON.stringify([1, 2].map((n) => ({ streamDescriptor: { name: "ab"[n - 1] }, streamState: { n } }))),
    ],
  ])("holds the states of its streams: %s", (_, text) => {
    expect(found(text)).toEqual({ a: { n: 1 }, b: { n: 2 } });
  });

  it("may be a date for every stream", () => {
    const date = { collected_at: "2026-01-01T00:00:00Z" };
    expect(found(JSON.stringify(date))).toEqual({ "*": date });
  });

  it.each([undefined, "[]", "{}"])("is a first sync if it is %j, as platforms pass it", (text) => {
    expect(found(text)).toEqual({});
  });

  it.each([message("a", 2), RECORD])("may be cut in its last line by a kill: %s", (line) => {
    const text = `${message("a", 1)}\n${line.slice(0, 25)}`;
    expect(found(text)).toEqual({ a: { n: 1 } });
  });

  const NOT_STARTED =
    "Pass the output of an earlier run that has one, or leave --state out to read everything again.";
  it.each([
    ["", `it is empty. ${NOT_STARTED}`],
    [`${RECORD}\n{"type":"LOG"}\n`, `it holds messages of a run, but no STATE. ${NOT_STARTED}`],
    ['{"type":"LOG"}\n{"type":"STA', `it holds messages of a run, but no STATE. ${NOT_STARTED}`],
    ["nonsense", "it is neither one JSON document nor JSON lines (line 1)."],
    ['[{"type":"GLOBAL","global":{}}]', "it holds something that is not the state of a stream."],
    ['[{"type":"STREAM","stream":{"stream_state":{}}}]', "a state does not name its stream"],
    ['["PLANTED-k3y"]', "it holds something that is not the state of a stream."],
    ['{"type":"PLANTED-k3y"}', "it holds something that is not the state of a stream."],
  ])("is refused, never a silent full read: %.60j", (text, reason) => {
    const sentence = refusal(text);
    expect(sentence).toContain(`The state file (--state) cannot be used: ${reason}`);
    expect(sentence).not.toContain("PLANTED");
  });
});
