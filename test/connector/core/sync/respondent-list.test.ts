import { describe, expect, it } from "vitest";
import type { Item } from "../../../../connector/core/lists/item.ts";
import type { RespondentStream } from "../../../../connector/core/streams/definition.ts";
import { isHeld } from "../../../../connector/core/sync/people-read.ts";
import {
  openRespondentList,
  type RespondentListOptions,
} from "../../../../connector/core/sync/respondent-list.ts";
import type { StreamCursor } from "../../../../connector/core/sync/stream-cursor.ts";
import { SECOND } from "../../../model/support/connection.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const body = (data: unknown[], next?: string): string =>
  JSON.stringify({
    pagination_data: { has_more: next !== undefined, ...(next && { next_url: next }) },
    data,
  });
const link = (name: string): string => `/respondents/anna/responses?${name}`;
const lead = (uuid: string) => ({ surveyId: "s", uuid, timestamp: at(0) });
/** Places are in seconds. */
const response = (uuid: string, place: number, survey: unknown = { id: "s" }) => ({
  ...{ survey, response: { uuid, collected_at: at(place * SECOND) } },
});

interface Situation extends Partial<RespondentListOptions> {
  /** Of survey `s`, in seconds; nothing else of it is delivered. */
  readonly deliveredTo?: number;
  readonly configuredBelow?: number;
  readonly isWholeBelow?: boolean;
}

function listOf(reads: "respondent responses" | "respondent attributes", situation: Situation = {}) {
  const { deliveredTo = -1, configuredBelow, isWholeBelow = true, ...options } = situation;
  const cursor = {
    reads: (id: string) => id === "s",
    wasDelivered: ({ timestamp }: Item) => timestamp <= at(deliveredTo * SECOND),
    configured: { deliveredBelow: configuredBelow === undefined ? undefined : at(configuredBelow * SECOND) },
    isWholeBelow: () => isWholeBelow,
  } as unknown as StreamCursor;
  const definition = {
    reads,
    records: (item: { uuid?: string; id?: number }, { present }: { present: string }) => {
      if (item.uuid === "odd") throw new Error("It is odd.");
      return [{ id: item.uuid ?? item.id, present }];
    },
  } as unknown as RespondentStream;
  const list = openRespondentList(definition, {
    ...{ uuid: "anna", itemsPerPage: 2, startDate: undefined, endDate: undefined, cursor, leads: [] },
    ...{ unknown: { fields: new Set(), answers: new Map(), isLeftOut: false }, isConfigured: false },
    ...options,
  });
  const take = (data: unknown[], next?: string, present = PRESENT) => {
    const { records, problems, warning, hasHole } = list.parse(body(data, next), present)();
    return {
      ids: records.map((record) => (record as { id?: unknown }).id),
      records,
      problems,
      warning,
      hasHole,
    };
  };
  return { list, take };
}

describe("the list of a respondent's responses", () => {
  it("is requested within the dates, and holds what has come of it", () => {
    const { list, take } = listOf("respondent responses", {
      endDate: at(9 * SECOND),
      startDate: at(2 * SECOND),
    });
    expect(list.path).toMatch(/^\/respondents\/anna\/responses\?items_per_page=2&start=/);
    expect([list.holds(lead("a")), isHeld(list.held, at(5 * SECOND))]).toEqual([false, false]);
    expect(take([response("a", 7), response("b", 4), response("z", 1)])).toMatchObject({
      ...{ ids: ["a", "b"], problems: [], warning: undefined, hasHole: false },
    });
    expect([list.holds(lead("a")), list.holds(lead("z")), list.path]).toEqual([true, false, undefined]);
    expect([3, 4, 5, 7, 8].map((place) => isHeld(list.held, at(place * SECOND)))).toEqual([
      ...[false, true, true, true, false],
    ]);
  });

  it("leaves out what was delivered with its survey, but what led there", () => {
    const { take } = listOf("respondent responses", { deliveredTo: 5, leads: [lead("b")] });
    const data = [response("a", 7), response("b", 4), response("c", 3), response("d", 2, null)];
    expect(take(data).ids).toEqual(["a", "b", "d"]);
  });

  it.each([
    [true, 5, ["a", "b"]],
    [false, 5, ["a", "b", "c"]],
    [true, undefined, ["a", "b", "c"]],
  ] as const)(
    "leaves out responses to other surveys if the person is configured and was read (%s, %s)",
    (isConfigured, configuredBelow, ids) => {
      const { take } = listOf("respondent responses", {
        isConfigured,
        ...(configuredBelow && { configuredBelow }),
      });
      const other = { id: "other" };
      // Whole seconds are shown, so the one at 5 may be up to a second younger.
      const data = [response("a", 7, other), response("b", 5, other), response("c", 4, other)];
      expect(take(data).ids).toEqual(ids);
    },
  );

  it.each([
    ["all of it was delivered", {}, false],
    ["something leads there that has not come", { leads: [lead("z")] }, true],
    ["surveys are read below it", { isWholeBelow: false }, true],
    ["something of it is new", { deliveredTo: 3 }, true],
  ] as const)("ends early, or goes on to its next page: %s", (_, situation, goesOn) => {
    const { list, take } = listOf("respondent responses", { deliveredTo: 9, ...situation });
    take([response("a", 4), response("b", 2)], link("2"));
    expect(list.path).toBe(goesOn ? link("2") : undefined);
  });

  it("does not end early at an empty page, or at one with an item that cannot be read", () => {
    for (const data of [[], [response("a", 4), null]]) {
      const { list, take } = listOf("respondent responses", { deliveredTo: 9 });
      take(data, link("2"));
      expect(list.path).toBe(link("2"));
    }
    const { list, take } = listOf("respondent responses", { deliveredTo: 5 });
    take([response("a", 7), response("b", 4)], link("2"));
    take([], link("3"));
    expect(list.path).toBe(link("3"));
  });

  it("says what cannot be read of it, what may be hidden, and goes on", () => {
    const { list, take } = listOf("respondent responses");
    const { ids, problems, hasHole } = take([response("a", 7), null, response("odd", 4)], link("2"));
    expect([ids, problems.map(({ code }) => code), hasHole]).toEqual([
      ["a"],
      ["unreadable_item", "defect"],
      true,
    ]);
    expect([list.replaceLink(), list.replaceLink()]).toEqual([true, false]);
    expect(take([], link("3")).warning).toBeDefined();
  });
});

describe("the list of a respondent's attributes", () => {
  it("has one time, that of its first page, and holds whatever led there", () => {
    const { list, take } = listOf("respondent attributes");
    const next = "/respondents/anna/attributes?page=2";
    expect(list.path).toBe("/respondents/anna/attributes?items_per_page=2");
    expect(take([{ id: 1 }], next, at(5)).records).toEqual([{ id: 1, present: at(5) }]);
    expect([list.path, list.replaceLink()]).toEqual([next, false]);
    expect(take([{ id: 2 }, {}], undefined, at(9))).toMatchObject({
      ...{ records: [{ id: 2, present: at(5) }], problems: [{ code: "unreadable_item" }], hasHole: false },
    });
    expect([list.path, list.holds(lead("a")), isHeld(list.held, at(1))]).toEqual([undefined, true, true]);
    const { problems } = listOf("respondent attributes").take([{ id: 1, uuid: "odd" }]);
    expect(problems).toMatchObject([{ code: "defect" }]);
  });
});
