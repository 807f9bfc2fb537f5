import { describe, expect, it } from "vitest";
import type { ListTask } from "../../../connector/core/sync/list-task.ts";
import { Scheduler } from "../../../connector/core/sync/scheduler.ts";

/** A respondent's list; `path` becomes undefined when its stream is given up. */
function listOf(id: string, comesLater: boolean) {
  const list = { path: `/respondents/${id}/responses` as string | undefined, comesLater };
  return { ...list, parse: () => {}, accept: () => [], fail: () => [] } satisfies ListTask & typeof list;
}

describe("a list that has ended while it waited for its turn", () => {
  it.each([true, false])("is not requested (comes later: %s)", (comesLater) => {
    const scheduler = new Scheduler({ surveys: [], respondents: [], itemsPerPage: 100, inOrder: false });
    const [given, kept] = [listOf("ann", comesLater), listOf("bob", comesLater)];
    scheduler.returned(given, 0);
    scheduler.returned(kept, 0);
    given.path = undefined;
    expect(scheduler.next(true, 120_000)).toBe(kept);
    expect(scheduler.next(true, 120_000)).toBeUndefined();
  });
});
