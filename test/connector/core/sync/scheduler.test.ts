import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { ItemPage } from "../../../../connector/core/lists/item.ts";
import { GoneSurveys } from "../../../../connector/core/sync/gone-surveys.ts";
import type { ListTask, RespondentSource } from "../../../../connector/core/sync/list-task.ts";
import { takeOpen } from "../../../../connector/core/sync/list-task.ts";
import type { OpenRetry } from "../../../../connector/core/sync/open-retry.ts";
import { Scheduler, SurveyTurns } from "../../../../connector/core/sync/scheduler.ts";
import { SurveyList, SurveySliceTask } from "../../../../connector/core/sync/survey-list.ts";
import { Warnings } from "../../../../connector/core/sync/warnings.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const ITEMS_PER_PAGE = 2;

type List = SurveyList<SurveySliceTask>;

/** Surveys with two gaps each: one up to the newest response, and an older one. `lists`: those that were opened. */
function surveys(...ids: string[]) {
  const lists: List[] = [];
  const turns: SurveyTurns = new SurveyTurns(ids, open, ITEMS_PER_PAGE);
  const work = { streams: [], turns, warnings: new Warnings(() => {}), gone: new GoneSurveys() };
  return { turns, lists };

  function open(id: string): List {
    const gaps = [
      { older: null, newer: at(5) },
      { older: at(9), newer: undefined },
    ];
    const list: List = new SurveyList<SurveySliceTask>(
      { id, gaps, edges: new Set(), itemsPerPage: ITEMS_PER_PAGE, attributes: [] },
      (slice, survey) => new SurveySliceTask(survey, slice, work),
    );
    lists.push(list);
    return list;
  }
}

const page = (place: number, next?: string): ItemPage => ({
  items: [{ uuid: `r${place}`, timestamp: at(place), response: {}, survey: undefined, raw: {} }],
  ...{ hasMore: next !== undefined, next, isTooDeep: false, present: PRESENT, isOrdered: true, grain: 1 },
});

/** Any task that is told by its name. */
interface Named extends ListTask {
  readonly name: string;
}
const task = (name: string): Named => ({
  ...{ name, path: `/${name}` },
  ...{ parse: () => undefined, accept: () => [], fail: () => [], returned: () => {} },
});

/** People of one stream by name; `atTheEnd` are to be asked for once more, after `wakeAtMs`. */
function people(
  waiting: string[],
  {
    configured = [],
    atTheEnd = [],
    wakeAtMs,
  }: { configured?: string[]; atTheEnd?: string[]; wakeAtMs?: number } = {},
): RespondentSource {
  const take = (names: string[]) => {
    const name = names.shift();
    return name === undefined ? undefined : task(name);
  };
  return {
    get waiting() {
      return waiting.length;
    },
    next: () => take(waiting),
    nextAtTheEnd: () => take(atTheEnd),
    wakeAtMs,
    addConfigured: () => waiting.push(...configured.splice(0)),
  };
}

/** Pages of open ranges by name; "…" stands for one that is under way. */
const retry = (...names: string[]) => retryOf(names);
function retryOf(names: string[]): OpenRetry {
  const fake: Pick<OpenRetry, "next" | "hasEnded"> = {
    get hasEnded() {
      return names.length === 0;
    },
    next: () => (names.length === 0 || names[0] === "…" ? undefined : task(names.shift()!)),
  };
  return fake as OpenRetry;
}

interface Sources {
  readonly turns?: SurveyTurns;
  readonly people?: readonly RespondentSource[];
  readonly retries?: readonly OpenRetry[];
  readonly inOrder?: boolean;
  readonly bound?: { at: unknown };
}
const scheduler = ({ turns, people: respondents = [], retries = [], inOrder = false, bound }: Sources) =>
  new Scheduler({
    ...{ surveys: turns ?? surveys().turns, retries, respondents, inOrder },
    bound: bound ?? { at: PRESENT },
  });

