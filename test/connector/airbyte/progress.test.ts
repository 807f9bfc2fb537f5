import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import {
  ConnectionFault,
  type Message,
  render,
  SurveyExportError,
  type SyncProgress,
  say,
} from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Progress } from "../../../connector/airbyte/progress.ts";
import { ServiceHistory } from "../../../connector/core/client/service-history.ts";
import { createScreen } from "../../../connector/node/output.ts";
import { createSimulatedClock } from "../../support/clock.ts";

/** A survey of which a part was read. */
const ONE_LEFT: SyncProgress = {
  surveys: { all: 1, remaining: 1 },
  responses: { read: 41_200, about: 180_000 },
  respondents: undefined,
  waitingLists: 0,
};

/** A read in progress. `told` has its lines, each with the second in which it came. */
function reading(draw?: (line: Message) => void) {
  const clock = createSimulatedClock();
  /** What is seen of a client; the tests change it. */
  const client = {
    counts: { requests: 12, retries: 0 },
    history: new ServiceHistory(clock),
    rateLimiter: {
      lowered: false,
      allowanceWaitMs: undefined as number | undefined,
      requestsPerMinute: 900,
    },
  };
  const progress = new Progress(clock, client, ["survey_responses"]);
  const beganMs = clock.monotonicMs();
  const told: string[] = [];
  const over = new AbortController();
  const tell = (line: Message) =>
    void told.push(`${(clock.monotonicMs() - beganMs) / 1000}: ${render(line)}`);
  const shown = progress.show(over.signal, tell, draw);
  const stop = async (): Promise<void> => {
    over.abort();
    await shown;
  };
  return { clock, client, progress, told, stop };
}

