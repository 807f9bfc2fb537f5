import { describe, expect, it } from "vitest";
import {
  type Item,
  isReadable,
  parseItemPage,
  respondentOf,
  type UnreadableItem,
} from "../../../../connector/core/lists/item.ts";
import { render } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const body = (...data: unknown[]): string => JSON.stringify({ pagination_data: { has_more: false }, data });
const response = (uuid: string, timestamp: string = at(5)) => ({ uuid, collected_at: timestamp });
const pageOf = (...data: unknown[]) => parseItemPage(body(...data), undefined, PRESENT);
const itemOf = (raw: unknown): Item => pageOf(raw).items.filter(isReadable)[0]!;
/** Nested deeper than pages may be, but still read. */
const deep = (uuid: string): string =>
  `{"uuid":"${uuid}","collected_at":"${at(5)}","field":${"[".repeat(70)}${"]".repeat(70)}}`;

describe("an item", () => {
  it("is the response itself, or holds it beside its survey (S5)", () => {
    const bare = response("a");
    expect(itemOf(bare)).toEqual({
      uuid: "a",
      timestamp: at(5),
      response: bare,
      survey: undefined,
      raw: bare,
    });
    const wrapped = { response: bare, survey: { id: "s" }, other: 1 };
    expect(itemOf(wrapped)).toEqual({
      ...{ uuid: "a", timestamp: at(5), response: bare, survey: { id: "s" }, raw: wrapped },
    });
  });

  it.each([
    [7, undefined, "it is not an object"],
    [{ collected_at: at(5) }, undefined, "its uuid is missing or not a text"],
    [{ uuid: "", collected_at: at(5) }, undefined, "its uuid is missing or not a text"],
    [{ uuid: "a" }, "a", "its collected_at is missing or not a timestamp"],
  ])("that no response can be read from says why (S11): %j", (raw, uuid, reason) => {
    const [item] = pageOf(raw).items as [UnreadableItem];
    expect(isReadable(item)).toBe(false);
    expect([item.uuid, render(item.reason)]).toEqual([uuid, reason]);
  });

  it("that is nested too deeply cannot be read, and its neighbours can", () => {
    const page = parseItemPage(
      `{"pagination_data":{"has_more":false},"data":[${deep("a")},${JSON.stringify(response("b"))}]}`,
      ...([undefined, PRESENT] as const),
    );
    const [one, other] = page.items as [UnreadableItem, Item];
    expect([one.uuid, render(one.reason), other.uuid]).toEqual(["a", "it is nested too deeply", "b"]);
    expect(isReadable(other)).toBe(true);
  });

  it.each([
    [{ respondent: { uuid: "anna" } }, "anna"],
    [{ respondent: { uuid: "" } }, undefined],
    [{ respondent: { uuid: 7 } }, undefined],
    [{ respondent: null }, undefined],
    [{}, undefined],
  ])("names its respondent, or nobody: %j", (fields, uuid) => {
    expect(respondentOf(itemOf({ ...response("a"), ...fields }))).toBe(uuid);
  });
});

describe("a page of items", () => {
  it("is in order if no item is newer than the one before it, whatever lies between (S1)", () => {
    const [new_, old] = [response("a", at(9)), response("b", at(3))];
    expect(pageOf(new_, new_, null, old).isOrdered).toBe(true);
    expect(pageOf(old, null, new_).isOrdered).toBe(false);
    expect(pageOf(new_, old, new_).isOrdered).toBe(false);
  });

  it("is not the page that was requested if it begins above that (S1)", () => {
    const parse = (...data: unknown[]) => parseItemPage(body(...data), at(5), PRESENT);
    expect(() => parse(null, response("a", at(6)))).toThrow(
      `begins above what was requested (${at(6)} is later than ${at(5)})`,
    );
    expect(parse(response("a", at(5)), response("b", at(6))).isOrdered).toBe(false);
  });

  it("has the coarsest unit that all of its timestamps are multiples of (S7)", () => {
    const [second, millisecond, microsecond] = [
      "2026-01-01T00:00:01.000000Z",
      "2026-01-01T00:00:01.001000Z",
      "2026-01-01T00:00:01.001001Z",
    ].map((timestamp) => response("a", timestamp));
    expect(pageOf().grain).toBe(1_000_000);
    expect(pageOf(second).grain).toBe(1_000_000);
    expect(pageOf(second, millisecond, second).grain).toBe(1000);
    expect(pageOf(microsecond, second).grain).toBe(1);
  });

  it("has the service's present, and its pagination", () => {
    expect(pageOf()).toMatchObject({ present: PRESENT, hasMore: false, next: undefined });
  });
});
