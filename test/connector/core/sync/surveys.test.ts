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
  return new Surveys(ids, open, SETTINGS, () => undefined, 5);
};

/** Takes a page with responses at `places` in. */
function accept(slice: Slice, places: readonly number[], next?: string): void {
  const data = places.map((place) => ({ uuid: `r${place}`, collected_at: at(place) }));
  const pagination_data = { has_more: next !== undefined, next_url: next };
  const body = JSON.stringify({ data, pagination_data });
  slice.survey.accept(slice, parseItemPage(body, slice.walk.newestAllowed, PRESENT, true));
}

/** The survey whose slice a turn gives, whose page is then the last one; undefined for none. */
async function readLastPage(surveys: Surveys): Promise<string | undefined> {
  let id: string | undefined;
  await surveys.turn(async (slice) => {
    id = slice.survey.id;
    accept(slice, []);
    return {};
  });
  return id;
}

it("a slice has its next turn when everything that its page led to is done, and others wait until then", async () => {
  const surveys = surveysOf("s");
  const people = Promise.withResolvers<void>();
  const first = await surveys.turn(async (slice) => {
    accept(slice, [90, 89], LINK);
    return { rest: people.promise };
  });
  const told: string[] = [];
  const waiting = await surveys.turn(() => Promise.reject(new Error("nothing is free")));
  void waiting.end?.then(() => told.push("something changed"));
  await Promise.resolve();
  expect(told).toEqual([]);
  people.resolve();
  await first.end;
  await waiting.end;
  expect(told).toEqual(["something changed"]);
  expect(await readLastPage(surveys)).toBe("s");
  expect(surveys.remaining).toBe(0);
});

it("a turn after everything was read ends at once", async () => {
  const surveys = surveysOf("s");
  await readLastPage(surveys);
  expect(await surveys.turn(() => Promise.reject(new Error("nothing is free")))).toEqual({});
});

it("surveys that are being read come first, in turn, then the next one", async () => {
  const surveys = surveysOf("a", "b");
  const turns: string[] = [];
  for (const _ of [1, 2, 3, 4]) {
    await surveys.turn(async (slice) => {
      turns.push(slice.survey.id);
      accept(slice, [90 - turns.length], turns.length < 3 ? `${slice.walk.path}&page=2` : undefined);
      return {};
    });
  }
  expect({ turns, remaining: surveys.remaining }).toEqual({ turns: ["a", "a", "a", "b"], remaining: 0 });
});
