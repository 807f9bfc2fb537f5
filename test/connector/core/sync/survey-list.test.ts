import { describe, expect, it } from "vitest";
import type { Gap } from "../../../../connector/core/coverage/coverage.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { type Slice, SurveyList } from "../../../../connector/core/sync/survey-list.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const LINK = "/surveys/s/responses?page=2";
/** A page of responses, with the microsecond of each. */
const body = (places: readonly number[], next?: string): string =>
  JSON.stringify({
    pagination_data: { has_more: next !== undefined, ...(next && { next_url: next }) },
    data: places.map((place) => ({ uuid: `r${place}`, collected_at: at(place) })),
  });
const END: readonly number[] = [];

function listOf(...gaps: readonly Gap[]) {
  const survey = new SurveyList({
    ...{ id: "s", gaps, edges: new Set<never>() },
    ...{ itemsPerPage: 2, attributes: [] },
  });
  const take = (slice: Slice, places: readonly number[], next?: string, present = PRESENT) => {
    const page = survey.accept(slice, survey.parse(slice, body(places, next), present));
    survey.giveBack(slice);
    return page;
  };
  const next = (): Slice => {
    const slice = survey.next();
    if (slice === undefined) throw new Error("there is no slice");
    slice.isUnderWay = true;
    return slice;
  };
  return { survey, take, next };
}
/** A list of which one page has come, in three slices: down to 60, to 30 and to its beginning. */
function sliced() {
  const list = listOf({ older: null, newer: undefined });
  const first = list.next();
  list.take(first, [95, 90], LINK);
  const last = list.survey.split({ slice: first, at: at(30) });
  const middle = list.survey.split({ slice: first, at: at(60) });
  return { ...list, first, middle, last };
}
const bounds = ({ walk }: Slice) => [walk.older, walk.newer];

describe("a survey's list", () => {
  it("is read from its newest gap on, one slice each, and is read when no page is left", () => {
    const { survey, take, next } = listOf({ older: null, newer: at(3) }, { older: at(7), newer: undefined });
    const newest = next();
    const oldest = next();
    expect([bounds(newest), bounds(oldest)]).toEqual([
      [at(7), undefined],
      [null, at(3)],
    ]);
    expect(survey.next(), "both are under way").toBeUndefined();
    take(newest, [9]);
    expect([survey.isRead, survey.pages, survey.slices]).toEqual([false, 1, [oldest]]);
    take(oldest, END);
    expect([survey.isRead, survey.pages, survey.slices]).toEqual([true, 2, []]);
  });

  it("is cut into slices, of which the newest that is free has the next turn", () => {
    const { survey, first, middle, last, next } = sliced();
    expect(survey.slices.map(bounds)).toEqual([
      [at(60), undefined],
      [at(30), at(59)],
      [null, at(29)],
    ]);
    expect(survey.slices.map(({ cutPages }) => cutPages)).toEqual([12, 12, 6]);
    expect([next(), next(), next(), survey.next()]).toEqual([first, middle, last, undefined]);
  });

  it("knows its newest response that is not from the future, and the unit of all timestamps", () => {
    const { survey, take, next } = listOf({ older: null, newer: undefined });
    const slice = next();
    const pages = [take(slice, [9_000, 8_000], LINK, at(8_000)), take(slice, [7_001], undefined, at(8_000))];
    expect(pages.map((page) => page?.newestSeen)).toEqual([at(8_000), at(8_000)]);
    expect(survey.grain).toBe(1);
  });

  it("that was given up requests nothing, and takes nothing more", () => {
    const { survey, take, next, first } = sliced();
    survey.stop(new SurveyExportError("transient", "unavailable", say`It failed.`));
    expect([survey.isRead, survey.next(), take(first, [80], LINK)]).toEqual([true, undefined, undefined]);
    expect(next).toThrow();
  });
});

