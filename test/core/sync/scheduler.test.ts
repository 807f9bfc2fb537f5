import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../connector/core/errors.ts";
import { type ItemPage, UnreadableItem } from "../../../connector/core/lists/item.ts";
import type { ListTask } from "../../../connector/core/sync/list-task.ts";
import { type RespondentSource, Scheduler } from "../../../connector/core/sync/scheduler.ts";
import { SurveyList } from "../../../connector/core/sync/survey-list.ts";
import { SurveySliceTask } from "../../../connector/core/sync/survey-slice-task.ts";
import { Warnings } from "../../../connector/core/sync/warnings.ts";
import { at, PRESENT } from "../coverage/timestamps.ts";

const MINUTE_MS = 60_000;

function surveyList(id: string): SurveyList<SurveySliceTask> {
  const gaps = [
    { older: null, newer: at(5) },
    { older: at(9), newer: undefined },
  ];
  return new SurveyList<SurveySliceTask>(
    { id, gaps, edges: new Set(), itemsPerPage: 2, attributes: [] },
    (slice, survey) => new SurveySliceTask(survey, slice, [], new Warnings(() => {}, false)),
  );
}

const page = (place: number, next?: string): ItemPage => ({
  items: [{ uuid: `r${place}`, timestamp: at(place), response: {}, survey: undefined, raw: {} }],
  ...{ hasMore: next !== undefined, next, isTooDeep: false, present: PRESENT, grain: 1 },
});

/** Respondents by name, whose lists are one page each; a name with "?" is to be asked again later. */
function respondents(...names: string[]): RespondentSource & { readonly taken: string[] } {
  const taken: string[] = [];
  return {
    taken,
    get length() {
      return names.length;
    },
    next() {
      const name = names.shift()!;
      taken.push(name);
      const task: ListTask & { readonly name: string } = {
        ...{ name, path: name.includes("?") ? `/${name}` : undefined, comesLater: name.includes("?") },
        ...{ parse: () => undefined, accept: () => [], fail: () => [] },
      };
      return task;
    },
  };
}

const scheduler = (
  surveys: readonly SurveyList<SurveySliceTask>[],
  sources: readonly RespondentSource[],
  inOrder = false,
) => new Scheduler({ surveys, respondents: sources, itemsPerPage: 2, inOrder });
/** What a task is, in a word: its survey and the upper end of its slice, or the respondent. */
const named = (task: ListTask | undefined): string | undefined =>
  task === undefined
    ? undefined
    : "survey" in task
      ? `${(task as SurveySliceTask).survey.id} ${(task as SurveySliceTask).walk.newer === undefined ? "newest" : "older"}`
      : (task as ListTask & { name: string }).name;

