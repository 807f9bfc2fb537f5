import { SurveyExportError } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorLine, logLine, messageLine, stateLine, statusLine } from "../../connector/airbyte/messages.ts";
import { withoutSecret } from "../../connector/airbyte/output.ts";

async function written(secret: string, lines: string): Promise<string> {
  let text = "";
  const take = async (more: string): Promise<void> => {
    text += more;
  };
  await withoutSecret({ write: take, writeRecords: async () => {} }, secret).write(lines);
  return text;
}

const visible = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code));
const secrets = fc.string({ unit: visible, minLength: 1, maxLength: 60 });

describe("the last guard of the key, in every sentence that we write", () => {
  it.each([
    ["a log", logLine("INFO", "It said SECRET-KEY-1.")],
    ["an error", errorLine(new SurveyExportError("system", "rejected", "It said SECRET-KEY-1."), 1, "a")],
    [
      "a verdict",
      messageLine({
        type: "CONNECTION_STATUS",
        connectionStatus: { status: "FAILED", message: "SECRET-KEY-1" },
      }),
    ],
    [
      "a stack",
      errorLine(SurveyExportError.from(Object.assign(new Error("x"), { stack: "SECRET-KEY-1" })), 1),
    ],
  ])("blanks it in %s", async (_, line) => {
    expect(line).toContain("SECRET-KEY-1");
    expect(await written("SECRET-KEY-1", line)).toBe(line.replace("SECRET-KEY-1", "****"));
  });

  it("leaves states as they came, since they are the user's data", async () => {
    const lines = stateLine("a", '{"SECRET-KEY-1":1}', 3);
    expect(await written("SECRET-KEY-1", lines)).toBe(lines);
    expect(await written("SECRET-KEY-1", lines + logLine("INFO", "SECRET-KEY-1"))).toBe(
      lines + logLine("INFO", "****"),
    );
  });

  it("leaves every line a message of the same kind, whatever the key is", async () => {
    const lines =
      statusLine("survey_responses", "RUNNING", 1_700_000_000_000, {
        type: "RATE_LIMITED",
        rate_limited: { quota_reset: 1_700_000_000_001 },
      }) + logLine("WARN", 'It said "{\\"type\\":\\"LOG\\"}" 1700000000000 times.');
    const fromLines = fc
      .tuple(fc.nat(lines.length), fc.integer({ min: 1, max: 40 }))
      .map(([from, length]) => lines.slice(from, from + length).replace(/[^!-~]/g, ""));
    await fc.assert(
      fc.asyncProperty(fc.oneof(secrets, fromLines), async (secret) => {
        const [status, log] = (await written(secret, lines)).trim().split("\n");
        expect(`${status}\n`).toBe(lines.slice(0, lines.indexOf("\n") + 1));
        expect(JSON.parse(log!)).toMatchObject({ type: "LOG", log: { level: "WARN" } });
      }),
      { numRuns: 500 },
    );
  });
});
