import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { createRedactor, given, outside, platform, SurveyExportError, say } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageWriter } from "../../../connector/airbyte/message-writer.ts";
import { Written } from "./support/written.ts";

const KEY = "SECRET-KEY-1";
const QUOTED = say`It said ${outside(KEY)}, ${given(KEY)}.`;

async function written(secret: string, write: (writer: MessageWriter) => Promise<unknown>): Promise<string> {
  const output = new Written();
  output.writer.protect({ redact: createRedactor(secret) });
  await write(output.writer);
  return output.text;
}

describe("the last guard of the key, in every message that we write", () => {
  it.each<[string, (writer: MessageWriter) => Promise<void>]>([
    ["a log", (writer) => writer.log("INFO", QUOTED)],
    ["an error", (writer) => writer.error(new SurveyExportError("system", "rejected", QUOTED), "a")],
    [
      "an advice",
      (writer) => writer.error(new SurveyExportError("system", "rejected", say`No.`, { advice: QUOTED })),
    ],
    ["a defect", (writer) => writer.error(SurveyExportError.from(new Error(`It said ${KEY}`)))],
    ["a verdict", (writer) => writer.result("FAILED", QUOTED)],
    ["the platform's words", (writer) => writer.log("INFO", say`${platform(KEY)}`)],
  ])("redacts it in %s", async (_, write) => {
    expect(await written("another key", write)).toContain(KEY);
    const text = await written(KEY, write);
    expect(text).toContain("****");
    expect(text).not.toContain(KEY);
  });

  it("shows of a defect's stack the places only: its first lines repeat the reason", async () => {
    const defect = new Error(`It said ${KEY}\n    at the door`);
    const text = await written("another key", (writer) => writer.error(SurveyExportError.from(defect)));
    const { stack_trace: stack } = JSON.parse(text).trace.error;
    expect(stack).toMatch(/^at /);
    expect(stack).not.toContain(KEY);
    expect(stack).not.toContain("at the door");
  });

  it("does not change states, since they are the user's data", async () => {
    const text = await written(KEY, (writer) => writer.state("a", `{"${KEY}":1}`, 3));
    expect(JSON.parse(text).state.stream.stream_state).toEqual({ [KEY]: 1 });
  });

  it("leaves every line a message of the same kind, whatever the key is", async () => {
    const quoted = 'It said "{\\"type\\":\\"LOG\\"}" 1700000000000 times.';
    const secrets = fc
      .tuple(fc.nat(quoted.length), fc.integer({ min: 1, max: 40 }))
      .map(([from, length]) => quoted.slice(from, from + length).replace(/[^!-~]/g, ""));
    const status = (writer: MessageWriter) => writer.status("survey_responses", "RUNNING");
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        expect(await written(secret, status)).toBe(await written("another key", status));
        const log = await written(secret, (writer) => writer.log("WARN", say`${outside(quoted)}`));
        expect(JSON.parse(log)).toMatchObject({ type: "LOG", log: { level: "WARN" } });
      }),
    );
  });
});

describe("a message is one line for every reader, and its texts are exact", () => {
  const TEXT = "a\n\v\f\r\x1c\x1d\x1e\x7f\x85b\u2028c\u2029d";
  /** Of `str.splitlines`. */
  const PYTHON_LINE_ENDS = new RegExp(["\r\n", ..."\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"].join("|"));
  it.each<[string, (writer: MessageWriter) => Promise<unknown>]>([
    ["a record", (writer) => writer.records("a", [{ [TEXT]: TEXT } as never])],
    ["a state", (writer) => writer.state("a", JSON.stringify({ [TEXT]: TEXT }), 1)],
    ["any other", (writer) => writer.write({ [TEXT]: TEXT } as never)],
  ])("%s", async (_, write) => {
    const text = await written(KEY, write);
    const read: string[] = [];
    for await (const line of createInterface({ input: Readable.from([text]) })) read.push(line);
    expect([...read, ""]).toEqual(text.split(PYTHON_LINE_ENDS));
    expect(read).toHaveLength(1);
    const message = JSON.parse(read[0]!);
    const data = message.record?.data ?? message.state?.stream.stream_state ?? message;
    expect(data).toEqual({ [TEXT]: TEXT });
  });
});

describe("a record", () => {
  async function recorded(data: object) {
    const output = new Written();
    for (let time = 0; time < 2; time++) await output.writer.records("survey_responses", [data as never]);
    const [{ record }, ...others] = output.messages;
    return { data: record.data, warned: others.filter(({ type }) => type === "LOG").length };
  }

  it.each([
    ["half of a pair", { uuid: "a", text: "cut \ud83d" }, { uuid: "a", text: "cut \ufffd" }],
    ["the other half", { text: "\ude00 and \n \u0001" }, { text: "\ufffd and \n \u0001" }],
    ["NUL", { text: "a\u0000b" }, { text: "a\ufffdb" }],
    ["in a name", { fields: { "mood \ud83d": ["\udc4d"] } }, { fields: { "mood \ufffd": ["\ufffd"] } }],
  ])("has no character that no database stores, and one warning says so: %s", async (_, given, data) => {
    expect(await recorded(given)).toEqual({ data, warned: 1 });
  });

  it.each([
    "a whole emoji \ud83d\ude00",
    "a backslash and letters: \\ud83d, \\\\u0000, \\\\\\ud83d",
    'quotes "\\" and \n\t\u0001\u2028',
  ])("keeps every other text as it is: %j", async (text) => {
    expect(await recorded({ text })).toEqual({ data: { text }, warned: 0 });
  });
});
