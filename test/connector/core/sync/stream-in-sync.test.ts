import { expect, it } from "vitest";
import type { Interval } from "../../../../connector/core/coverage/coverage.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { Item } from "../../../../connector/core/lists/item.ts";
import { ENDED } from "../../../../connector/core/sync/stream-in-sync.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { at } from "../coverage/support/timestamps.ts";
import { streamOf } from "./support/stream.ts";

const ERROR = new SurveyExportError("system", "unreadable_item", say`It cannot be read.`);
const range = (older: number, newer = older): Interval => [at(older), at(newer)];

it("a page is covered when its records are taken, and not before, without what was not delivered (I1)", async () => {
  const { stream, deliver, told } = streamOf("survey_responses");
  void deliver({ covered: range(50, 90) }, [range(60)]);
  void deliver({ covered: [null, at(50)], holes: [{ range: range(20, 30) }] });
  expect(stream.coverage.state().toJSON().surveys).toEqual({ s: [] });
  const states: unknown[] = [];
  await told((event) => states.push(event.type === "records" && event.state.toJSON().surveys));
  expect(states).toEqual([
    { s: [range(50, 59), range(61, 90)] },
    { s: [[null, at(19)], range(31, 59), range(61, 90)] },
  ]);
});

it("what earlier syncs have delivered is not wanted again", () => {
  const { stream } = streamOf("survey_responses", { startDate: at(20), endDate: at(40) });
  const items = [50, 40, 30, 20, 10].map((place) => ({ timestamp: at(place) }) as Item);
  const seen = { present: at(95), isDated: true, newest: at(50), grain: 1 };
  const page = {
    surveyId: "s",
    items,
    seen,
    covered: undefined,
    holes: [],
    problem: undefined,
    isLast: false,
  };
  expect(stream.wantedOf(page)).toEqual(items.slice(1, 4));
});

it("after an early end nothing is covered, and nothing more is told", async () => {
  const { channel, deliver, told, stream } = streamOf("survey_responses");
  channel.isOver = true;
  await expect(deliver({ covered: range(10, 20) })).rejects.toBe(ENDED);
  expect(stream.coverage.of("s").covered).toEqual([]);
  channel.close();
  void channel.put(() => ({ type: "waiting", pause: undefined }));
  expect(await told()).toEqual([]);
});

it("counts its items that could be read, and those that could not, with the first one's error", async () => {
  const { stream, deliver, told } = streamOf("survey_responses");
  const other = new SurveyExportError("system", "unreadable_item", say`Nor can this.`);
  void stream.deliver([], 70);
  const holes = [
    { range: range(1, 3), unreadable: { count: 2, error: ERROR } },
    { range: range(9, 11), unreadable: { count: 5, error: other } },
  ];
  void deliver({ covered: range(0, 90), holes });
  stream.omitted({ count: 1, error: other }, "t");
  expect(stream).toMatchObject({ items: 70, unreadable: { first: ERROR, count: 8 } });
  const events = (await told()).flatMap((event) =>
    event.type === "unreadable" ? [[event.surveyId, event.count, event.error]] : [],
  );
  expect(events, "told at once").toEqual([
    ["s", 2, ERROR],
    ["s", 5, other],
    ["t", 1, other],
  ]);
});

it("items that another page has told of, or that earlier syncs have delivered, are not told", async () => {
  const { stream, deliver, told } = streamOf("survey_responses", { startDate: at(20) });
  stream.omitted({ error: ERROR, count: 0 });
  void deliver({ holes: [{ range: range(5, 9), unreadable: { count: 1, error: ERROR } }] });
  expect([stream.unreadable, (await told()).map(({ type }) => type)]).toEqual([undefined, ["records"]]);
});

it("the event of a page names each response that is new in it, whatever records they have", async () => {
  const { stream, told } = streamOf("survey_answers", { startDate: at(20) });
  const items = [50, 40].map((place) => ({ uuid: `r${place}`, timestamp: at(place) }) as Item);
  const seen = { present: at(95), isDated: true, newest: at(50), grain: 1 };
  const page = {
    surveyId: "s",
    items,
    seen,
    covered: undefined,
    holes: [],
    problem: undefined,
    isLast: true,
  };
  void stream.deliverPage(page, items, []);
  void stream.deliver([], 0);
  const named = (await told()).map((event) => event.type === "records" && event.responses);
  expect(named).toEqual([["r50", "r40"], []]);
});