describe("a page that holds a response from below slices", () => {
  it("ends those that have shown nothing, and covers them", () => {
    const { survey, take, first, last } = sliced();
    const page = take(first, [80, 20], LINK);
    expect(page?.read.flatMap(({ covered }) => covered)).toEqual([
      [at(60), at(95)],
      [at(30), at(60)],
    ]);
    expect(survey.slices).toEqual([last]);
  });

  it("never ends one of which a page is under way: that may show more", () => {
    const { survey, take, first, middle, last } = sliced();
    middle.isUnderWay = true;
    const page = take(first, [80, 20], LINK);
    expect(page?.read).toHaveLength(1);
    expect(survey.slices).toEqual([middle, last]);
  });

  it("never ends one that has shown something: it reads itself what is left", () => {
    const { survey, take, first, middle, last } = sliced();
    take(middle, [50, 45], LINK);
    expect(take(first, [80, 20], LINK)?.read).toHaveLength(1);
    expect(survey.slices).toEqual([middle, last]);
  });

  it("never ends one above that was put aside", () => {
    const { survey, take, first, middle, last } = sliced();
    expect(take(middle, END)).toBeUndefined();
    take(last, [20, 10], LINK);
    expect(survey.slices).toEqual([first, middle, last]);
    expect(middle.walk.path).toBeDefined();
  });
});

describe("a page that says that the list ends, though slices are below", () => {
  it("is put aside, and asked for again when they are done", () => {
    const { survey, take, next, first, middle, last } = sliced();
    expect(take(first, [80])).toBeUndefined();
    expect([next(), next(), survey.next()], "not the first one").toEqual([middle, last, undefined]);
    take(middle, END);
    take(last, END);
    expect(survey.next()).toBe(middle);
    expect(take(middle, END)?.read[0]?.covered).toEqual([[at(30), at(60)]]);
    expect(survey.next()).toBe(first);
    expect(take(first, [80])?.items).toHaveLength(1);
    expect(survey.isRead).toBe(true);
  });

  it("is a broken answer if one of them has shown something, and then the end is not believed", () => {
    const { survey, take, first, middle, last } = sliced();
    take(last, [20, 10], LINK);
    const why = `says that the list ends, though it goes on down to ${at(10)} at least`;
    for (const [slice, place] of [
      [first, 80],
      [middle, 50],
    ] as const) {
      expect(() => survey.parse(slice, body([place]), PRESENT)).toThrow(
        expect.objectContaining({ code: "broken_answer", message: expect.stringContaining(why) }),
      );
      expect(() => survey.parse(slice, body([place], LINK), PRESENT), "it goes on").not.toThrow();
    }
    expect(() => survey.parse(first, body([80, 50]), PRESENT), "the end of the slice").not.toThrow();
    expect(() => survey.parse(last, body([5]), PRESENT), "the end of the lowest slice").not.toThrow();
  });

  it("is a broken answer of the lowest slice, too, if the page of another one has shown more", () => {
    const { survey, take, first, last } = sliced();
    take(first, [65, 20], LINK);
    const isBroken = expect.objectContaining({ code: "broken_answer" });
    for (const places of [END, [31], [25]])
      expect(() => survey.parse(last, body(places), PRESENT)).toThrow(isBroken);
    expect(() => survey.parse(last, body([25, 20]), PRESENT)).not.toThrow();
  });

  it("is a broken answer, too, if it was put aside with more", () => {
    const { survey, take, first, middle, last } = sliced();
    take(first, [80, 70]);
    for (const slice of [last, middle]) take(slice, END);
    const isBroken = expect.objectContaining({ code: "broken_answer" });
    expect(() => survey.parse(first, body([80]), PRESENT)).toThrow(isBroken);
    expect(take(first, [80, 70])?.items).toHaveLength(2);
  });

  it("is believed if only another gap has shown more", () => {
    const { survey, take, next } = listOf({ older: null, newer: at(3) }, { older: at(7), newer: undefined });
    const [newest, oldest] = [next(), next()];
    take(oldest, [2, 1], LINK);
    expect(() => survey.parse(newest, body([9]), PRESENT)).not.toThrow();
  });
});
