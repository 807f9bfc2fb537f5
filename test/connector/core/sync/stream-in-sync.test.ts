import { expect, it } from "vitest";
import type { Interval } from "../../../../connector/core/coverage/coverage.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { Item } from "../../../../connector/core/lists/item.ts";
import { ENDED } from "../../../../connector/core/sync/stream-in-sync.ts";
import { render, say } from "../../../../connector/core/text/message.ts";
import { at } from "../coverage/support/timestamps.ts";
import { streamOf } from "./support/stream.ts";

const ERROR = new SurveyExportError("system", "unreadable_item", say`It cannot be read.`);
const range = (older: number, newer = older): Interval => [at(older), at(newer)];

it("a page is covered in the event that carries its records, without what was not delivered (I1)", async () => {
  const { deliver, told } = streamOf("survey_responses");
  void deliver({ covered: [range(50, 90)] }, [range(60)]);
  void deliver({ covered: [[null, at(50)]], doubtful: [range(20, 30)] });
  expect((await told()).map((event) => event.type === "records" && event.state.toJSON().surveys)).toEqual([
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
    read: [],
    problem: undefined,
    warning: undefined,
    endsAboveOthers: false,
  };
  expect(stream.wantedOf(page)).toEqual(items.slice(1, 4));
});

it("after an early end nothing is covered, and nothing more is told", async () => {
  const { channel, deliver, told, stream } = streamOf("survey_responses");
  channel.isOver = true;
  await expect(deliver({ covered: [range(10, 20)] })).rejects.toBe(ENDED);
  expect(stream.coverage.surveys.of("s").covered).toEqual([]);
  channel.close();
  void channel.put({ type: "waiting", pause: undefined });
  expect(await told()).toEqual([]);
});

it.each([
  [9, 1, false],
  [10, 1, true],
  [1, 9, false],
  [2, 5, true],
])(
  "%i places of %i items that cannot be read: incomplete is %s",
  async (count, itemsOfEach, isIncomplete) => {
    const { stream, deliver, told, warnings } = streamOf("survey_responses");
    const unreadable = Array.from({ length: count }, (_, n) => ({
      range: range(8 * n + 1, 8 * n + 3),
      count: itemsOfEach,
      error: ERROR,
    }));
    void deliver({ covered: [range(0, 90)], unreadable });
    const known = unreadable.map((each) => ({ ...each, count: 0 }));
    void deliver({ covered: [range(0, 90)], unreadable: known });
    stream.failures.finish();
    const events = await told();
    expect(events.filter(({ type }) => type === "unreadable")).toHaveLength(count);
    expect(events.filter(({ type }) => type === "failure")).toHaveLength(isIncomplete ? 1 : 0);
    expect([stream.failures.isIncomplete, warnings.length]).toEqual([isIncomplete, isIncomplete ? 0 : 1]);
    const said = events.map((event) => (event.type === "failure" ? render(event.error.whole) : ""));
    const items = count * itemsOfEach;
    expect([...said, ...warnings].join()).toContain(
      `${items} of ${items} items of this stream cannot be read.`,
    );
  },
);

it("items that another page has told of are not told again", async () => {
  const { stream, told } = streamOf("respondent_responses");
  stream.failures.omitted({ error: ERROR, count: 0 });
  expect(await told()).toEqual([]);
});
