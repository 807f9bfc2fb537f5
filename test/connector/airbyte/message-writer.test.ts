import { createRedactor, given, outside, platform, SurveyExportError, say } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageWriter } from "../../../connector/airbyte/message-writer.ts";
import { Written } from "./support/written.ts";

const KEY = "SECRET-KEY-1";
const QUOTED = say`It said ${outside(KEY)}, ${given(KEY)}.`;

async function written(secret: string, write: (writer: MessageWriter) => Promise<void>): Promise<string> {
  const output = new Written();
  output.writer.protect({ redact: createRedactor(secret) });
  await write(output.writer);
  return output.text;
}

const visible = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code));
const secrets = fc.string({ unit: visible, minLength: 1, maxLength: 60 });

describe("the last guard of the key, in every message that we write", () => {
  it.each<[string, (writer: MessageWriter) => Promise<void>]>([
    ["a log", (writer) => writer.log("INFO", QUOTED)],
    ["an error", (writer) => writer.error(new SurveyExportError("system", "rejected", QUOTED), "a")],
    [
      "an advice",
      (writer) => writer.error(new SurveyExportError("system", "rejected", say`No.`, { advice: QUOTED })),
    ],
    ["a defect", (writer) => writer.error(SurveyExportError.from(new Error(`It said ${KEY}`)))],
    ["a verdict", (writer) => writer.result(QUOTED)],
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

  it("leaves states as they came, since they are the user's data", async () => {
    const text = await written(KEY, (writer) => writer.state("a", `{"${KEY}":1}`, 3));
    expect(JSON.parse(text).state.stream.stream_state).toEqual({ [KEY]: 1 });
  });

  it("leaves every line a message of the same kind, whatever the key is", async () => {
    const quoted = 'It said "{\\"type\\":\\"LOG\\"}" 1700000000000 times.';
    const fromQuoted = fc
      .tuple(fc.nat(quoted.length), fc.integer({ min: 1, max: 40 }))
      .map(([from, length]) => quoted.slice(from, from + length).replace(/[^!-~]/g, ""));
    const status = (writer: MessageWriter) => writer.status("survey_responses", "RUNNING");
    await fc.assert(
      fc.asyncProperty(fc.oneof(secrets, fromQuoted), async (secret) => {
        expect(await written(secret, status)).toBe(await written("another key", status));
        const log = await written(secret, (writer) => writer.log("WARN", say`${outside(quoted)}`));
        expect(JSON.parse(log)).toMatchObject({ type: "LOG", log: { level: "WARN" } });
      }),
      { numRuns: 500 },
    );
  });
});
