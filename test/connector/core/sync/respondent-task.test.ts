import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { Person } from "../../../../connector/core/sync/people.ts";
import { HELD_ALL } from "../../../../connector/core/sync/people-read.ts";
import type { RespondentList, RespondentPage } from "../../../../connector/core/sync/respondent-list.ts";
import { type RespondentReader, RespondentTask } from "../../../../connector/core/sync/respondent-task.ts";
import { render, say } from "../../../../connector/core/text/message.ts";
import { PRESENT } from "../coverage/support/timestamps.ts";

const PAGE: RespondentPage = { records: [], problems: [], warning: undefined, hasHole: false };

/** The list of Ann as a task, with so many pages. `told`: what its stream is told, in order. */
function reading(
  pages: number,
  { hasOtherWay = false, open }: { hasOtherWay?: boolean; open?: () => never } = {},
) {
  let left = pages;
  const list: RespondentList = {
    get path() {
      return left > 0 ? "/respondents/ann" : undefined;
    },
    parse: () => () => {
      left--;
      return PAGE;
    },
    replaceLink: () => hasOtherWay,
    ...{ holds: () => true, held: HELD_ALL },
  };
  const told: unknown[] = [];
  const stream = {
    records: () => ({ type: "records" }),
    found: () => told.push("found"),
    answered: () => told.push("answered"),
    personFailed: (_: Person, error: SurveyExportError) => {
      told.push(error);
      return [];
    },
  } as unknown as RespondentReader;
  const task = new RespondentTask(stream, { spelling: "ann" } as Person, open ?? (() => list), false);
  const take = (count: number): void => {
    for (let page = 0; page < count; page++) task.accept(task.parse("", PRESENT));
  };
  return { task, told, take };
}
const failure = (
  code: "not_found" | "unavailable" | "invalid_configuration",
  scope: "list" | "run" = "list",
) => new SurveyExportError("config", code, say`It failed.`, { scope, status: 404 });

it("a respondent counts as found once, at the first page of their list", () => {
  const { take, told } = reading(3);
  expect(told).toEqual([]);
  take(1);
  expect(told).toEqual(["found"]);
  take(2);
  expect(told).toEqual(["found", "answered"]);
});

describe("a respondent's list that fails", () => {
  it("goes on without its link, unless every request meets the failure", () => {
    const { task, told, take } = reading(3, { hasOtherWay: true });
    take(1);
    expect([task.fail(failure("unavailable"), 0), task.path]).toEqual([[], "/respondents/ann"]);
    const ofAll = failure("unavailable", "run");
    task.fail(ofAll, 0);
    expect([told, task.path]).toEqual([["found", ofAll], undefined]);
  });

  it("after some pages ends with that failure", () => {
    const { task, told, take } = reading(3);
    take(2);
    const error = failure("unavailable");
    task.fail(error, 0);
    expect(told).toEqual(["found", error]);
  });

  it("after some pages because it is not found any more is worth another sync, and says so", () => {
    const { task, told, take } = reading(3);
    take(2);
    task.fail(failure("not_found"), 0);
    const [, error] = told as [string, SurveyExportError];
    expect([error.kind, error.code]).toEqual(["transient", "not_found"]);
    expect(render(error.facts)).toBe('Respondent "ann" was not found any more after 2 pages (status 404).');
  });

  it("because the id cannot be part of a URL fails alone, like any other", () => {
    const error = failure("invalid_configuration");
    const { task, told } = reading(1, {
      open: () => {
        throw error;
      },
    });
    expect(() => task.path).toThrow(error);
    expect([task.fail(error, 0), told]).toEqual([[], [error]]);
  });
});
