import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coverageOf, type Gap, type Interval } from "../../../../connector/core/coverage/coverage.ts";
import { LATEST } from "../../../../connector/core/coverage/timestamp.ts";
import { surveyResponsesPath } from "../../../../connector/core/lists/endpoints.ts";
import { parseItemPage } from "../../../../connector/core/lists/item.ts";
import { ListWalk, type ListWalkOptions } from "../../../../connector/core/lists/list-walk.ts";
import { given, say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT, place, RUNS } from "../coverage/support/timestamps.ts";

const link = (name: string): string => `/surveys/s1/responses?${name}`;
const NEXT = link("next");
const ALL: Gap = { older: null, newer: undefined };
const gapOf = (older: number | null, newer: number | undefined): Gap => ({
  older: older === null ? null : at(older),
  newer: newer === undefined ? undefined : at(newer),
});
/** `more`: a part of a gap, above others, if it says so. */
const walkOf = (
  gap: Gap,
  itemsPerPage: number,
  unreadable = new Set<string>(),
  more: Partial<ListWalkOptions> = {},
): ListWalk =>
  new ListWalk({
    ...gap,
    reach: gap.older,
    isAboveOthers: false,
    itemsPerPage,
    ...more,
    list: say`survey ${given("s1")}`,
    pathOf: (window) => surveyResponsesPath("s1", window, []),
    unreadable,
  });
/** A page of responses with the microsecond of each; null cannot be read. Two of one place have different names. */
const body = (places: readonly (number | string | null)[], next?: string): string =>
  JSON.stringify({
    pagination_data: { has_more: next !== undefined, ...(next && { next_url: next }) },
    data: places.map((each) => each && { uuid: `${each}`, collected_at: at(Number.parseInt(`${each}`, 10)) }),
  });
const accept = (walk: ListWalk, text: string) =>
  walk.accept(parseItemPage(text, walk.newestAllowed, PRESENT, true));
/** The upper bound of a request from a timestamp on: a millisecond later, since a service may read it to milliseconds. */
const startOf = (timestamp: number): string => `start=${encodeURIComponent(at(timestamp + 1_000))}`;
const range = (older: number | null, newer: number): Interval => [
  older === null ? null : at(older),
  at(newer),
];
/** What came of pages: items, what is covered, what is left to the next sync, codes and warnings. */
function readAll(walk: ListWalk, ...texts: readonly string[]) {
  const pages = texts.map((text) => accept(walk, text));
  return {
    items: pages.flatMap(({ items }) => items.map(({ uuid }) => uuid)),
    covered: coverageOf(pages.flatMap(({ covered }) => (covered ? [covered] : []))),
    left: coverageOf(pages.flatMap(({ holes }) => holes.map(({ range }) => range))),
    codes: pages.flatMap(({ problem }) => problem?.code ?? []),
    said: pages.flatMap(({ problem, holes }) =>
      [problem, ...holes.map(({ unreadable }) => unreadable?.error)].flatMap((error) => error?.message ?? []),
    ),
    path: walk.path,
  };
}

