import {
  addMicroseconds,
  type Message,
  parseTimestamp,
  type StateSnapshot,
  SurveyExportError,
  say,
} from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StreamOutput } from "../../../connector/airbyte/stream-output.ts";
import { createSimulatedClock } from "../../model/support/clock.ts";
import { Written } from "./support/written.ts";

const MINUTE_MS = 60_000;
const FIRST = parseTimestamp("2026-01-01T00:00:00Z")!;
/** Another object at each call, equal by value for equal counts. */
const stateOf = (count: number): StateSnapshot => ({
  toJSON: () => ({ version: 1, surveys: { a: [[null, addMicroseconds(FIRST, count)]] } }),
});

interface WrittenState {
  readonly state: string;
  readonly recordCount: number;
}

const statesIn = (lines: string): WrittenState[] =>
  lines
    .split("\n")
    .filter((line) => line.startsWith('{"type":"STATE"'))
    .map((line) => JSON.parse(line).state)
    .map(({ stream, sourceStats }) => ({
      state: JSON.stringify(stream.stream_state),
      recordCount: sourceStats.recordCount,
    }));

/** The output of a stream, and what it writes. */
function outputTo(clock = createSimulatedClock(), syncMode: "full_refresh" | "incremental" = "incremental") {
  const written = new Written();
  return { written, stream: new StreamOutput("survey_responses", syncMode, written.writer, clock) };
}

async function statesAfter(work: Promise<void>, written: Written): Promise<WrittenState[]> {
  await work;
  return statesIn(written.take());
}

describe("the states of a stream", () => {
  it("never follow each other equal with records between them, and count every record", async () => {
    const step = fc.record({
      waitMs: fc.constantFrom(0, 100, 3000, 70_000),
      count: fc.constantFrom(0, 0, 1, 100, 1500),
      state: fc.nat(2),
      kind: fc.constantFrom("delivered", "waiting"),
    });
    const ending = fc.constantFrom("ended", "interrupted");
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        fc.constantFrom<"full_refresh" | "incremental">("full_refresh", "incremental"),
        ending,
        async (steps, syncMode, end) => {
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
              await stream.delivered(count, last);
            }
          }
          await (end === "ended" ? stream.ended(last, true) : stream.interrupted());
          const states = statesIn(written.take());
          for (const [at, { state, recordCount }] of states.entries()) {
            if (at > 0 && recordCount > 0) expect(state).not.toBe(states[at - 1]!.state);
          }
          expect(states.reduce((sum, { recordCount }) => sum + recordCount, 0)).toBe(records);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("differ by a counter if only the records between them are new", async () => {
    const { written, stream } = outputTo();
    await stream.started(stateOf(0));
    const first = await statesAfter(stream.delivered(1500, stateOf(1)), written);
    // An equal state that is another object is not news.
    expect(await statesAfter(stream.delivered(1500, stateOf(1)), written)).toEqual([]);
    const last = await statesAfter(stream.ended(stateOf(1), true), written);
    expect(first).toEqual([{ state: JSON.stringify(stateOf(1)), recordCount: 1500 }]);
    expect(last).toEqual([
      { state: JSON.stringify({ ...stateOf(1).toJSON(), repeats: 1 }), recordCount: 1500 },
    ]);
  });

  it.each<[string, (stream: StreamOutput, untilMs: number) => Promise<void>]>([
    ["without an answer", (stream, untilMs) => stream.waiting({ reason: "rate_limited", untilMs })],
    ["of records that change no state", (stream) => stream.delivered(1, stateOf(0))],
  ])("go out every few minutes of hours %s", async (_, happen) => {
    const clock = createSimulatedClock();
    const { written, stream } = outputTo(clock);
    await stream.started(stateOf(0));
    await stream.delivered(10, stateOf(0));
    let silent = 0;
    for (let minute = 0; minute < 360; minute++) {
      await clock.sleep(MINUTE_MS);
      const states = await statesAfter(happen(stream, clock.now() + MINUTE_MS), written);
      silent = states.length > 0 ? 0 : silent + 1;
      expect(silent).toBeLessThanOrEqual(3);
    }
  });

  it("come once for each sentence: one fault of the service can fail every page", async () => {
    const { written, stream } = outputTo();
    const failed = async (sentence: Message): Promise<string> => {
      await stream.failed(new SurveyExportError("system", "unreadable_item", sentence));
      return written.take();
    };
    expect(await failed(say`A.`)).toContain('"A."');
    expect(await failed(say`A.`)).toBe("");
    expect(await failed(say`B.`)).toContain('"B."');
  });
});
