import { describe, expect, it, vi } from "vitest";
import type { Client } from "../../../../connector/core/client/client.ts";
import { ConnectionFault } from "../../../../connector/core/client/connection-faults.ts";
import { type ErrorCode, type ErrorScope, SurveyExportError } from "../../../../connector/core/errors.ts";
import { Outage } from "../../../../connector/core/sync/outage.ts";
import { say } from "../../../../connector/core/text/message.ts";

interface Silence {
  sinceMs?: number;
  lastGoodMs?: number;
  lastFailure?: SurveyExportError;
}
/** A sync that began at 1000 ms, and the service as its client sees it. */
function begun(silence: Silence = {}) {
  const time = { nowMs: 1000 };
  const clock = { monotonicMs: () => time.nowMs, now: () => time.nowMs };
  const client = { host: { clock }, silence, maxConcurrentRequests: 3 } as unknown as Client;
  const onError = vi.fn();
  const outage = new Outage(client, onError);
  /** Fails once. @returns whether it was told so far */
  const fail = (error: SurveyExportError) => {
    const told = vi.fn();
    outage.failed(error, told);
    return () => told.mock.calls.length;
  };
  return { outage, time, onError, fail };
}
const failure = (code: ErrorCode, kind: "transient" | "config" = "transient", scope: ErrorScope = "list") =>
  new SurveyExportError(kind, code, say`It failed.`, { scope });

describe("a list that fails", () => {
  it("for a passing reason is told of when a good page comes, once", () => {
    const { outage, fail } = begun();
    const told = fail(failure("unavailable"));
    expect(told()).toBe(0);
    for (let page = 0; page < 2; page++) outage.good();
    outage.end();
    expect([told(), outage.error]).toEqual([1, undefined]);
  });

  it("for another reason is told of at once", () => {
    const { outage, fail } = begun();
    const told = fail(failure("forbidden", "config"));
    expect(told()).toBe(1);
    outage.good();
    expect(told()).toBe(1);
  });

  it("by itself is told of at the end", () => {
    const { outage, fail } = begun();
    const told = fail(failure("unavailable"));
    outage.end();
    expect([told(), outage.error]).toEqual([1, undefined]);
  });

  it("for a reason that every request meets ends the run, with the first such error", () => {
    const { outage, onError, fail } = begun();
    const held = fail(failure("unavailable"));
    const [first, second] = [
      failure("unauthorized", "config", "run"),
      failure("unavailable", "transient", "run"),
    ];
    const told = [fail(first), fail(second)];
    outage.end();
    expect([outage.error, onError.mock.calls.length]).toEqual([first, 1]);
    expect([held(), ...told.map((count) => count())]).toEqual([0, 0, 0]);
  });
});

describe("several lists that fail with nothing good between them", () => {
  const ended = (silence: Silence, ...codes: ErrorCode[]) => {
    const { outage, fail } = begun(silence);
    const told = codes.map((code) => fail(failure(code)));
    outage.end();
    return [told.reduce((sum, count) => sum + count(), 0), outage.error?.code];
  };
  const OUTAGE = [0, "no_answer"];

  it("are an outage if nothing good came before, if none of them was answered, or if they are more than the slots", () => {
    expect(ended({}, "unavailable", "unavailable")).toEqual(OUTAGE);
    expect(ended({ lastGoodMs: 5 }, "no_answer", "no_answer")).toEqual(OUTAGE);
    const four = ["unavailable", "unavailable", "unavailable", "unavailable"] as const;
    expect(ended({ lastGoodMs: 5 }, ...four)).toEqual(OUTAGE);
  });

  it("are told of one by one otherwise", () => {
    expect(ended({ lastGoodMs: 5 }, "no_answer", "unavailable")).toEqual([2, undefined]);
    expect(ended({ lastGoodMs: 5 }, "unavailable", "unavailable", "unavailable")).toEqual([3, undefined]);
  });
});

describe("a service that gives nothing good", () => {
  it("ends the run after two minutes, and after one minute each request has two attempts", () => {
    const { outage, time, onError } = begun({ sinceMs: 1000 });
    const seen = [0, 59_999, 60_000, 119_999, 120_000].map((silentMs) => {
      time.nowMs = 1000 + silentMs;
      outage.check();
      return [outage.attempts, outage.dueInMs, outage.error?.code];
    });
    expect(seen).toEqual([
      [undefined, 120_000, undefined],
      [undefined, 60_001, undefined],
      [2, 60_000, undefined],
      [2, 1, undefined],
      [2, 0, "no_answer"],
    ]);
    const { error } = outage;
    outage.check();
    expect([outage.error, onError.mock.calls.length]).toEqual([error, 1]);
  });

  it("is silent since the sync began at most, and not while it answers", () => {
    const { outage, time } = begun({ sinceMs: 10 });
    time.nowMs = 1500;
    expect(outage.dueInMs).toBe(119_500);
    expect(begun().outage.dueInMs).toBe(120_000);
  });

  it.each([
    [
      {},
      "has given no usable answer since 00:00:01 UTC (no answer to any request). Check that base_url is right",
    ],
    [
      { lastGoodMs: 5 },
      "(no answer to any request). Run the sync again; everything that was delivered is kept.",
    ],
    [
      { lastFailure: new SurveyExportError("transient", "unavailable", say`It failed.`, { status: 500 }) },
      "has given no usable answer since 00:00:01 UTC (status 500). Run the sync again",
    ],
    [
      { lastFailure: new SurveyExportError("transient", "broken_answer", say`it is not JSON`) },
      "has given no usable answer since 00:00:01 UTC (it is not JSON). Check that base_url",
    ],
    [
      {
        lastFailure: new SurveyExportError("transient", "no_answer", say`It failed.`, {
          cause: new ConnectionFault(say`connection refused`),
        }),
      },
      "has answered nothing since 00:00:01 UTC (connection refused).",
    ],
  ])("is one error that says since when, and why: %#", (silence: Silence, sentence) => {
    const { outage, time } = begun({ ...silence, sinceMs: 1000 });
    time.nowMs = 121_000;
    outage.check();
    expect(outage.error).toMatchObject({
      ...{ kind: "transient", scope: "run", code: silence.lastFailure?.code ?? "no_answer" },
      message: expect.stringContaining(sentence),
    });
  });
});