describe("the progress of a read", () => {
  it("is a sentence every half minute, waiting or not, and a summary", async () => {
    const { clock, client, progress, told, stop } = reading();
    progress.follow(ONE_LEFT);
    await clock.sleep(30_000);
    progress.records("survey_responses", 1200);
    await clock.sleep(31_000);
    await stop();
    expect(told).toEqual([
      "30: Reading: 41,200 of about 180,000 responses · 12 requests",
      "60: Reading: 41,200 of about 180,000 responses · survey_responses 1,200 · 12 requests",
    ]);
    client.counts.retries = 1;
    expect(render(progress.end("complete"))).toBe(
      "Read in 61.0 s: survey_responses 1,200 · 12 requests · 1 retry",
    );
    expect(render(progress.end("stopped"))).toMatch(/^Stopped before the end, after 61\.0 s: survey_resp/);
  });

  it("says what it waits for", async () => {
    const { clock, client, progress, told, stop } = reading();
    const next = async (): Promise<string> => {
      await clock.sleep(30_000);
      return told
        .at(-1)!
        .replace(/^\d+: Reading: /, "")
        .split(" · ")[0]!;
    };
    client.rateLimiter.allowanceWaitMs = 11_400;
    expect(await next()).toBe("waiting 12 s (the rate limit is reached)");
    client.rateLimiter.allowanceWaitMs = 40;
    client.rateLimiter.lowered = true;
    expect(await next()).toBe("slower for a while (others use the rate limit, too)");
    progress.waiting({ reason: "unavailable", untilMs: clock.now() + 90_000 });
    expect(await next()).toBe("waiting 60 s (the service asked for a pause)");
    progress.waiting({ reason: "rate_limited", untilMs: clock.now() + 40_000 });
    expect(await next()).toBe("waiting 10 s (the rate limit is reached)");
    await stop();
  });

  it("says since when the service is silent, and why, in its first line", async () => {
    const { clock, client, told, stop } = reading();
    const fails = (error: SurveyExportError | undefined): void => {
      client.history.sent();
      client.history.remember(error && { error });
    };
    await clock.sleep(2000);
    const cause = new ConnectionFault(say`connection refused`);
    fails(new SurveyExportError("transient", "no_answer", say`No answer.`, { cause }));
    await clock.sleep(30_000);
    fails(new SurveyExportError("transient", "unavailable", say`Down.`, { status: 500 }));
    await clock.sleep(29_000);
    fails(undefined);
    client.history.sent();
    await clock.sleep(30_000);
    await stop();
    expect(told).toEqual([
      "30: Reading: no good answer from the service for 28 s (connection refused) · 12 requests",
      "60: Reading: no good answer from the service for 58 s (status 500) · 12 requests",
      "90: Reading: no good answer from the service for 29 s (no answer to any request) · 12 requests",
    ]);
  });

  it.each<[string, SyncProgress]>([
    ["12 requests", { ...ONE_LEFT, responses: undefined }],
    [
      "3 of 3 surveys · 12 requests",
      { ...ONE_LEFT, surveys: { all: 3, remaining: 0 }, responses: undefined },
    ],
    [
      "41,200 of about 180,000 responses · 2 of 3 surveys · respondents: 12 waiting, 3,400 read · 12 requests",
      { ...ONE_LEFT, surveys: { all: 3, remaining: 1 }, respondents: { waiting: 12, read: 3400 } },
    ],
  ])("says what is known: %s", async (line, sync) => {
    const { clock, progress, told, stop } = reading();
    progress.follow(sync);
    await clock.sleep(30_000);
    await stop();
    expect(told).toEqual([`30: Reading: ${line}`]);
  });

  it("says about how much time is left, by the last minute, and not while the service is silent", async () => {
    const { clock, client, progress, told, stop } = reading();
    const sync = { ...ONE_LEFT, responses: { read: 0, about: 10_000 } };
    progress.follow(sync);
    const tellAfter = async (requests: number, read: number, waitingLists: number): Promise<string> => {
      await clock.sleep(29_000);
      client.counts.requests += requests;
      client.history.sent();
      if (requests > 0) client.history.remember(undefined);
      Object.assign(sync, { responses: { read, about: 10_000 }, waitingLists });
      await clock.sleep(1000);
      return / · ([^·]*) left/.exec(told.at(-1)!)?.[1] ?? "";
    };
    // 500 responses cost 500 requests, and 200 people wait: 9,700 requests are to come, at 600 a minute.
    expect(await tellAfter(300, 500, 200)).toBe("about 17 minutes");
    expect(await tellAfter(300, 1000, 400)).toBe("about 16 minutes");
    // The same people answer again.
    expect(await tellAfter(300, 3000, 140)).toBe("about 3 minutes");
    expect(await tellAfter(160, 5000, 0)).toBe("less than a minute");
    expect(await tellAfter(0, 5000, 0)).toBe("");
    await stop();
  });

  it("ends with what failed, and what was delivered", () => {
    const { progress } = reading();
    for (const id of ["a", "a", "b", "c", "d", "e", "f", "g"]) progress.failed("survey_responses", [id]);
    progress.failed("respondent_attributes");
    const failed =
      'Failed after 0.0 s. Incomplete: survey_responses (surveys "a", "b", "c", "d", "e" and 2 more), "respondent_attributes".';
    expect(render(progress.end("incomplete"))).toBe(`${failed} Nothing was delivered.`);
    progress.records("survey_responses", 12_000);
    expect(render(progress.end("incomplete"))).toBe(
      `${failed} 12,000 records were delivered. The next sync resumes from the last state.`,
    );
  });

  it("is one live line on a terminal, which moves each second and fits", async () => {
    const terminal = Object.assign(new PassThrough(), { columns: 60, isTTY: true });
    let written = "";
    terminal.on("data", (text) => {
      written += text;
    });
    const screen = createScreen(terminal as unknown as WriteStream);
    const { clock, progress, stop } = reading((line) => screen.draw(render(line)));
    await clock.sleep(1000);
    progress.follow(ONE_LEFT);
    progress.records("survey_responses", 1);
    progress.waiting({ reason: "rate_limited", untilMs: clock.now() + 3000 });
    await clock.sleep(3000);
    await stop();
    const drawn = written.split("\r\u001b[2K").map((line) => stripVTControlCharacters(line));
    // Some terminals show each character beyond ASCII two columns wide.
    expect(drawn).toEqual([
      "",
      "12 requests",
      "12 requests",
      "waiting 2 s (the rate limit is reached) · 41,200 of a...",
      "41,200 of about 180,000 responses · survey_responses 1...",
      "41,200 of about 180,000 responses · survey_responses 1...",
      "",
    ]);
  });
});
