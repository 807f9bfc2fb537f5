import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coverageOf, type Interval } from "../../../../connector/core/coverage/coverage.ts";
import { parseTimestamp } from "../../../../connector/core/coverage/timestamp.ts";
import { chooseCut } from "../../../../connector/core/sync/split.ts";
import { type Slice, SurveyList } from "../../../../connector/core/sync/survey-list.ts";
import { createListService, type Dialect, HEALTHY } from "../../../model/support/list-service.ts";
import { at, PRESENT, RUNS } from "../coverage/support/timestamps.ts";

const PLAIN = {
  ...{ shape: "wrapped", linkOnLastPage: false, closesEmpty: false },
  ...{ shows: "microseconds", hasDate: true },
} as const satisfies Partial<Dialect>;

/**
 * Reads a survey with as many slices as can be cut, taking the pages in any order: `order` decides which comes next.
 */
function readSplit(
  places: readonly number[],
  itemsPerPage: number,
  link: "next_timestamp" | "last_timestamp" | "next_item" | "last_item",
  honoursEnd: boolean,
  older: number | undefined,
  order: readonly number[],
  edges: readonly number[] = [],
) {
  const service = createListService({ ...PLAIN, link, honoursEnd }, new Map());
  places.forEach((timestamp, number) => {
    service.add({ uuid: `r${number}`, survey: "s1", person: "p", at: timestamp });
  });
  const survey = new SurveyList({
    id: "s1",
    gaps: [{ older: older === undefined ? null : at(older), newer: undefined }],
    ...{ edges: new Set(edges.map(at)), itemsPerPage, attributes: [] },
  });
  const delivered: string[] = [];
  const covered: Interval[] = [];
  const waiting: { slice: Slice; path: string }[] = [];
  let requests = 0;
  let slices = 1;
  for (;;) {
    while (waiting.length < 5) {
      let slice = survey.next();
      if (slice === undefined) {
        const cut = chooseCut(survey.slices, itemsPerPage);
        if (cut === undefined) break;
        slices++;
        slice = survey.split(cut);
      }
      slice.isUnderWay = true;
      waiting.push({ slice, path: slice.walk.path! });
    }
    const [answered] = waiting.splice((order[requests % order.length] ?? 0) % waiting.length, 1);
    if (answered === undefined) break;
    const { slice, path } = answered;
    requests++;
    const page = survey.accept(slice, survey.parse(slice, service.answer(path, HEALTHY).body, PRESENT));
    delivered.push(...(page?.items ?? []).map(({ uuid }) => uuid));
    for (const read of page?.read ?? []) covered.push(...read.covered);
    for (const response of service.responses) {
      const timestamp = at(response.at);
      if (covered.some(([low, high]) => (low === null || low < timestamp) && timestamp < high)) {
        expect(delivered).toContain(response.uuid);
      }
    }
    survey.giveBack(slice);
  }
  expect(survey.isRead).toBe(true);
  const wanted = service.responses.filter((response) => older === undefined || response.at >= older);
  return { delivered, wanted: wanted.map(({ uuid }) => uuid), covered, requests, slices };
}

it("slices of one gap deliver everything once, in whatever order their pages come, and cover the whole gap", () => {
  let split = 0;
  fc.assert(
    fc.property(
      fc.array(fc.nat(300), { minLength: 1, maxLength: 90 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom("next_timestamp", "last_timestamp", "next_item", "last_item"),
      fc.boolean(),
      fc.option(fc.nat(300), { nil: undefined, freq: 2 }),
      fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
      (places, size, link, honoursEnd, older, order) => {
        const { delivered, wanted, covered, slices } = readSplit(
          places,
          size,
          link,
          honoursEnd,
          older,
          order,
        );
        if (slices > 1) split++;
        expect([...delivered].sort()).toEqual([...wanted].sort());
        expect(coverageOf(covered)).toEqual([[older === undefined ? null : at(older), PRESENT]]);
      },
    ),
    RUNS,
  );
  expect(split).toBeGreaterThan(RUNS.numRuns / 4);
});

it("a list that ends after a few pages, by the estimate, is one plain walk", () => {
  const places = Array.from({ length: 30 }, (_, number) => number * 10);
  expect(readSplit(places, 10, "next_item", true, 0, [0]).slices).toBe(1);
});

describe("a cut", () => {
  const millisecond = (place: number) => at(1000 * place);
  /** A slice that is read down to the millisecond 1000, with a response in each ten. */
  const slice = (older: number | null, edges: readonly number[] = [], change = {}): Slice => {
    const end = older === null ? null : millisecond(older);
    const walk = { path: "/", position: millisecond(1000), older: end, density: 0.0001, ...change };
    const survey = { grain: 1000, edges: new Set(edges.map(millisecond)) };
    return { walk, survey, cutPages: 3, ...change } as unknown as Slice;
  };
  const cut = (...slices: Slice[]) => chooseCut(slices, 1);

  it("is in the slice with the most pages left, in the first one of equals", () => {
    const [short, long, another] = [slice(900), slice(0), slice(0)];
    expect(cut(short, long, another, short)?.slice).toBe(long);
    const [endless, other] = [slice(null), slice(null)];
    expect(cut(long, endless, other)?.slice).toBe(endless);
  });

  it("is below a timestamp where a coverage begins", () => {
    expect(cut(slice(0))?.at).toBe(millisecond(970));
    expect(cut(slice(0, [970, 969]))?.at).toBe(millisecond(968));
  });

  it.each([
    [
      "is read down to the earliest timestamp that there is",
      { position: parseTimestamp("0000-01-01T00:00:00Z")! },
    ],
    ["has ended", { path: undefined }],
    ["is asked again when those below have ended", { isPutAside: true }],
    ["has shown nothing", { density: undefined }],
  ])("is in no slice that %s", (_, change) => {
    expect(cut(slice(null))).toBeDefined();
    expect(cut(slice(null, [], change))).toBeUndefined();
  });
});
