import { STREAMS, type StreamState } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import type { Gap } from "../../../../connector/core/coverage/coverage.ts";
import { parseStreamState } from "../../../../connector/core/coverage/stream-state.ts";
import type { Timestamp } from "../../../../connector/core/coverage/timestamp.ts";
import type {
  RespondentAttributeStream,
  RespondentResponseStream,
} from "../../../../connector/core/streams/definition.ts";
import { Channel } from "../../../../connector/core/sync/channel.ts";
import { AttributeList, type PersonList, ResponseList } from "../../../../connector/core/sync/person-list.ts";
import { StreamCursor } from "../../../../connector/core/sync/stream-cursor.ts";
import { StreamInSync } from "../../../../connector/core/sync/stream-in-sync.ts";
import { Warnings } from "../../../../connector/core/sync/warnings.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const LINK = "/respondents/anna/responses?page=2";
const body = (data: readonly unknown[], next?: string): string =>
  JSON.stringify({
    pagination_data: { has_more: next !== undefined, ...(next && { next_url: next }) },
    data,
  });
/** A response to a survey that is not configured, unless it says so. */
const item = (place: number, survey: object | null = { id: "o" }) => ({
  ...(survey && { survey }),
  response: { uuid: `r${place}`, collected_at: at(place) },
});

/** A stream of which survey `s` is configured. */
function streamOf(name: "respondent_responses" | "respondent_attributes", startDate?: Timestamp) {
  const state: StreamState = { version: 1, surveys: {} };
  const cursor = new StreamCursor({
    ...{ initialState: parseStreamState(state, name), surveyIds: ["s"], respondents: [] },
    ...{ startDate, endDate: undefined, lookbackMs: 0, present: PRESENT },
    ...{ dependsOnStartDate: true, personalData: undefined },
  });
  return new StreamInSync(STREAMS[name], cursor, new Warnings(() => {}), new Channel());
}
function responsesOf(gaps: readonly Gap[], startDate?: Timestamp, endDate?: Timestamp) {
  const stream = streamOf("respondent_responses", startDate);
  const options = { uuid: "anna", itemsPerPage: 9, startDate, endDate, gaps };
  const definition = STREAMS.respondent_responses as RespondentResponseStream;
  return new ResponseList(stream, definition, options);
}
const ALL: Gap = { older: null, newer: undefined };
const take = (list: PersonList, text: string, present = PRESENT) => list.parse(text, present)();
const uuids = (records: readonly object[]) => records.map((record) => (record as { uuid: string }).uuid);

describe("a person's responses", () => {
  it("lie within the dates", () => {
    const startDate = at(2_000_000);
    const list = responsesOf([{ older: startDate, newer: at(9_000_000) }], startDate, at(9_000_000));
    const places = [9_000_001, 9_000_000, 2_000_000, 1_999_999];
    const { records } = take(
      list,
      body(
        places.map((place) => item(place)),
        LINK,
      ),
    );
    expect(uuids(records)).toEqual(["r9000000", "r2000000"]);
    expect(list.path, "below that, nothing is wanted").toBeUndefined();
  });

  it("are told of with the newest one that the list shows, wherever it lies", () => {
    const list = responsesOf([{ older: at(50), newer: at(60) }]);
    expect(list.newest).toBeUndefined();
    take(list, body([item(70, { id: "s" }), item(55), item(40)], LINK));
    expect(list.newest).toEqual(at(70));
    const old = responsesOf([{ older: at(50), newer: undefined }]);
    take(old, body([item(40)]));
    expect(old.newest, "though it is covered").toEqual(at(40));
  });

  it("are read gap after gap, the newest first", () => {
    const list = responsesOf([
      { older: null, newer: at(30) },
      { older: at(50), newer: undefined },
    ]);
    expect(take(list, body([item(70), item(50)])).read?.covered).toEqual([[at(50), PRESENT]]);
    expect(list.path).toBeDefined();
    const { records, read } = take(list, body([item(30), item(20)]));
    expect([uuids(records), read?.covered, list.path]).toEqual([["r30", "r20"], [[null, at(30)]], undefined]);
  });

  it("come with what cannot be read, and what is wrong with the list", () => {
    const list = responsesOf([ALL]);
    const { unreadable, problem } = take(list, body([item(9), null, item(7), item(8)]));
    expect([unreadable.map(({ code }) => code), problem?.code]).toEqual([
      ["unreadable_item"],
      "broken_answer",
    ]);
  });

  it("are asked for again if the page is not used: parsing alone moves nothing", () => {
    const list = responsesOf([ALL]);
    const { path } = list;
    list.parse(body([item(9)]), PRESENT);
    expect([list.path, list.newest]).toEqual([path, undefined]);
  });
});

describe("a person's attributes", () => {
  const attributes = () => {
    const stream = streamOf("respondent_attributes");
    const definition = STREAMS.respondent_attributes as RespondentAttributeStream;
    const options = { uuid: "anna", itemsPerPage: 9, startDate: undefined, endDate: undefined };
    return new AttributeList(stream, definition, options);
  };

  it("come with what cannot be read, and what is wrong with the list", () => {
    const unreadable = take(attributes(), body([{ id: "none" }]));
    expect([unreadable.problem, unreadable.unreadable.length]).toEqual([undefined, 1]);
    const other = take(attributes(), body([{ id: 1 }], "/respondents/bert/attributes?page=2"));
    expect([other.problem?.code, other.unreadable]).toEqual(["refused_link", []]);
  });
});