describe("a walk down a list", () => {
  const gaps = fc
    .tuple(fc.option(place, { freq: 2 }), fc.option(place, { freq: 2 }))
    .filter(([older, newer]) => older === null || newer === null || older <= newer)
    .map(([older, newer]) => gapOf(older, newer ?? undefined));

  it("ends, whatever the links and pages are (I7)", () => {
    const pages = fc.record({
      places: fc.array(fc.option(place, { freq: 4 }), { minLength: 1, maxLength: 3 }),
      next: fc.constantFrom(link("a"), link("b"), link("c"), undefined),
    });
    fc.assert(
      fc.property(fc.array(pages, { minLength: 1, maxLength: 8 }), gaps, (script, gap) => {
        const walk = walkOf(gap, 2);
        for (let request = 0; walk.path !== undefined; request++) {
          expect(request).toBeLessThan(400);
          const { places, next } = script[request % script.length]!;
          const limit = walk.newestAllowed;
          const fitting = places
            .filter((each) => each === null || limit === undefined || at(each) <= limit)
            .sort((one, other) => (other ?? 99) - (one ?? 99));
          accept(walk, body(fitting, fitting.length === 0 ? undefined : next));
        }
      }),
      RUNS,
    );
  });

  it("asks for a timestamp that fills a page with the largest page, and resumes below it with a hole", () => {
    const walk = walkOf(ALL, 2);
    const page = body(["5a", "5b"], NEXT);
    readAll(walk, page, page);
    expect(walk.path).toContain(`items_per_page=100&${startOf(5)}`);
    expect(readAll(walk, page)).toMatchObject({
      left: [range(5, 5)],
      codes: ["broken_answer"],
      said: [expect.stringContaining(`read at ${at(5)}: the`)],
      path: expect.stringContaining(startOf(4)),
    });
  });

  it.each([
    ["below a timestamp that it gives up", 40, startOf(39)],
    ["at its end if it gives up the timestamp above", 31, startOf(30)],
    ["for nothing below its end", 30, undefined],
  ])("asks %s", (_, last, path) => {
    const page = body([last], NEXT);
    const read = readAll(walkOf(gapOf(30, 70), 100), page, page, page);
    expect([read.left, read.path]).toEqual([[range(last, last)], path && expect.stringContaining(path)]);
  });

  it("tells of each unreadable item once, though slices share it, and of none that is asked for again before", () => {
    const told = new Set<string>();
    const counts = (walk: ListWalk, text: string) =>
      accept(walk, text).holes.map(({ unreadable }) => unreadable?.count);
    const walk = walkOf(ALL, 3, told);
    expect(counts(walk, body([9, 7, null], NEXT))).toEqual([]);
    walk.replaceLink();
    expect(counts(walk, body([7, null, null, 6], NEXT))).toEqual([2]);
    expect(counts(walkOf(ALL, 3, told), body([7, null, null, null, 6]))).toEqual([1]);
  });

  it("asks again from what it has read whole if a link fails, and leaves nothing that comes then", () => {
    const walk = walkOf(ALL, 3);
    expect(walk.replaceLink()).toBe(false);
    readAll(walk, body([9, 7, null], NEXT));
    expect([walk.replaceLink(), walk.path]).toEqual([true, expect.stringContaining(startOf(8))]);
    expect(readAll(walk, body([7, 6]))).toMatchObject({ items: ["6"], left: [], path: undefined });
  });

  it("replaces no request of its own, and a link at one place by a larger page once", () => {
    expect(walkOf(gapOf(null, 9), 3).replaceLink()).toBe(false);
    const walk = walkOf(ALL, 3);
    const replaced = [[9, 7], [7], [7]].map((places) => {
      readAll(walk, body(places, NEXT));
      return walk.replaceLink() && walk.path;
    });
    const from = (size: number) => expect.stringContaining(`items_per_page=${size}&${startOf(8)}`);
    expect(replaced).toEqual([from(3), from(100), false]);
  });

  it("asks again, on a link that is refused, for what it has not read whole", () => {
    const walk = walkOf(ALL, 3);
    const pages = [body([9, 7], "/other"), body([7, 3])];
    expect(readAll(walk, ...pages)).toMatchObject({
      items: ["9", "7", "3"],
      left: [],
      codes: ["refused_link"],
    });
  });

  it("asks for the margin with the largest page, then without it, and then below", () => {
    const walk = walkOf(gapOf(null, 5), 2);
    const asked = Array.from({ length: 5 }, () => {
      accept(walk, body([500], NEXT));
      return walk.path;
    });
    const exactly = `start=${encodeURIComponent(at(5))}`;
    const own = [`100&${startOf(5)}`, `100&${exactly}`, `2&${startOf(4)}`].map((query) =>
      expect.stringContaining(`items_per_page=${query}`),
    );
    expect(asked.slice(0, 4)).toEqual([NEXT, ...own]);
  });

  it.each<[string, Gap, (page: number) => number | string, number]>([
    ["all links that lead down", ALL, (page) => 1999 - page, -1],
    ["a hundred links that do not lead below a timestamp", ALL, (page) => `5 ${page}`, 100],
  ])("follows %s (I7)", (_, gap, itemOf, firstRefused) => {
    const walk = walkOf(gap, 1);
    const isFollowed = Array.from({ length: 1100 }, (_, page) => {
      if (walk.path !== undefined) accept(walk, body([itemOf(page)], link(`${page}`)));
      return walk.path === link(`${page}`);
    });
    expect(isFollowed.indexOf(false)).toBe(firstRefused);
  });

  it.each([
    ["an item of an earlier page of its lowest timestamp", [["5a"], ["5b"], ["5c"], ["5a", "5b", "5c"]]],
    ["an item of the page before", [[9, 8], [8, 9, 7], [6]]],
  ])("delivers once %s", (_, pages) => {
    const texts = pages.map((places, number) => body(places, link(`${number}`)));
    const { items } = readAll(walkOf(ALL, 3), ...texts);
    expect(items).toEqual([...new Set(items)]);
    expect(items).toHaveLength(new Set(pages.flat()).size);
  });
});

