import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyedList } from "../../../../connector/core/lists/keyed-list.ts";
import { isObject } from "../../../../connector/core/text/json.ts";
import { say } from "../../../../connector/core/text/message.ts";

const pathOf = (itemsPerPage: number): string => `/list?n=${itemsPerPage}`;
const listOf = (itemsPerPage: number) =>
  new KeyedList<object>({
    pathOf,
    itemsPerPage,
    parse: (item) => (isObject(item) && typeof item.id === "number" ? { ...item, id: item.id } : undefined),
    list: say`things`,
  });

type Answer = readonly [ids: readonly unknown[], next?: string | undefined];
const pageOf = ([ids, next]: Answer) => ({
  items: ids.map((id) => ({ id })),
  hasMore: next !== undefined,
  next,
});

/** What pages bring of a list of which two items a page are asked for: ids, the unreadable ones, and the next path. */
function walked(...pages: readonly Answer[]) {
  const list = listOf(2);
  return pages.map((page) => {
    const { items, unreadable, problem } = list.accept(pageOf(page));
    return [items.length, unreadable, problem?.code, list.path];
  });
}

it("brings each item once, and counts those that cannot be read on each page", () => {
  expect(walked([[1, 2, null], "/list?p=2"], [[2, 3, "4", "5"]], [[3, "4", "5", "6"]])).toEqual([
    [2, 1, undefined, "/list?p=2"],
    [1, 2, undefined, "/list?p=2"],
    [0, 1, undefined, undefined],
  ]);
});

it("in a circle is asked for once with the largest page, then it ends with an error", () => {
  const circle = [[1], "/list?n=2"] as const;
  expect(walked(circle, circle)).toEqual([
    [1, 0, undefined, "/list?n=100"],
    [0, 0, "broken_answer", undefined],
  ]);
});

it("ends at a link that leads out of it", () => {
  expect(walked([[1], "/other?p=2"])).toEqual([[1, 0, "refused_link", undefined]]);
});

describe("an end that a full page tells is asked for once more", () => {
  const [FIRST, SECOND] = [pathOf(2), "/list?p=2"];
  /** How many items pages bring, and the next path. */
  const asked = (...pages: readonly Answer[]) => walked(...pages).map(([count, , , path]) => [count, path]);

  it("and is the end if nothing new comes", () => {
    expect(asked([[1, 2]], [[1, 2]])).toEqual([
      [2, FIRST],
      [0, undefined],
    ]);
    expect(asked([[1, 2]], [[]])).toEqual([
      [2, FIRST],
      [0, undefined],
    ]);
  });

  it("and the list goes on if it does then", () => {
    expect(asked([[1, 2]], [[1, 2], SECOND], [[3]])).toEqual([
      [2, FIRST],
      [0, SECOND],
      [1, undefined],
    ]);
  });

  it("also after something new has come", () => {
    expect(asked([[1, 2]], [[1, 2], SECOND], [[3, 4]], [[3, 5]], [[3, 5]])).toEqual([
      [2, FIRST],
      [0, SECOND],
      [2, SECOND],
      [1, SECOND],
      [0, undefined],
    ]);
  });

  it("and not one that a smaller page tells: after a circle, one of 99", () => {
    const most = Array.from({ length: 99 }, (_, id) => id);
    expect(asked([[1], FIRST], [most])).toEqual([
      [1, pathOf(100)],
      [98, undefined],
    ]);
  });

  it("and its link may lead back: that is no circle of its own", () => {
    expect(asked([[1, 2], SECOND], [[3, 4]], [[3, 4], FIRST], [[5], "/list?p=3"])).toEqual([
      [2, SECOND],
      [2, SECOND],
      [0, FIRST],
      [1, "/list?p=3"],
    ]);
  });
});

describe("an empty page where more was promised", () => {
  const [FIRST, SECOND, THIRD] = [pathOf(2), "/list?p=2", "/list?p=3"];

  it("is asked for once more", () => {
    expect(walked([[1, 2], SECOND], [[], THIRD], [[3, 4], THIRD], [[5]])).toEqual([
      [2, 0, undefined, SECOND],
      [0, 0, undefined, SECOND],
      [2, 0, undefined, THIRD],
      [1, 0, undefined, undefined],
    ]);
  });

  it("is asked for once more also if the page before said that", () => {
    expect(walked([[1, 2], SECOND], [[]], [[3]])).toEqual([
      [2, 0, undefined, SECOND],
      [0, 0, undefined, SECOND],
      [1, 0, undefined, undefined],
    ]);
  });

  it("leads on if it stays empty, and so does each one after it", () => {
    expect(walked([[], SECOND], [[], SECOND], [[], THIRD], [[], THIRD], [[1]])).toEqual([
      [0, 0, undefined, FIRST],
      [0, 0, undefined, SECOND],
      [0, 0, undefined, SECOND],
      [0, 0, undefined, THIRD],
      [1, 0, undefined, undefined],
    ]);
  });

  it("leads on a hundred times at most", () => {
    const list = listOf(100);
    let requests = 0;
    for (; list.path !== undefined; requests++) list.accept(pageOf([[], `/list?p=${requests}`]));
    expect(requests).toBe(202);
  });
});

const [IDS, PATHS] = [8, 5];
const anyPage = fc.tuple(
  fc.array(fc.integer({ min: 1, max: IDS }), { maxLength: 3 }),
  fc.option(
    fc.integer({ min: 1, max: PATHS }).map((place) => `/list?p=${place}`),
    { nil: undefined },
  ),
);

it("ends, and brings nothing twice, whatever the links and pages are", () => {
  fc.assert(
    fc.property(fc.infiniteStream(anyPage), (pages) => {
      const list = listOf(2);
      const ids: unknown[] = [];
      let requests = 0;
      for (; list.path !== undefined; requests++)
        ids.push(...list.accept(pageOf(pages.next().value)).items.map((item) => "id" in item && item.id));
      expect(new Set(ids).size).toBe(ids.length);
      // Until something new comes, each link and the two paths of the beginning are requested twice at most.
      expect(requests).toBeLessThanOrEqual((IDS + 1) * 2 * (PATHS + 2));
    }),
  );
});

it("lacks nothing if a place tells a wrong end, or is empty, and does not do so again", () => {
  const anyFault = fc.constantFrom("none", "end", "empty", "empty, with a link to itself");
  fc.assert(
    fc.property(
      fc.nat(12),
      fc.integer({ min: 1, max: 3 }),
      fc.infiniteStream(anyFault),
      (count, size, faults) => {
        const all = Array.from({ length: count }, (_, id) => id);
        const list = listOf(size);
        const ids: unknown[] = [];
        const faulty = new Set<string>();
        for (let { path } = list; path !== undefined; { path } = list) {
          const from = Number(/from=(\d+)/.exec(path)?.[1] ?? 0);
          const shown = all.slice(from, from + size);
          const next = from + size < count ? `/list?from=${from + size}` : undefined;
          const fault = faulty.has(path) ? "none" : faults.next().value;
          faulty.add(path);
          const page: Answer =
            next === undefined || fault === "none"
              ? [shown, next]
              : fault === "end"
                ? [shown]
                : [[], fault === "empty" ? next : path];
          ids.push(...list.accept(pageOf(page)).items.map((item) => "id" in item && item.id));
        }
        expect(ids).toEqual(all);
      },
    ),
  );
});
