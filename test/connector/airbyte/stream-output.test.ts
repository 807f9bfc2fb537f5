import { addMicroseconds, parseTimestamp, type StateSnapshot } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StreamOutput } from "../../../connector/airbyte/stream-output.ts";
import { createSimulatedClock } from "../../support/clock.ts";
import { Written } from "./support/written.ts";

const MINUTE_MS = 60_000;
const FIRST = parseTimestamp("2026-01-01T00:00:00Z")!;
/** Another object at each call, equal by value for equal counts. */
const stateOf = (count: number): StateSnapshot => ({
  toJSON: () => ({ version: 1, surveys: { a: [[null, addMicroseconds(FIRST, count)]] } }),
});

/** The states that were written since the last call, as texts, and the records that each counts. */
const statesIn = (written: Written) =>
  written.take("STATE").map(({ state: { stream, sourceStats } }) => ({
    state: JSON.stringify(stream.stream_state),
    recordCount: sourceStats.recordCount as number,
  }));

/** The output of a stream, and what it writes. */
function outputTo(clock = createSimulatedClock(), syncMode: "full_refresh" | "incremental" = "incremental") {
  const written = new Written();
  return { written, stream: new StreamOutput("survey_responses", syncMode, written.writer, clock) };
}

describe("the states of a stream", () => {
  it("are made into text only to be written, since one of thousands of surveys is large", async () => {
    const clock = createSimulatedClock();
    const { written, stream } = outputTo(clock);
    let made = 0;
    const equal = (): StateSnapshot => ({
      toJSON() {
        made++;
        return stateOf(0).toJSON();
      },
    });
    await stream.started(equal());
    for (let page = 0; page < 100; page++) {
      await clock.sleep(100);
      await stream.delivered(0, 0, equal());
    }
    const states = statesIn(written);
    expect(states.length).toBeLessThanOrEqual(5); // one every two seconds
    expect(made).toBe(states.length);
  });

  it("never follow each other equal with records between them, and count every record", async () => {
    const step = fc.record({
      waitMs: fc.constantFrom(0, 100, 3000, 70_000),
      count: fc.constantFrom(0, 0, 1, 100, 1500),
      state: fc.nat(2),
      kind: fc.constantFrom("delivered", "waiting"),
    });
    const steps = fc.array(step, { maxLength: 20 });
    const modes = fc.constantFrom<"full_refresh" | "incremental">("full_refresh", "incremental");
    await fc.assert(
      fc.asyncProperty(steps, modes, fc.boolean(), async (steps, syncMode, isEnded) => {
        const clock = createSimulatedClock();
        const { written, stream } = outputTo(clock, syncMode);
        await stream.started(stateOf(0));
        let records = 0;
        let last = stateOf(0);
        for (const { waitMs, count, state, kind } of steps) {
          await clock.sleep(waitMs);
          if (kind === "waiting") await stream.waiting(undefined);
          else {
            records += count;
            last = stateOf(state);
            await stream.delivered(count, 0, last);
          }
        }
        await (isEnded ? stream.ended(last, true) : stream.interrupted(true));
        const states = statesIn(written);
        for (const [at, { state, recordCount }] of states.entries()) {
          if (at > 0 && recordCount > 0) expect(state).not.toBe(states[at - 1]!.state);
        }
        expect(states.reduce((sum, { recordCount }) => sum + recordCount, 0)).toBe(records);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, (stream: StreamOutput, untilMs: number) => Promise<void>]>([
    ["without an answer", (stream, untilMs) => stream.waiting({ reason: "rate_limited", untilMs })],
    ["of records that change no state", (stream) => stream.delivered(1, 0, stateOf(0))],
  ])("go out every few minutes of hours %s", async (_, happen) => {
    const clock = createSimulatedClock();
    const { written, stream } = outputTo(clock);
    await stream.started(stateOf(0));
    await stream.delivered(10, 0, stateOf(0));
    let silent = 0;
    for (let minute = 0; minute < 360; minute++) {
      await clock.sleep(MINUTE_MS);
      await happen(stream, clock.now() + MINUTE_MS);
      silent = statesIn(written).length > 0 ? 0 : silent + 1;
      expect(silent).toBeLessThanOrEqual(3);
    }
  });
});

it("a stream runs between two pauses for the rate limit: Airbyte ignores the end of a second one in a row", async () => {
  const clock = createSimulatedClock();
  const { written, stream } = outputTo(clock);
  for (let pause = 0; pause < 2; pause++) {
    await stream.waiting({ reason: "rate_limited", untilMs: clock.now() + MINUTE_MS });
    await clock.sleep(MINUTE_MS);
  }
  const steps = written.take("TRACE").map(({ trace }) => trace.stream_status.reasons?.[0].type ?? "RUNNING");
  expect(steps).toEqual(["RATE_LIMITED", "RUNNING", "RATE_LIMITED"]);
});

it("a stream that is COMPLETE does not wait any more: another status would make Airbyte forget it", async () => {
  const clock = createSimulatedClock();
  const { written, stream } = outputTo(clock);
  await stream.ended(stateOf(1), true);
  written.take("TRACE");
  await clock.sleep(2 * MINUTE_MS);
  await stream.waiting({ reason: "rate_limited", untilMs: clock.now() + MINUTE_MS });
  expect(written.messages).toEqual([]);
});

describe("the estimate of a stream", () => {
  const estimates = (written: Written) =>
    written.take("TRACE").flatMap(({ trace }) => (trace.type === "ESTIMATE" ? [trace.estimate] : []));
  const named = { type: "STREAM", name: "survey_responses" };

  it.each<[string, (stream: StreamOutput) => Promise<void>]>([
    [
      "the number of records, then records",
      (stream) => stream.expects(300).then(() => bring(stream, 3, 450)),
    ],
    ["records, then their number", (stream) => bring(stream, 3, 450).then(() => stream.expects(300))],
  ])("has rows and bytes, by those of the records so far, and comes once: %s", async (_, happens) => {
    const { written, stream } = outputTo();
    await happens(stream);
    expect(estimates(written)).toEqual([{ ...named, row_estimate: 300, byte_estimate: 45_000 }]);
    await bring(stream, 100, 1);
    expect(estimates(written)).toEqual([]);
  });

  it("is not lower than what has come: the service's count may be old", async () => {
    const { written, stream } = outputTo();
    await stream.expects(2);
    await bring(stream, 100, 1000);
    expect(estimates(written)).toEqual([{ ...named, row_estimate: 100, byte_estimate: 1000 }]);
  });

  it("is not written while it is not known how many records come, or how large they are", async () => {
    const { written, stream } = outputTo();
    await stream.expects(300);
    await bring(stream, 0, 0);
    expect(estimates(written)).toEqual([]);
    const other = outputTo();
    await bring(other.stream, 3, 450);
    expect(estimates(other.written)).toEqual([]);
  });

  const bring = (stream: StreamOutput, count: number, bytes: number) =>
    stream.delivered(count, bytes, stateOf(count));
});
