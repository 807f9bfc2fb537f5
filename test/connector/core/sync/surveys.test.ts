import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { type Slice, SurveyList } from "../../../../connector/core/sync/survey-list.ts";
import { Surveys } from "../../../../connector/core/sync/surveys.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

/** Surveys of which everything is to be read, down to microsecond 0. `opened`: those whose turn has come. */
function surveysOf(ids: readonly string[], inOrder = false) {
  const opened: string[] = [];
  const open = (id: string): SurveyList => {
    opened.push(id);
    const gaps = [{ older: at(0), newer: undefined }];
    return new SurveyList({ id, gaps, edges: new Set(), itemsPerPage: 2, attributes: [] });
  };
  const surveys = new Surveys({ ids, open, itemsPerPage: 2, inOrder });
  const comes = (slice: Slice, places: readonly number[], next?: string, goesOn = false): void => {
    const data = places.map((place) => ({ uuid: `r${place}`, collected_at: at(place) }));
    const pagination_data = next === undefined ? { has_more: false } : { has_more: true, next_url: next };
    const body = JSON.stringify({ pagination_data, data });
    slice.survey.accept(slice, slice.survey.parse(slice, body, PRESENT));
    surveys.cameBack(slice, goesOn);
  };
  const next = (): Slice => {
    const slice = surveys.next();
    if (slice === undefined) throw new Error("there is no slice");
    return slice;
  };
  return { surveys, opened, comes, next };
}
const link = (id: string): string => `/surveys/${id}/responses?page=2`;

describe("which page comes next", () => {
  it("is one of a survey that is being read, in turn, before another is opened", () => {
    const { opened, comes, next } = surveysOf(["s", "t", "u"]);
    const [s, t] = [next(), next()];
    for (const slice of [s, t]) comes(slice, [99, 98], link(slice.survey.id));
    expect(next()).toBe(s);
    comes(s, [97, 96], link("s"));
    expect([next(), next(), opened]).toEqual([t, s, ["s", "t"]]);
    expect([next().survey.id, opened.length]).toEqual(["u", 3]);
  });

  it.each([
    [false, true],
    [true, false],
  ])(
    "is one of the older part of a slice if nothing else is left, unless surveys are read in order: %s",
    (inOrder, isCut) => {
      const { surveys, comes, next } = surveysOf(["s"], inOrder);
      const slice = next();
      expect(surveys.next(), "nothing is known of it yet").toBeUndefined();
      comes(slice, [99, 98], link("s"), true);
      const lower = surveys.next();
      expect(lower?.survey === slice.survey).toBe(isCut);
      expect(lower?.walk.newer !== undefined && lower.walk.newer < at(98)).toBe(isCut);
    },
  );

  it("may be another one when a page came back, or when what it led to is done", async () => {
    const { surveys, comes, next } = surveysOf(["s"]);
    const slice = next();
    let changes = 0;
    const count = (): void => void changes++;
    void surveys.change.then(count);
    comes(slice, [9, 8], link("s"), true);
    await Promise.resolve();
    expect(changes).toBe(1);
    void surveys.change.then(count);
    surveys.done(slice);
    await Promise.resolve();
    expect(changes).toBe(2);
  });
});

describe("a survey is left", () => {
  it("until its last page came, whoever still is read because of that", () => {
    const { surveys, comes, next } = surveysOf(["s", "t"]);
    expect(surveys.left).toBe(2);
    comes(next(), [9], undefined, true);
    expect([surveys.left, surveys.pages, [...surveys.readWhole]]).toEqual([1, 1, ["s"]]);
  });

  it("until it failed, and then it was not read whole", () => {
    const { surveys, next } = surveysOf(["s"]);
    const slice = next();
    slice.survey.stop(new SurveyExportError("transient", "unavailable", say`It failed.`));
    surveys.cameBack(slice, false);
    expect([surveys.left, surveys.readWhole.size, surveys.next()]).toEqual([0, 0, undefined]);
  });
});
