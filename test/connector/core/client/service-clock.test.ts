import { timestampOfMs } from "@survey-export/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ServiceClock } from "../../../../connector/core/client/service-clock.ts";

const WALL_MS = Date.UTC(2026, 0, 1);
const MADE_AT_MS = 5000;

let atMs: number;
let clock: ServiceClock;
beforeEach(() => {
  atMs = MADE_AT_MS;
  const sleep = () => Promise.reject(new Error("nothing waits"));
  clock = new ServiceClock({ now: () => WALL_MS + atMs, monotonicMs: () => atMs, sleep });
});
const sent = () => ({ atMs, wallMs: WALL_MS + atMs });

describe("the service's present is a second before what is known of its clock (S12)", () => {
  it("by the host's clock until a response has a date", () => {
    const first = sent();
    atMs += 7000;
    const expected = { present: timestampOfMs(WALL_MS + MADE_AT_MS - 1000), isDated: false };
    expect(clock.dated(first, Number.NaN)).toEqual(expected);
    expect(clock.present()).toBe(timestampOfMs(WALL_MS + MADE_AT_MS + 6000));
  });

  it("by the last date from then on, less the time that the response took", () => {
    const dateMs = Date.UTC(2020, 5, 1);
    const first = sent();
    atMs += 7000;
    expect(clock.dated(first, dateMs)).toEqual({ present: timestampOfMs(dateMs - 8000), isDated: true });
    atMs += 10;
    expect(clock.present()).toBe(timestampOfMs(dateMs - 990));
    clock.dated(sent(), Number.NaN);
    expect(clock.present()).toBe(timestampOfMs(dateMs - 990));
  });
});
