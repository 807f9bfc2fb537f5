import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { describe, expect, it } from "vitest";
import { parseConfiguration } from "../../connector/airbyte/configuration.ts";
import { createProgress } from "../../connector/node/progress.ts";
import { createSimulatedClock } from "../simulation/clock.ts";

const configuration = parseConfiguration({
  base_url: "https://api.example.com/v2",
  api_key: "a-key-of-some-length",
  survey_ids: ["a"],
  start_date: "2026-01-01T00:00:00Z",
});
const traffic = { requests: 12, retries: 1, rateLimited: 0 };
const half = {
  version: 1,
  surveys: { a: [["2026-01-06T00:00:00.000000Z", "2026-01-11T00:00:00.000000Z"]] },
} as const;

describe("the progress of a read", () => {
  it("is a LOG message every half minute, and a summary, where nobody watches", async () => {
    const clock = createSimulatedClock();
    const progress = createProgress(clock, undefined);
    progress.begin({ streams: ["survey_responses"], configuration, traffic });
    expect(progress.records("survey_responses", 100, half)).toBe("");
    await clock.sleep(30_000);
    expect(JSON.parse(progress.records("survey_responses", 1100, half))).toEqual({
      type: "LOG",
      log: {
        level: "INFO",
        message:
          "Reading: survey_responses 1,200 · 50 % of the time range · 12 requests (12 a minute) · 1 retries",
      },
    });
    expect(progress.records("survey_responses", 1, half)).toBe("");
    expect(progress.waiting({ reason: "rate_limited", untilMs: clock.now() + 20_000 })).toBe("");
    expect(progress.end()).toBe(
      "Read in 30.0 s: survey_responses 1,201 · 50 % of the time range · 12 requests (12 a minute) · 1 retries",
    );
  });

  it("is one live line on a terminal, cut to its width, with a pause told at once and a whole summary", async () => {
    const clock = createSimulatedClock();
    const terminal = new PassThrough();
    let drawn = "";
    terminal.on("data", (text) => {
      drawn += text;
    });
    const progress = createProgress(
      clock,
      Object.assign(terminal, { columns: 60 }) as unknown as WriteStream,
    );
    progress.begin({ streams: ["survey_responses"], configuration, traffic });
    expect(progress.records("survey_responses", 1, half)).toBe("");
    expect(progress.waiting({ reason: "rate_limited", untilMs: clock.now() + 20_000 })).toBe("");
    expect(progress.end()).toBeUndefined();
    const lines = drawn.split("\u001b[1G\u001b[2K");
    for (const line of lines.slice(1, -1)) expect(line.length).toBeLessThan(60);
    expect(lines.at(-1)).toBe(
      "Read in 0.0 s: survey_responses 1 · 50 % of the time range · 12 requests (12 a minute) · 1 retries\n",
    );
  });
});
