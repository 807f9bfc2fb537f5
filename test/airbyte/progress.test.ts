import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import { type Message, parseTimestamp, render, type StateSnapshot } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireConfiguration } from "../../connector/airbyte/configuration.ts";
import { Progress } from "../../connector/airbyte/progress.ts";
import { createScreen, fitting } from "../../connector/node/screen.ts";
import { createSimulatedClock } from "../simulation/clock.ts";

const given = {
  base_url: "https://api.example.com/v2",
  api_key: "a-key-of-some-length",
  survey_ids: ["a"],
  start_date: "2026-01-01T00:00:00Z",
};
const { selection } = requireConfiguration(given);
const client = { counts: { requests: 12, retries: 1 }, rateLimiter: { lowered: false } };
/** The state of a survey of which half the time is covered, from the start date to the newest response. */
const halfOf = (id: string): StateSnapshot => ({
  toJSON: () => ({
    version: 1,
    surveys: Object.fromEntries([
      [id, [[parseTimestamp("2026-01-06T00:00:00Z")!, parseTimestamp("2026-01-11T00:00:00Z")!]]],
    ]),
  }),
});
const half = halfOf("a");
const begin = { streams: ["survey_responses"] as const, selection, client };

const told = (message: Message | undefined): string | undefined => message && render(message);

/** A terminal that keeps what was written to it. */
function createTerminal(columns: number) {
  const terminal = Object.assign(new PassThrough(), { columns, isTTY: true });
  let written = "";
  terminal.on("data", (text) => {
    written += text;
  });
  return {
    screen: createScreen(terminal as unknown as WriteStream),
    /** The lines as they were drawn one after the other, in one place. */
    drawn: () => written.split("\u001b[1G\u001b[2K").map((line) => stripVTControlCharacters(line)),
  };
}

describe("the progress of a read", () => {
  it("is a sentence every half minute, and a summary, if nobody watches", async () => {
    const clock = createSimulatedClock();
    const progress = new Progress(clock);
    progress.begin(begin);
    expect(progress.records("survey_responses", 100, half)).toBeUndefined();
    await clock.sleep(30_000);
    expect(told(progress.records("survey_responses", 1100, half))).toBe(
      "Reading: survey_responses 1,200 · 50 % of the time range · 12 requests · 1 retry",
    );
    expect(progress.records("survey_responses", 1, half)).toBeUndefined();
    expect(progress.waiting({ reason: "rate_limited", untilMs: clock.now() + 20_000 })).toBeUndefined();
    expect(told(progress.end(false))).toBe(
      "Read in 30.0 s: survey_responses 1,201 · 50 % of the time range · 12 requests · 1 retry",
    );
  });

  it("tells the pace from the first minute on: before that it would be a guess", async () => {
    const clock = createSimulatedClock();
    const progress = new Progress(clock);
    const counts = { requests: 1, retries: 0 };
    progress.begin({ ...begin, client: { ...client, counts } });
    await clock.sleep(30_000);
    expect(told(progress.records("survey_responses", 100, half))).toContain(" · 1 request · 0 retries");
    counts.requests = 1500;
    await clock.sleep(60_000);
    expect(told(progress.end(false))).toContain(" · 1,500 requests (1000 a minute) · 0 retries");
  });

  it("is one live line on a terminal: first the waiting, then records, then the share", async () => {
    const clock = createSimulatedClock();
    const { screen, drawn } = createTerminal(60);
    const progress = new Progress(clock, (line) => screen.draw(render(line)));
    const rateLimiter = { lowered: false };
    progress.begin({ ...begin, client: { ...client, rateLimiter } });
    expect(progress.records("survey_responses", 1, half)).toBeUndefined();
    rateLimiter.lowered = true;
    expect(progress.waiting({ reason: "rate_limited", untilMs: clock.now() + 20_000 })).toBeUndefined();
    await clock.sleep(60_000);
    progress.records("survey_responses", 1, half);
    await clock.sleep(180_000);
    rateLimiter.lowered = false;
    progress.records("survey_responses", 1, half);
    expect(drawn().filter((line) => line !== "")).toEqual([
      "survey_responses 1 · 50 % of the time range · 12 reque...",
      "waiting 20 s (rate limit reached) · survey_responses 1 ...",
      "slower for a while (rate limit reached) · survey_respon...",
      "survey_responses 3 · 50 % of the time range · 12 reque...",
    ]);
    expect(told(progress.end(true))).toMatch(/^Stopped before the end, after 240\.0 s: survey_responses 3/);
    expect(drawn().at(-1)).toBe("");
  });

  it("prints other lines above the live line, each on one line", () => {
    const { screen, drawn } = createTerminal(60);
    screen.draw("live");
    screen.print("a warning\nwith\u001b[31m two lines");
    expect(drawn()).toEqual(["", "live", "a warning with [31m two lines\n", "live"]);
  });

  it.each([["constructor"], ["toString"], ["__proto__"], ["hasOwnProperty"]])(
    "counts a survey named %s like any other",
    (id) => {
      const named = requireConfiguration({ ...given, survey_ids: [id] }).selection;
      const progress = new Progress(createSimulatedClock());
      progress.begin({ ...begin, selection: named });
      progress.records("survey_responses", 1, { toJSON: () => ({ version: 1, surveys: {} }) });
      progress.records("survey_responses", 1, halfOf(id));
      expect(told(progress.end(false))).toContain("survey_responses 2 · 50 % of the time range");
    },
  );
});

describe("a line that is cut for a terminal", () => {
  it("is never wider than that, though each character beyond ASCII may take two columns", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(70), (line, columns) => {
        const width = [...fitting(line, columns)].reduce((sum, each) => sum + (each <= "~" ? 1 : 2), 0);
        expect(width).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