describe("what a walk covers, and leaves to the next sync", () => {
  it.each<[string, Gap, readonly string[], object]>([
    [
      "a page with more to come, down to what lies above its last item",
      ALL,
      [body([9, 7, "5a", "5b"], NEXT)],
      { covered: [[at(7), LATEST]] },
    ],
    [
      "nothing while one timestamp fills the page",
      gapOf(null, 9),
      [body(["9a", "9b"], NEXT)],
      { covered: [] },
    ],
    ["an empty list", gapOf(3, 9), [body([])], { covered: [range(3, 9)] }],
    [
      "neighbours of what cannot be read",
      ALL,
      [body([9, 8, 7, null, 3, 1])],
      { covered: [[null, LATEST]], left: [range(3, 7)], codes: [] },
    ],
    [
      "all above an unreadable first item",
      gapOf(null, 9),
      [body([null, 4, 3])],
      { covered: [range(null, 9)], left: [range(4, 9)] },
    ],
    [
      "all below unreadable last ones, over the page's end",
      gapOf(1, 9),
      [body([4, null], NEXT), body([null])],
      { covered: [range(1, 9)], left: [range(1, 4)] },
    ],
    [
      "nothing above a request's own items",
      gapOf(null, 5),
      [body([null, 500, 5, 3])],
      { items: ["5", "3"], left: [] },
    ],
    [
      "neighbours in the wrong order",
      ALL,
      [body([9, 5, 7, 3], NEXT), body([2])],
      {
        items: ["9", "5", "7", "3", "2"],
        covered: [[null, LATEST]],
        left: [range(5, 7)],
        codes: ["broken_answer"],
      },
    ],
    [
      "its own part of neighbours in the wrong order",
      gapOf(30, 70),
      [body([60, 20, 40])],
      { left: [range(30, 40)] },
    ],
    [
      "all of a page in the wrong order with something unreadable",
      gapOf(null, 9),
      [body([8, 4, 5, null], NEXT), body([2])],
      { left: [range(2, 9)] },
    ],
  ])("%s", (_, gap, texts, expected) => {
    expect(readAll(walkOf(gap, 100), ...texts)).toMatchObject(expected);
  });

  it.each<[string, readonly (readonly (number | null)[])[], object]>([
    ["an item at each end is its own", [[70, 30]], { items: ["70", "30"] }],
    ["an item above is not", [[71, 70]], { items: ["70"] }],
    [
      "an item that came before is not new",
      [
        [60, 50],
        [50, 40],
      ],
      { items: ["60", "50", "40"] },
    ],
    ["an item below is another's, and the end", [[31, 29, 28]], { items: ["31"], path: undefined }],
    ["an item of its own may follow one below", [[40, 29, 35]], { items: ["40", "35"] }],
    ["what cannot be read lies between neighbours", [[50, null, 40, 29]], { left: [range(40, 50)] }],
    ["or below the last item", [[50, null, 29]], { left: [range(30, 50)] }],
    ["and is another's below the end", [[50, 29, null]], { left: [] }],
    ["but not in the wrong order: items may follow", [[60, 20, null, 40]], { left: [range(30, 70)] }],
    ["or above", [[null, 71, 50]], { left: [] }],
    ["but not above a late item from there", [[50, null, 71]], { left: [range(30, 70)] }],
    ["not even after one below", [[null, 29, 71]], { left: [range(30, 70)] }],
    ["each pair in the wrong order is left", [[50, 55, 45, 48]], { left: [range(45, 48), range(50, 55)] }],
    ["and no more of it than is its own", [[65, 75]], { left: [range(65, 70)] }],
  ])("from 70 to 30: %s", (_, pages, expected) => {
    const texts = pages.map((places, number) => body(places, number < pages.length - 1 ? NEXT : undefined));
    const read = readAll(walkOf(gapOf(30, 70), 100), ...texts);
    expect(read).toMatchObject({ covered: [range(30, 70)], ...expected });
  });
});

