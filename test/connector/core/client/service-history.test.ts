import { SurveyExportError } from "@survey-export/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ServiceHistory } from "../../../../connector/core/client/service-history.ts";
import { say } from "../../../../connector/core/text/message.ts";

const HOUR_MS = 3_600_000;
const MADE_AT_MS = 5000;

const failed = { error: new SurveyExportError("transient", "no_answer", say`The connection was cut.`) };
const refused = { error: new SurveyExportError("config", "not_found", say`Nothing is there.`) };
const askedToWait = { error: new SurveyExportError("transient", "rate_limited", say`Wait.`), pausedMs: 1000 };

let atMs: number;
let history: ServiceHistory;
beforeEach(() => {
  atMs = MADE_AT_MS;
  const sleep = () => Promise.reject(new Error("a history does not wait"));
  history = new ServiceHistory({ now: () => atMs, monotonicMs: () => atMs, sleep });
});

describe("the service is silent", () => {
  const silentAfter = (ms: number): number => {
    atMs += ms;
    return history.silentMs(0);
  };

  it("not at all until it is asked, and then since it was asked first", () => {
    expect(silentAfter(100)).toBe(0);
    history.sent();
    expect(silentAfter(100)).toBe(100);
    history.sent();
    expect(silentAfter(100)).toBe(200);
    expect(history.silentMs(MADE_AT_MS + 250)).toBe(50);
    expect(history.hasReplied).toBe(false);
  });

  it.each([
    ["a page", undefined, false],
    ["a refusal of one request", refused, false],
    ["the wish that all requests wait", askedToWait, false],
    ["a failed attempt", failed, true],
  ])("until a good reply comes: %s", (_, outcome, isSilent) => {
    history.sent();
    history.ended();
    history.remember(failed);
    atMs += 100;
    history.remember(outcome);
    expect([silentAfter(100), history.lastFailure]).toEqual(isSilent ? [200, failed.error] : [0, undefined]);
    expect(history.hasReplied).toBe(!isSilent);
    const isOfOne = outcome === undefined || outcome === refused;
    expect(history.repliedMs).toBe(isOfOne ? MADE_AT_MS + 100 : Number.NEGATIVE_INFINITY);
    history.sent();
    expect(silentAfter(100)).toBe(isSilent ? 300 : 100);
  });

  it("since the last good reply, while another request is under way", () => {
    history.sent();
    history.sent();
    history.ended();
    atMs += 100;
    history.remember(undefined);
    expect(silentAfter(100)).toBe(100);
  });
});

describe("the service wants all requests to wait (429, 503)", () => {
  const unavailable = (afterMs: number): number => {
    atMs += afterMs;
    return history.askedToWait();
  };

  it.each([
    [2 * HOUR_MS, false],
    [2 * HOUR_MS + 1, true],
  ])("for %i ms: down is %s", (ms, isDown) => {
    unavailable(0);
    unavailable(HOUR_MS);
    expect(history.isDownAt(MADE_AT_MS + ms)).toBe(isDown);
  });

  it("no longer after a reply", () => {
    unavailable(0);
    unavailable(HOUR_MS);
    history.replied();
    expect(history.isDownAt(atMs + 3 * HOUR_MS)).toBe(false);
    expect(unavailable(HOUR_MS)).toBe(0);
  });
});