/** What a task is, in a word: its name, or its survey and the upper end of its slice. */
const named = (given: ListTask | undefined): string | undefined =>
  given instanceof SurveySliceTask
    ? `${given.survey.id} ${given.walk.newer === undefined ? "newest" : "older"}`
    : (given as Named | undefined)?.name;
const next = (plan: Scheduler, count: number, isIdle = false) =>
  Array.from({ length: count }, () => named(plan.next(isIdle, 0)));

describe("the scheduler decides what to request next", () => {
  it("nobody is asked for before the first page of the sync has come (I6)", () => {
    const { turns } = surveys("a", "b");
    const bound: { at: unknown } = { at: undefined };
    const plan = scheduler({ turns, people: [people(["ann"], { configured: ["bob"] })], bound });
    const first = plan.next(true, 0) as SurveySliceTask;
    expect([named(first), ...next(plan, 2)]).toEqual(["a newest", "b newest", undefined]);
    first.accept(page(12));
    first.returned();
    bound.at = PRESENT;
    expect(next(plan, 2)).toEqual(["ann", "a older"]);
  });

  it("if no survey can be read, people come one at a time until the first page has come (I6)", () => {
    const bound: { at: unknown } = { at: undefined };
    const plan = scheduler({ people: [people([], { configured: ["ann", "bob", "cem"] })], bound });
    expect(named(plan.next(true, 0))).toBe("ann");
    expect(next(plan, 1)).toEqual([undefined]);
    expect(named(plan.next(true, 0))).toBe("bob");
    bound.at = PRESENT;
    expect(next(plan, 1)).toEqual(["cem"]);
  });

  it("a stream without people waits for no page", () => {
    const { turns } = surveys("a");
    const plan = scheduler({ turns, bound: { at: undefined } });
    expect(next(plan, 3)).toEqual(["a newest", "a older", undefined]);
  });

  it("people come before surveys, of the stream with most of them waiting", () => {
    const { turns } = surveys("a");
    const plan = scheduler({ turns, people: [people(["ann"]), people(["bob", "cem"])] });
    expect(next(plan, 4)).toEqual(["bob", "ann", "cem", "a newest"]);
  });

  it("a stream with nobody to ask for now holds no other up", () => {
    const stuck: RespondentSource = { ...people([]), waiting: 5, next: () => undefined };
    expect(next(scheduler({ people: [stuck, people(["ann"])] }), 1)).toEqual(["ann"]);
  });

  it("each survey's newest page comes before all other slices, and these in turn", () => {
    const { turns } = surveys("a", "b");
    const plan = scheduler({ turns, inOrder: true });
    const tasks = [1, 2, 3, 4].map(() => plan.next(false, 0) as SurveySliceTask);
    expect(tasks.map(named)).toEqual(["a newest", "b newest", "a older", "b older"]);
    tasks[2]!.accept(page(4, "/surveys/a/responses?next"));
    tasks[0]!.accept(page(12, "/surveys/a/responses?next"));
    tasks[2]!.returned();
    tasks[0]!.returned();
    expect(next(plan, 3)).toEqual(["a older", "a newest", undefined]);
  });

  it("a slice that has had a page comes after the newest pages of all surveys, and after the slices that wait", () => {
    const { turns } = surveys("a", "b");
    const plan = scheduler({ turns, inOrder: true });
    const newest = plan.next(true, 0) as SurveySliceTask;
    newest.accept(page(12, "/surveys/a/responses?next"));
    newest.returned();
    expect(next(plan, 5)).toEqual(["b newest", "a older", "a newest", "b older", undefined]);
  });

  it("a survey is opened at its first turn, and counts as left before", () => {
    const { turns, lists } = surveys("a", "b", "c");
    const plan = scheduler({ turns });
    expect([turns.left, lists.length]).toEqual([3, 0]);
    expect(next(plan, 2)).toEqual(["a newest", "b newest"]);
    expect([turns.left, lists.length]).toEqual([3, 2]);
  });

  it("a newest page that was rejected is asked for without its older bound, before other slices", () => {
    const { turns } = surveys("a");
    const plan = scheduler({ turns });
    const newest = plan.next(true, 0) as SurveySliceTask;
    expect(newest.fail(new SurveyExportError("system", "rejected", say`no`))).toEqual([]);
    newest.returned();
    expect(next(plan, 2)).toEqual(["a newest", "a older"]);
  });

  it("what is open is tried again only after all surveys have ended", () => {
    const { turns } = surveys("a");
    const plan = scheduler({ turns, retries: [retry("page 1", "page 2"), retry("page 3")] });
    const tasks = [1, 2].map(() => plan.next(false, 0) as SurveySliceTask);
    for (const each of tasks) {
      expect(next(plan, 1)).toEqual([undefined]);
      each.accept(page(3));
      each.returned();
    }
    expect(next(plan, 4)).toEqual(["page 1", "page 2", "page 3", undefined]);
  });

  it("a survey that failed has ended", () => {
    const { turns, lists } = surveys("a");
    const plan = scheduler({ turns, retries: [retry("page 1")] });
    const newest = plan.next(false, 0) as SurveySliceTask;
    lists[0]!.stop();
    newest.returned();
    expect(next(plan, 1)).toEqual(["page 1"]);
  });

  it("the people whom the configuration names come once all that is open was tried", () => {
    const pages = ["page 1", "…"];
    const source = people([], { configured: ["ann", "bob"] });
    const plan = scheduler({ retries: [retryOf(pages)], people: [source] });
    expect(next(plan, 2)).toEqual(["page 1", undefined]);
    pages.pop();
    expect(next(plan, 3)).toEqual(["ann", "bob", undefined]);
  });

  it("and are named once", () => {
    let times = 0;
    const source = { ...people([]), addConfigured: () => void times++ };
    next(scheduler({ people: [source] }), 3, true);
    expect(times).toBe(1);
  });

  it("who is asked for once more comes when nothing else is left to request or under way", () => {
    const source = people(["ann"], { configured: ["bob"], atTheEnd: ["ann again"] });
    const plan = scheduler({ people: [source] });
    expect(next(plan, 3)).toEqual(["ann", "bob", undefined]);
    expect(next(plan, 2, true)).toEqual(["ann again", undefined]);
  });

  it("in order, it cuts no slice", () => {
    for (const inOrder of [true, false]) {
      const { turns } = surveys("a");
      const plan = scheduler({ turns, inOrder });
      const tasks = [1, 2].map(() => plan.next(false, 0) as SurveySliceTask);
      const older = tasks[1]!;
      for (const place of [4, 3]) older.accept(page(place, `/surveys/a/responses?after=${place}`));
      expect(next(plan, 1)).toEqual([inOrder ? undefined : "a older"]);
    }
  });
});

