import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import { type Message, parseTimestamp, render, type StateSnapshot } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireConfiguration, type Selection } from "../../../connector/airbyte/configuration.ts";
import { type Ending, Progress } from "../../../connector/airbyte/progress.ts";
import { createScreen, fitting } from "../../../connector/node/screen.ts";
import { createSimulatedClock } from "../../model/support/clock.ts";

const given = {
  base_url: "https://api.example.com/v2",
  api_key: "a-key-of-some-length",
  survey_ids: ["a"],
  start_date: "2026-01-01T00:00:00Z",
};
const { selection } = requireConfiguration(given);
/** What is seen of a client; the tests change it. */
const observed = () => ({
  counts: { requests: 12, retries: 0 },
  silence: { sinceMs: undefined as number | undefined },
  rateLimiter: {
    lowered: false,
    allowanceWaitMs: undefined as number | undefined,
    requestsPerMinute: 900,
    requestsInLastMinute: 12,
  },
});
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

/** A read in progress. `told` has its lines, each with the second in which it came. */
function reading(options: { selection?: Selection; draw?: (line: Message) => void } = {}) {
  const clock = createSimulatedClock();
  const client = observed();
  const progress = new Progress(clock, options.draw);
  const beganMs = clock.monotonicMs();
  const told: string[] = [];
  const over = new AbortController();
  progress.begin({
    streams: ["survey_responses"],
    selection: options.selection ?? selection,
    client,
  });
  progress.left({ surveys: 1, respondents: 0, pages: 10, pagesLeft: () => 10 });
  const shown = progress.show(over.signal, (line) => {
    told.push(`${(clock.monotonicMs() - beganMs) / 1000}: ${render(line)}`);
  });
  const stop = async (): Promise<void> => {
    over.abort();
    await shown;
  };
  return { clock, client, progress, told, stop };
}
const summary = (progress: Progress, ending: Ending): string => render(progress.end(ending)!);

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
  it("is a sentence every half minute, waiting or not, and a summary", async () => {
    const { clock, client, progress, told, stop } = reading();
    progress.records("survey_responses", 1200, half);
    await clock.sleep(61_000);
    await stop();
    const line = "Reading: 50 % · about 30 s left · survey_responses 1,200 · 12 requests";
    expect(told).toEqual([`30: ${line}`, `60: ${line} (12 in the last minute)`]);
    client.counts.retries = 1;
    expect(summary(progress, "complete")).toBe(
      "Read in 61.0 s: survey_responses 1,200 · 12 requests (12 in the last minute) · 1 retry",
    );
  });

  it("estimates the time left by the requests that are left, at the pace that is possible", async () => {
    const { clock, client, progress, told, stop } = reading();
    const next = async (): Promise<string | undefined> => {
      await clock.sleep(30_000);
      return /about (.*) left/.exec(told.at(-1)!)?.[1];
    };
    progress.records("survey_responses", 1200, half);
    // The minute's allowance was used up in a few seconds: that pace does not last.
    client.counts.requests = 900;
    client.rateLimiter.requestsInLastMinute = 900;
    expect(await next()).toBe("60 s");
    progress.waiting({ reason: "rate_limited", untilMs: clock.now() + 330_000 });
    expect(await next()).toBe("6 min");
    await stop();
    const slow = reading();
    slow.progress.records("survey_responses", 1200, half);
    slow.client.counts.requests = 100;
    slow.client.rateLimiter.requestsInLastMinute = 100;
    await slow.clock.sleep(61_000);
    slow.progress.left({ surveys: 1, respondents: 400, pages: 10, pagesLeft: () => 10 });
    await slow.clock.sleep(30_000);
    await slow.stop();
    // 200 a minute in the first half, none in the second.
    expect(slow.told.map((line) => /about (.*) left/.exec(line)?.[1])).toEqual(["30 s", "30 s", "3 min"]);
  });

  it("says what it waits for", async () => {
    const { clock, client, progress, told, stop } = reading();
    const next = async (): Promise<string> => {
      await clock.sleep(30_000);
      return told
        .at(-1)!
        .replace(/^\d+: Reading: /, "")
        .replace(/ · \d+ requests.*/, "");
    };
    client.rateLimiter.allowanceWaitMs = 11_400;
    expect(await next()).toBe("waiting 12 s for the minute's allowance");
    client.rateLimiter.allowanceWaitMs = 40;
    client.rateLimiter.lowered = true;
    expect(await next()).toBe("slower for a while (others use the rate limit, too)");
    client.silence.sinceMs = clock.monotonicMs();
    expect(await next()).toBe("no usable answer for 30 s");
    progress.waiting({ reason: "unavailable", untilMs: clock.now() + 90_000 });
    expect(await next()).toBe("the service asked for a pause until 00:03:00 UTC");
    progress.waiting({ reason: "rate_limited", untilMs: clock.now() + 40_000 });
    expect(await next()).toBe("waiting 10 s (the service's rate limit is reached)");
    await stop();
  });

  it("counts surveys and the respondents who wait, and knows no percentage without a start date", async () => {
    const { survey_ids: _, start_date: __, ...others } = given;
    const ids = { ...others, survey_ids: ["a", "b", "c", "d"] };
    const { clock, progress, told, stop } = reading({ selection: requireConfiguration(ids).selection });
    progress.records("survey_responses", 7, half);
    progress.left({ surveys: 3, respondents: 1, pages: 4, pagesLeft: () => Number.POSITIVE_INFINITY });
    await clock.sleep(30_000);
    await stop();
    expect(told).toEqual([
      "30: Reading: 1 of 4 surveys · 1 respondent waits · survey_responses 7 · 12 requests",
    ]);
  });

  it("ends with what failed, and what was delivered", () => {
    const { progress } = reading();
    progress.failed("survey_responses", "a");
    progress.failed("survey_responses", "a");
    progress.failed("respondent_attributes");
    expect(summary(progress, "incomplete")).toBe(
      'Failed after 0.0 s. Incomplete: survey_responses (survey "a"), "respondent_attributes". Nothing was delivered.',
    );
    progress.records("survey_responses", 12_000, half);
    for (const id of ["b", "c", "d", "e", "f", "g"]) progress.failed("survey_responses", id);
    expect(summary(progress, "incomplete")).toMatch(
      /survey_responses \(surveys "a", "b", "c", "d", "e" and 2 more\), .*\. 12,000 records were delivered\. The next sync resumes from the last state\.$/,
    );
  });

  it("is one live line on a terminal, which moves each second", async () => {
    const { screen, drawn } = createTerminal(60);
    const { clock, progress, stop } = reading({ draw: (line) => screen.draw(render(line)) });
    await clock.sleep(1000);
    progress.records("survey_responses", 1, half);
    progress.waiting({ reason: "rate_limited", untilMs: clock.now() + 2000 });
    await clock.sleep(2000);
    await stop();
    expect(drawn().filter((line) => line !== "")).toEqual([
      "12 requests",
      "12 requests",
      "waiting 1 s (the service's rate limit is reached) · 50 ...",
      "50 % · survey_responses 1 · 12 requests",
    ]);
    expect(drawn().at(-1)).toBe("");
    expect(summary(progress, "stopped")).toMatch(/^Stopped before the end, after 3\.0 s: survey_responses 1/);
  });
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
