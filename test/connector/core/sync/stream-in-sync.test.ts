import { render, STREAMS } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import type { Interval } from "../../../../connector/core/coverage/coverage.ts";
import { EMPTY_STATE } from "../../../../connector/core/coverage/stream-state.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { Read } from "../../../../connector/core/lists/coverage-tracker.ts";
import { Channel } from "../../../../connector/core/sync/channel.ts";
import { StreamCursor } from "../../../../connector/core/sync/stream-cursor.ts";
import { ENDED, StreamInSync, TOO_MANY } from "../../../../connector/core/sync/stream-in-sync.ts";
import type { SyncEvent } from "../../../../connector/core/sync/sync-event.ts";
import { Warnings } from "../../../../connector/core/sync/warnings.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const ERROR = new SurveyExportError("system", "unreadable_item", say`It cannot be read.`);
const range = (older: number, newer = older): Interval => [at(older), at(newer)];

function streamOf(name: "survey_responses" | "response_key_snapshots" = "survey_responses") {
  const cursor = new StreamCursor({
    ...{ initialState: EMPTY_STATE, surveyIds: ["s"], respondents: [], startDate: undefined },
    ...{ endDate: undefined, lookbackMs: 0, present: PRESENT, dependsOnStartDate: false },
    personalData: undefined,
  });
  const channel = new Channel();
  const warnings: string[] = [];
  const log = new Warnings((_, message, code) => warnings.push(`${code}: ${render(message)}`));
  const stream = new StreamInSync(STREAMS[name], cursor, log, channel);
  /** Delivers a page whose newest response is at 90. */
  const deliver = (read: Partial<Read>, left: readonly Interval[] = []): void => {
    const all = { covered: [], unreadable: [], doubtful: [], ...read };
    const settled = { lists: cursor.surveys, id: "s", read: [all], newestSeen: at(90), left };
    void stream.deliver([], "s", settled);
  };
  const told = async (): Promise<SyncEvent[]> => {
    channel.close();
    const events: SyncEvent[] = [];
    for (let entry = await channel.next(); entry; entry = await channel.next()) events.push(entry.event);
    return events;
  };
  return { stream, channel, deliver, told, warnings, covered: () => cursor.surveys.of("s").covered };
}

describe("a page is covered in the event that carries its records", () => {
  it("up to the newest response, without what was not delivered", async () => {
    const { deliver, told } = streamOf();
    deliver({ covered: [range(50, 90)] }, [range(60)]);
    deliver({ covered: [[null, at(50)]], doubtful: [range(20, 30)] });
    const events = await told();
    expect(events[0]).toMatchObject({ type: "records", stream: "survey_responses", surveyId: "s" });
    expect(events.map((event) => event.type === "records" && event.state.toJSON().surveys)).toEqual([
      { s: [range(50, 59), range(61, 90)] },
      { s: [[null, at(19)], range(31, 59), range(61, 90)] },
    ]);
  });

  it("and above that in a stream that says what was read whole", () => {
    const { deliver, covered } = streamOf("response_key_snapshots");
    deliver({ covered: [[null, PRESENT]] });
    expect(covered()).toEqual([[null, PRESENT]]);
  });

  it("unless the sync has ended early", async () => {
    const { stream, channel, covered } = streamOf();
    channel.isOver = true;
    const read = [{ covered: [range(10, 20)], unreadable: [], doubtful: [] }];
    const lists = stream.cursor.surveys;
    const settled = { lists, id: "s", read, newestSeen: at(90), left: [] };
    await expect(stream.deliver([], "s", settled)).rejects.toBe(ENDED);
    expect(covered()).toEqual([]);
  });
});

describe("what cannot be read", () => {
  it("is told of once, though pages overlap there, and a few leave the stream complete", async () => {
    const { stream, deliver, told, warnings } = streamOf();
    for (let page = 0; page < 2; page++)
      deliver({ covered: [range(10, 90)], unreadable: [{ range: range(20, 30), error: ERROR }] });
    stream.finish();
    const events = await told();
    expect(events.map(({ type }) => type)).toEqual(["unreadable", "records", "records"]);
    expect(events[0]).toMatchObject({ error: ERROR, surveyId: "s", ranges: [range(20, 30)] });
    expect([stream.isIncomplete, warnings]).toEqual([
      false,
      ["left_out: Stream survey_responses: It cannot be read."],
    ]);
  });

  it.each([
    [TOO_MANY - 1, false],
    [TOO_MANY, true],
  ])("in %i places makes the stream incomplete: %s", async (count, isIncomplete) => {
    const { stream, deliver, told } = streamOf();
    for (let place = 0; place < count; place++)
      deliver({ unreadable: [{ range: range(8 * place + 1), error: ERROR }] });
    stream.finish();
    expect(stream.isIncomplete).toBe(isIncomplete);
    const failures = (await told()).filter(({ type }) => type === "failure");
    expect(failures).toHaveLength(isIncomplete ? 1 : 0);
  });
});