it("a slice is cut at the unit of the timestamps that the survey shows", () => {
  const { turns } = surveys("a");
  const plan = scheduler({ turns });
  const newest = plan.next(true, 0) as SurveySliceTask;
  for (const seconds of [14, 11]) {
    const link = `/surveys/a/responses?after=${seconds}`;
    newest.accept({ ...page(seconds * 1_000_000, link), grain: 1_000_000 });
  }
  const older = turns.split() as SurveySliceTask;
  expect([newest.walk.older, older.walk.newer]).toEqual([at(5_000_000), at(4_999_999)]);
});

describe("while nothing is under way, the loop asks again", () => {
  it("at the earliest time that a stream names", () => {
    const sources = [people([], { wakeAtMs: 70_000 }), people([]), people([], { wakeAtMs: 60_000 })];
    expect(scheduler({ people: sources }).wakeAtMs).toBe(60_000);
  });

  it("never if no stream waits for a time", () => {
    expect(scheduler({ people: [people(["ann"])] }).wakeAtMs).toBeUndefined();
    expect(scheduler({}).wakeAtMs).toBeUndefined();
  });
});

it("a list that has ended while it waited for its turn is not requested", () => {
  const [ended, open] = [{ ...task("ann"), path: undefined }, task("bob")];
  const tasks = [ended, open];
  expect([takeOpen(tasks), takeOpen(tasks)]).toEqual([open, undefined]);
});