describe("the scheduler decides what to request next", () => {
  it("first the newest page of every survey, and nothing else until all of them have come (I6)", () => {
    const [a, b] = [surveyList("a"), surveyList("b")];
    const source = respondents("ann");
    const plan = scheduler([a, b], [source]);
    const first = plan.next(true, 0) as SurveySliceTask;
    const second = plan.next(false, 0) as SurveySliceTask;
    expect([named(first), named(second), named(plan.next(false, 0))]).toEqual([
      "a newest",
      "b newest",
      undefined,
    ]);
    first.accept(page(12, "/surveys/a/responses?next"));
    plan.returned(first, 0);
    expect(plan.next(false, 0)).toBeUndefined();
    second.accept(page(11));
    plan.returned(second, 0);
    expect(source.taken).toEqual([]);
    expect(named(plan.next(false, 0))).toBe("ann");
  });

  it.each([
    ["is empty and says that there is more", { items: [] }],
    ["holds only a response that cannot be read", { items: [new UnreadableItem(undefined, "")] }],
    ["holds only a response from the future", { present: at(11) }],
  ])("nobody is asked for while a survey's newest page %s (I6)", (_, difference) => {
    const source = respondents("ann");
    const plan = scheduler([surveyList("a")], [source]);
    const newest = plan.next(true, 0) as SurveySliceTask;
    newest.accept({ ...page(12, "/surveys/a/responses?items_per_page=2&place=2"), ...difference });
    plan.returned(newest, 0);
    expect(plan.next(true, 0)).toBe(newest);
    expect(plan.next(false, 0)).toBeUndefined();
    newest.accept(page(10));
    plan.returned(newest, 0);
    expect(named(plan.next(false, 0))).toBe("ann");
  });

  it("after ten pages that do not say how far up the sync covers a survey, nobody waits, and it covers it up to the present of the first page (I6)", () => {
    const source = respondents("ann");
    const survey = surveyList("a");
    const plan = scheduler([survey], [source]);
    const newest = plan.next(true, 0) as SurveySliceTask;
    for (let number = 1; number <= 10; number++) {
      expect(source.taken).toEqual([]);
      newest.accept({
        ...page(100 - number, `/surveys/a/responses?items_per_page=2&place=${number}`),
        ...{ present: at(20) },
      });
      plan.returned(newest, 0);
      if (number < 10) expect(plan.next(true, 0)).toBe(newest);
    }
    expect(named(plan.next(true, 0))).toBe("ann");
    newest.accept(page(30, "/surveys/a/responses?items_per_page=2&place=11"));
    expect(survey.newestSeen).toBe(at(20));
  });

  it("a newest page that was rejected is asked for without its older bound, before everything else", () => {
    const plan = scheduler([surveyList("a")], [respondents("ann")]);
    const newest = plan.next(true, 0) as SurveySliceTask;
    expect(newest.fail(new SurveyExportError("system", "rejected", "no"))).toEqual([]);
    plan.returned(newest, 0);
    expect(plan.next(true, 0)).toBe(newest);
  });

  it("without respondents it goes on with older gaps while a newest page is still to come", () => {
    const plan = scheduler([surveyList("a")], []);
    expect(["a newest", "a older", undefined]).toEqual([
      named(plan.next(true, 0)),
      named(plan.next(false, 0)),
      named(plan.next(false, 0)),
    ]);
  });

  it("a survey that failed holds nobody up", () => {
    const [a, b] = [surveyList("a"), surveyList("b")];
    const plan = scheduler([a, b], [respondents("ann")]);
    const first = plan.next(true, 0) as SurveySliceTask;
    const second = plan.next(false, 0) as SurveySliceTask;
    second.accept(page(11));
    plan.returned(second, 0);
    a.stop();
    plan.returned(first, 0);
    expect([named(plan.next(false, 0)), named(plan.next(false, 0)), named(plan.next(false, 0))]).toEqual([
      "ann",
      "b older",
      undefined,
    ]);
  });

  it("respondents before surveys, of the stream with most of them waiting", () => {
    const [few, many] = [respondents("ann"), respondents("bob", "cem")];
    const plan = scheduler([], [few, many]);
    expect([1, 2, 3].map(() => named(plan.next(false, 0)))).toEqual(["bob", "ann", "cem"]);
  });

  it("a task that comes later waits a minute, or until nothing else is left", () => {
    for (const [isIdle, atMs, expected] of [
      [false, MINUTE_MS - 1, undefined],
      [false, MINUTE_MS, "ann?"],
      [true, 1, "ann?"],
    ] as const) {
      const plan = scheduler([], [respondents("ann?")]);
      plan.returned(plan.next(true, 0)!, 0);
      expect(named(plan.next(isIdle, atMs))).toBe(expected);
    }
  });

  it("in order, it cuts no slice", () => {
    const plan = scheduler([surveyList("a")], [], true);
    expect([1, 2, 3].map(() => named(plan.next(false, 0)))).toEqual(["a newest", "a older", undefined]);
  });
});

/** A respondent's list; `path` becomes undefined when its stream is given up. */
function listOf(id: string, comesLater: boolean) {
  const list = { path: `/respondents/${id}/responses` as string | undefined, comesLater };
  return { ...list, parse: () => {}, accept: () => [], fail: () => [] } satisfies ListTask & typeof list;
}

describe("a list that has ended while it waited for its turn", () => {
  it.each([true, false])("is not requested (comes later: %s)", (comesLater) => {
    const lists = scheduler([], []);
    const [given, kept] = [listOf("ann", comesLater), listOf("bob", comesLater)];
    lists.returned(given, 0);
    lists.returned(kept, 0);
    given.path = undefined;
    expect(lists.next(true, 2 * MINUTE_MS)).toBe(kept);
    expect(lists.next(true, 2 * MINUTE_MS)).toBeUndefined();
  });
});
