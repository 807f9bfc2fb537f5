import { expect, it } from "vitest";
import { parseItemPage } from "../../../../connector/core/lists/item.ts";
import type { Slice } from "../../../../connector/core/sync/slice.ts";
import { isReadToItsEnd, Slices } from "../../../../connector/core/sync/slices.ts";
import { settingsOf } from "../../../../connector/core/sync/sync-options.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

/** Without cuts. */
const SETTINGS = settingsOf({ surveyIds: [], respondentUuids: [], streams: new Map(), inOrder: true });
const LINK = "/surveys/s/responses?page=2";

/** Surveys of which everything is wanted. */
const slicesOf = (...ids: readonly string[]): Slices => {
  const gapsOf = () => [{ older: null, newer: undefined }];
  return new Slices(ids, { settings: SETTINGS, gapsOf, listed: () => undefined, slots: 5 });
};

/** Takes a page with responses at `places` in. */
function accept(slices: Slices, slice: Slice, places: readonly number[], next?: string): void {
  const data = places.map((place) => ({ uuid: `r${place}`, collected_at: at(place) }));
  const pagination_data = { has_more: next !== undefined, next_url: next };
  const body = JSON.stringify({ data, pagination_data });
  slices.accept(slice, parseItemPage(body, slice.walk.newestAllowed, PRESENT, true));
}

/** The survey of the next slice, whose page is then the last one; undefined for none. */
async function readLastPage(slices: Slices): Promise<string | undefined> {
  const slice = await slices.take();
  if (slice === undefined) return undefined;
  accept(slices, slice, []);
  slices.giveBack(slice);
  return slice.survey.id;
}

it("a slice is read on when everything that its page led to is done, and others wait until then", async () => {
  const slices = slicesOf("s");
  const first = (await slices.take())!;
  accept(slices, first, [90, 89], LINK);
  slices.pageRead(first);
  const told: string[] = [];
  const waiting = slices.take();
  void waiting.then(() => told.push("a slice is free"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([]);
  slices.giveBack(first);
  expect(await waiting).toBe(first);
});

it("who waits when everything was read waits no longer", async () => {
  const slices = slicesOf("s");
  const first = (await slices.take())!;
  const waiting = slices.take();
  accept(slices, first, []);
  slices.giveBack(first);
  expect([await waiting, await readLastPage(slices), slices.remaining]).toEqual([undefined, undefined, 0]);
});

it("surveys that are being read come first, in turn, then the next one", async () => {
  const slices = slicesOf("a", "b");
  const turns: string[] = [];
  for (let slice = await slices.take(); slice; slice = await slices.take()) {
    turns.push(slice.survey.id);
    accept(slices, slice, [90 - turns.length], turns.length < 3 ? `${slice.walk.path}&page=2` : undefined);
    slices.giveBack(slice);
  }
  expect(turns).toEqual(["a", "a", "a", "b"]);
});

it("what is set aside waits until it is taken up, and goes on from there; the others go on at once", async () => {
  const slices = slicesOf("a", "b");
  const first = (await slices.take())!;
  accept(slices, first, [90, 89], LINK);
  slices.giveBack(first);
  const failing = (await slices.take())!;
  const { path } = failing.walk;
  slices.setAside(failing);
  slices.giveBack(failing);
  expect([await readLastPage(slices), await slices.take(), slices.remaining]).toEqual(["b", undefined, 0]);
  expect(isReadToItsEnd(failing.survey)).toBe(false);
  slices.takeUp(failing.survey);
  const again = (await slices.take())!;
  expect([again.walk.path, slices.remaining]).toEqual([path, 1]);
  accept(slices, again, [88]);
  slices.giveBack(again);
  expect([await slices.take(), isReadToItsEnd(failing.survey)]).toEqual([undefined, true]);
});

it("the unit of a survey is the finest that any of its pages has shown (S7)", async () => {
  const slices = slicesOf("s");
  const grains: unknown[] = [];
  for (const time of ["00:00:03", "00:00:02.5", "00:00:01"]) {
    const slice = (await slices.take())!;
    const body = {
      pagination_data: { has_more: true, next_url: `${slice.walk.path}&page=2` },
      data: [{ uuid: time, collected_at: `2026-01-01T${time}Z` }],
    };
    grains.push(
      slices.accept(slice, parseItemPage(JSON.stringify(body), undefined, PRESENT, true)).seen.grain,
    );
    slices.giveBack(slice);
  }
  expect(grains).toEqual([1_000_000, 1000, 1000]);
});