describe("what is asked past once before it is believed", () => {
  const PART = gapOf(30, 70);
  const aboveOthers = { reach: null, isAboveOthers: true };
  const walkOfPart = () => walkOf(PART, 3, new Set(), aboveOthers);
  const walkAfter60 = () => {
    const walk = walkOf(PART, 3);
    readAll(walk, body([60], NEXT));
    return walk;
  };
  const fromHere = (place: number) => expect.stringContaining(startOf(place));

  it.each([
    ["an end that a full page tells", () => walkOf(ALL, 3), body([9, 8, 7]), 7],
    ["an end above other parts", walkOfPart, body([50]), 50],
    ["the empty end of a part above others", walkOfPart, body([]), 70],
    ["an empty page that promises more", () => walkOf(PART, 3), body([], NEXT), 70],
    ["an empty page after one that promised more", walkAfter60, body([]), 60],
  ])("%s", (_, walkFor, page, place) => {
    const [wrong, right] = [walkFor(), walkFor()];
    for (const walk of [wrong, right]) expect(readAll(walk, page).path).toEqual(fromHere(place));
    // It was wrong: the walk goes on, and doubts the next end, too.
    const more = readAll(wrong, body([place - 1, place - 2], NEXT), body([place - 3]));
    expect(more.items).toEqual([place - 1, place - 2, place - 3].map(String));
    // It was right.
    const said = readAll(right, page);
    expect([said.items, said.path]).toEqual([[], page.includes("next") ? NEXT : undefined]);
  });

  it.each([
    ["a short page", () => walkOf(ALL, 3), body([9, 8])],
    ["an empty list", () => walkOf(ALL, 3), body([])],
    ["a part whose page shows something below", walkOfPart, body([50, 40, 29])],
    ["a part whose page shows nothing else", walkOfPart, body([29], NEXT)],
    ["a full page after which nothing can be read", () => walkOf(ALL, 3), body([9, 8, null])],
  ])("and what is believed at once: %s", (_, walkFor, page) => {
    expect(readAll(walkFor(), page).path).toBeUndefined();
  });

  it("says nothing of how dense the rest is, nor does what cannot be read", () => {
    const walk = walkOf(ALL, 2);
    readAll(walk, body([9, 8], NEXT));
    expect(walk.density).toBeDefined();
    readAll(walk, body([7, null], link("2")));
    expect(walk.density).toBeUndefined();
    readAll(walk, body([6, 5]));
    expect(walk.density).toBeUndefined();
  });

  it("is asked for from the timestamp that a whole page shares, and its links are followed anew", () => {
    const walk = walkOf(ALL, 2);
    const pages = [body(["5a", "5b"], NEXT), body(["5c", "5d"]), body(["5a", "5b"], NEXT)];
    expect(readAll(walk, ...pages).path).toBe(NEXT);
    expect(readAll(walk, body(["5c", "5d"], link("2")), body(["5e"]))).toMatchObject({
      items: ["5e"],
      path: undefined,
      covered: [[null, LATEST]],
    });
  });

  it("is followed a hundred times if it is empty for ever", () => {
    const walk = walkOf(ALL, 2);
    let pages = 0;
    for (; walk.path !== undefined; pages++) readAll(walk, body([], link(`${pages}`)));
    expect(pages).toBeGreaterThan(100);
    expect(pages).toBeLessThan(110);
  });
});

it.each<[string, readonly string[], string]>([
  [
    "an unreadable item",
    [body([9, null])],
    `holds an item that cannot be read after ${at(9)}: it is not an object. What cannot be read was omitted, and the next sync reads its range again.`,
  ],
  [
    "the wrong order",
    [body([5, 7])],
    `is not sorted from newest to oldest: ${at(7)} comes after ${at(5)}. Everything on that page was delivered;`,
  ],
  [
    "links in a circle",
    [body([null], NEXT), body([null], NEXT)],
    "could not be read from its beginning: its pages bring nothing new, or their links lead in a circle.",
  ],
])("%s is one sentence that names the list and the place", (_, texts, sentence) => {
  expect(readAll(walkOf(ALL, 1), ...texts).said.at(-1)).toContain(`The list of survey "s1" ${sentence}`);
});

it.each([
  [{ collected_at: at(5) }, ": its uuid is missing or not a text."],
  [{ uuid: "", collected_at: at(5) }, ": its uuid is missing or not a text."],
  [{ uuid: "x" }, ' ("x"): its collected_at is missing or not a timestamp.'],
  [
    { uuid: "x", collected_at: "2026-02-31T00:00:00Z" },
    ' ("x"): its collected_at is missing or not a timestamp.',
  ],
])("an item that cannot be read is named, if its uuid is known: %#", (item, what) => {
  const text = body([]).replace("[]", JSON.stringify([item]));
  expect(readAll(walkOf(ALL, 9), text).said).toEqual([expect.stringContaining(`at its beginning${what}`)]);
});

it("a page that begins above what was requested is broken, and not if a later item lies there", () => {
  expect(() => parseItemPage(body([null, 6]), at(5), PRESENT, true)).toThrow(
    /begins above what was requested/,
  );
  expect(parseItemPage(body([5, 6, 4]), at(5), PRESENT, true).items).toHaveLength(3);
});
