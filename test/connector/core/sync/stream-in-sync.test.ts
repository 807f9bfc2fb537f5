import { render, STREAMS } from "@survey-export/core";
import { expect, it } from "vitest";
import type { Interval } from "../../../../connector/core/coverage/coverage.ts";
import { EMPTY_STATE } from "../../../../connector/core/coverage/stream-state.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { Read } from "../../../../connector/core/lists/coverage-tracker.ts";
import { Channel } from "../../../../connector/core/sync/channel.ts";
import { StreamCursor } from "../../../../connector/core/sync/stream-cursor.ts";
import { ENDED, StreamInSync } from "../../../../connector/core/sync/stream-in-sync.ts";
import type { SyncEvent } from "../../../../connector/core/sync/sync-event.ts";
import { Warnings } from "../../../../connector/core/sync/warnings.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const ERROR = new SurveyExportError("system", "unreadable_item", say`It cannot be read.`);
const range = (older: number, newer = older): Interval => [at(older), at(newer)];

function streamOf() {
  const cursor = new StreamCursor({
    ...{ initialState: EMPTY_STATE, surveyIds: ["s"], respondents: [], startDate: undefined },
    ...{ endDate: undefined, lookbackMs: 0, present: PRESENT, dependsOnStartDate: false },
    personalData: undefined,
  });
  const channel = new Channel();
  const warnings: string[] = [];
  const log = new Warnings((_, message, code) => warnings.push(`${code}: ${render(message)}`));
  const stream = new StreamInSync(STREAMS.survey_responses, cursor, log, channel);
  /** Delivers a page whose newest response is at 90. */
  const deliver = (read: Partial<Read>, left: readonly Interval[] = []): Promise<void> => {
    const all = { covered: [], unreadable: [], doubtful: [], ...read };
    const settled = { lists: cursor.surveys, id: "s", read: [all], newestSeen: at(90), left };
    return stream.deliver([], "s", settled);
  };
  const told = async (): Promise<SyncEvent[]> => {
    channel.close();
    const events: SyncEvent[] = [];
    for (let entry = await channel.next(); entry; entry = await channel.next()) events.push(entry.event);
    return events;
  };
  return { stream, channel, deliver, told, warnings, cursor };
}

it("a page is covered in the event that carries its records, without what was not delivered (I1)", async () => {
  const { deliver, told } = streamOf();
  void deliver({ covered: [range(50, 90)] }, [range(60)]);
  void deliver({ covered: [[null, at(50)]], doubtful: [range(20, 30)] });
  expect((await told()).map((event) => event.type === "records" && event.state.toJSON().surveys)).toEqual([
    { s: [range(50, 59), range(61, 90)] },
    { s: [[null, at(19)], range(31, 59), range(61, 90)] },
  ]);
});

it("after an early end nothing is covered, and nothing more is told", async () => {
  const { channel, deliver, told, cursor } = streamOf();
  channel.isOver = true;
  await expect(deliver({ covered: [range(10, 20)] })).rejects.toBe(ENDED);
  expect(cursor.surveys.of("s").covered).toEqual([]);
  channel.close();
  void channel.put({ type: "waiting", pause: undefined });
  expect(await told()).toEqual([]);
});

it.each([
  [9, false],
  [10, true],
])(
  "%i unreadable places, each told once though pages overlap: incomplete is %s",
  async (count, isIncomplete) => {
    const { stream, deliver, told, warnings } = streamOf();
    const unreadable = Array.from({ length: count }, (_, n) => ({
      range: range(8 * n + 1, 8 * n + 3),
      error: ERROR,
    }));
    for (let page = 0; page < 2; page++) void deliver({ covered: [range(0, 90)], unreadable });
    stream.finish();
    const events = await told();
    expect(events.filter(({ type }) => type === "unreadable")).toHaveLength(count);
    expect(events.filter(({ type }) => type === "failure")).toHaveLength(isIncomplete ? 1 : 0);
    expect([stream.isIncomplete, warnings.length]).toEqual([isIncomplete, isIncomplete ? 0 : 1]);
  },
);
