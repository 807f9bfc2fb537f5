import { expect, it } from "vitest";
import type { Timestamp } from "../../../../connector/core/coverage/timestamp.ts";
import { parseItemPage } from "../../../../connector/core/lists/item.ts";
import { type Slice, SurveyList } from "../../../../connector/core/sync/survey-list.ts";
import { Surveys } from "../../../../connector/core/sync/surveys.ts";
import { settingsOf } from "../../../../connector/core/sync/sync-options.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

/** Without cuts. */
const SETTINGS = settingsOf({ surveyIds: [], respondentUuids: [], streams: new Map(), inOrder: true });
const LINK = "/surveys/s/responses?page=2";

/** Surveys of which everything is wanted. */
const surveysOf = (...ids: readonly string[]): Surveys => {
  const gaps = [{ older: null, newer: undefined }];
  const edges = new Set<Timestamp>();
  const open = (id: string) => new SurveyList({ id, gaps, edges, settings: SETTINGS });
  return new Surveys(ids, open, { ...SETTINGS, listed: () => undefined, slots: 5 });
};

/** Takes a page with responses at `places` in. */
function accept(slice: Slice, places: readonly number[], next?: string): void {
  const data = places.map((place) => ({ uuid: `r${place}`, collected_at: at(place) }));
  const pagination_data = { has_more: next !== undefined, next_url: next };
  const body = JSON.stringify({ data, pagination_data });
  slice.survey.accept(slice, parseItemPage(body, slice.walk.newestAllowed, PRESENT, true));
}

/** The survey of the next slice, whose page is then the last one; undefined for none. */
async function readLastPage(surveys: Surveys): Promise<string | undefined> {
  const slice = await surveys.take();
  if (slice === undefined) return undefined;
  accept(slice, []);
  surveys.giveBack(slice);
  return slice.survey.id;
}

it("a slice is read on when everything that its page led to is done, and others wait until then", async () => {
  const surveys = surveysOf("s");
  const first = (await surveys.take())!;
  accept(first, [90, 89], LINK);
  surveys.pageRead(first);
  const told: string[] = [];
  const waiting = surveys.take();
  void waiting.then(() => told.push("a slice is free"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([]);
  surveys.giveBack(first);
  expect(await waiting).toBe(first);
});

it("who waits when everything was read waits no longer", async () => {
  const surveys = surveysOf("s");
  const first = (await surveys.take())!;
  const waiting = surveys.take();
  accept(first, []);
  surveys.giveBack(first);
  expect([await waiting, await readLastPage(surveys), surveys.remaining]).toEqual([undefined, undefined, 0]);
});

it("surveys that are being read come first, in turn, then the next one", async () => {
  const surveys = surveysOf("a", "b");
  const turns: string[] = [];
  for (let slice = await surveys.take(); slice; slice = await surveys.take()) {
    turns.push(slice.survey.id);
    accept(slice, [90 - turns.length], turns.length < 3 ? `${slice.walk.path}&page=2` : undefined);
    surveys.giveBack(slice);
  }
  expect(turns).toEqual(["a", "a", "a", "b"]);
});

it("what is set aside waits until it is taken up, and goes on from there; the others go on at once", async () => {
  const surveys = surveysOf("a", "b");
  const first = (await surveys.take())!;
  accept(first, [90, 89], LINK);
  surveys.giveBack(first);
  const failing = (await surveys.take())!;
  const { path } = failing.walk;
  failing.survey.setAside(failing);
  surveys.giveBack(failing);
  expect([await readLastPage(surveys), await surveys.take(), surveys.remaining]).toEqual(["b", undefined, 0]);
  expect(failing.survey.isReadToItsEnd).toBe(false);
  surveys.takeUp(failing.survey);
  const again = (await surveys.take())!;
  expect([again.walk.path, surveys.remaining]).toEqual([path, 1]);
  accept(again, [88]);
  surveys.giveBack(again);
  expect([await surveys.take(), failing.survey.isReadToItsEnd]).toEqual([undefined, true]);
});

it("a survey of which nothing remains when it is taken up holds up nobody", async () => {
  const surveys = surveysOf("a");
  const slice = (await surveys.take())!;
  slice.survey.setAside(slice);
  // Something newer shows that nothing follows.
  accept(slice, []);
  surveys.giveBack(slice);
  surveys.takeUp(slice.survey);
  expect([surveys.remaining, await surveys.take()]).toEqual([0, undefined]);
});
