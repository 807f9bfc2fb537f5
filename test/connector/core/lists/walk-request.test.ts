import { describe, expect, it } from "vitest";
import { parseItemPage } from "../../../../connector/core/lists/item.ts";
import {
  isProgress,
  linkRequest,
  type OwnRequest,
  ownRequest,
} from "../../../../connector/core/lists/walk-request.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const ASKED: OwnRequest = { newer: at(50), older: at(10), size: 20, isExact: false, shrunk: 0 };

describe("a walk's own request may follow another (I7)", () => {
  /** From the first to the last one, each may follow those before it, and no other. */
  const ORDER: readonly OwnRequest[] = [
    { ...ASKED, newer: undefined },
    { ...ASKED, newer: undefined, size: 100 },
    ASKED,
    { ...ASKED, isExact: true },
    { ...ASKED, size: 21 },
    { ...ASKED, size: 100 },
    { ...ASKED, size: 100, isExact: true },
    { ...ASKED, size: 2, shrunk: 1 },
    { ...ASKED, size: 1, shrunk: 2 },
    { ...ASKED, newer: at(49) },
    { ...ASKED, older: null, newer: undefined },
    { ...ASKED, older: null, newer: at(51) },
    { ...ASKED, older: null },
    { ...ASKED, older: null, newer: at(49) },
  ];
  it("if it is later in the order, and only then", () => {
    const isAfter = ORDER.map((next) => ORDER.map((before) => isProgress(next, before)));
    expect(isAfter).toEqual(ORDER.map((_, next) => ORDER.map((_, before) => next > before)));
  });
});

describe("a request of our own asks for more than it shows", () => {
  const SECOND = 1_000_000;
  /** Its start, its end, and the newest item that its page may begin with. */
  const boundsOf = (asked: Partial<OwnRequest>) => {
    const request = ownRequest({ ...ASKED, ...asked }, (window) => JSON.stringify(window));
    const { start, end, itemsPerPage } = JSON.parse(request.path);
    expect([request.isLink, itemsPerPage]).toEqual([false, 20]);
    return [start, end, request.newest];
  };
  it.each<[string, Partial<OwnRequest>, readonly (number | undefined)[]]>([
    ["a millisecond on both sides", { newer: at(5001), older: at(3001) }, [6001, 2001, 7001]],
    [
      "the rest of a rounded millisecond above, and one below",
      { newer: at(5000), older: at(3000) },
      [6999, 2000, 7999],
    ],
    [
      "the rest of a rounded second above, and one below",
      { newer: at(5 * SECOND), older: at(3 * SECOND) },
      [6 * SECOND - 1 + 1000, 2 * SECOND, 6 * SECOND - 1 + 2000],
    ],
    [
      "nothing above if it is exact",
      { newer: at(5001), older: null, isExact: true },
      [5001, undefined, 6001],
    ],
    [
      "no more than the rest of a unit then",
      { newer: at(5000), isExact: true, older: null },
      [5999, undefined, 6999],
    ],
    ["everything without bounds", { newer: undefined, older: null }, [undefined, undefined, undefined]],
  ])("%s", (_, asked, places) => {
    expect(boundsOf(asked)).toEqual(places.map((place) => (place === undefined ? undefined : at(place))));
  });
});

it("a link's page begins at the last readable item before it, or where the page before could", () => {
  const first = ownRequest(ASKED, () => "/list");
  const pageOf = (...times: readonly (string | null)[]) => {
    const data = times.map((time) => time && { uuid: time, collected_at: time });
    const body = { data, pagination_data: { has_more: true, next_url: "/next" } };
    return parseItemPage(JSON.stringify(body), first.newest, PRESENT, true);
  };
  const link = linkRequest("/next", first, pageOf(at(9), at(8), null));
  expect(link).toEqual({ path: "/next", isLink: true, asked: ASKED, newest: at(8) });
  expect(linkRequest("/last", link, pageOf(null))).toEqual({ ...link, path: "/last" });
});
