import { describe, expect, it } from "vitest";
import type { Gap } from "../../../../connector/core/coverage/coverage.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { GoneSurveys } from "../../../../connector/core/sync/gone-surveys.ts";
import type { StreamProgress } from "../../../../connector/core/sync/stream-progress.ts";
import { SurveyList, SurveySliceTask } from "../../../../connector/core/sync/survey-list.ts";
import { Warnings } from "../../../../connector/core/sync/warnings.ts";
import { render, say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const link = (name: string): string => `/surveys/s/responses?${name}`;
/** A page of responses, with the microsecond of each. */
const body = (items: Readonly<Record<string, number>>, next?: string): string =>
  JSON.stringify({
    pagination_data: { has_more: next !== undefined, ...(next && { next_url: next }) },
    data: Object.entries(items).map(([uuid, micros]) => ({ uuid, collected_at: at(micros) })),
  });

/** One survey whose pages go to one stream that keeps what it is told. */
function reading(gaps: readonly Gap[] = [{ older: null, newer: undefined }]) {
  const logged: string[] = [];
  const told: unknown[] = [];
  const returned: SurveySliceTask[] = [];
  const stream = {
    acceptSurveyPage: (id: string, page: { items: readonly { uuid: string }[] }, newestSeen: string) => {
      told.push({ id, items: page.items.map(({ uuid }) => uuid), newestSeen });
      return [{ type: "records" }];
    },
    failed: (error: SurveyExportError, id: string) => [{ type: "failure", error, id }],
  } as unknown as StreamProgress;
  const warnings = new Warnings((_, message, code) => logged.push(`${code}: ${render(message)}`));
  const survey = new SurveyList<SurveySliceTask>(
    { id: "s", gaps, edges: new Set(), itemsPerPage: 2, attributes: [] },
    (slice, list) =>
      new SurveySliceTask(list, slice, {
        ...{ streams: [stream], warnings, gone: new GoneSurveys() },
        ...{ turns: { returned: (task) => void returned.push(task) } },
      }),
  );
  const take = (task: SurveySliceTask, text: string, present = PRESENT) =>
    task.accept(task.parse(text, present));
  const [slice] = survey.slices as [SurveySliceTask];
  return { survey, slice, logged, told, returned, take };
}
const failure = (
  code: "rejected" | "unavailable" | "not_found" | "refused_link",
  scope: "list" | "run" = "list",
) => new SurveyExportError("transient", code, say`It failed.`, { scope, status: 404 });
/** What a failure becomes, with its sentence. */
const sentences = (events: readonly unknown[]) =>
  (events as { error: SurveyExportError; id: string }[]).map(({ error, id }) => [
    error.kind,
    id,
    error.message,
  ]);

describe("a survey's list", () => {
  it("has a slice for each gap, the newest first, and is over when all were read", () => {
    const { survey, take } = reading([
      { older: null, newer: at(3) },
      { older: at(7), newer: undefined },
    ]);
    const [newest, oldest] = survey.slices as [SurveySliceTask, SurveySliceTask];
    expect([newest.walk.older, oldest.walk.older]).toEqual([at(7), null]);
    take(newest, body({ a: 9 }));
    expect([survey.slices, survey.pages]).toEqual([[oldest], 1]);
    expect([survey.isOpen(newest), newest.path, survey.isOpen(oldest)]).toEqual([false, undefined, true]);
    take(oldest, body({}));
    expect([survey.slices, survey.pages]).toEqual([[], 2]);
  });

  it("knows the newest response that is not from the future, and the unit of all timestamps", () => {
    const { survey, told, take, slice } = reading();
    expect(survey.grain).toBe(1_000_000);
    take(slice, body({ f: 9, a: 7 }, link("2")), at(8));
    expect([survey.newestSeen, survey.grain]).toEqual([at(7), 1]);
    take(slice, body({ b: 5 }), at(8));
    expect(told).toEqual([
      { id: "s", items: ["f", "a"], newestSeen: at(7) },
      { id: "s", items: ["b"], newestSeen: at(7) },
    ]);
  });

  it("counts a response of the very present as its newest", () => {
    const { survey, take, slice } = reading();
    take(slice, body({ a: 8, b: 7 }), at(8));
    expect(survey.newestSeen).toBe(at(8));
  });

  it("has read a slice if a page from above it holds a response from below it: nothing is in between", () => {
    const { survey, take, slice } = reading([{ older: at(3), newer: undefined }]);
    const older = survey.split({ slice, at: at(20) });
    const oldest = survey.split({ slice: older, at: at(10) });
    take(slice, body({ a: 30, b: 7 }, link("2")));
    expect(survey.slices).toEqual([oldest]);
  });

  it("is cut into slices, of which the older ones are over when a page shows that nothing is in them", () => {
    const { survey, take, slice } = reading();
    const older = survey.split({ slice, at: at(20) });
    const oldest = survey.split({ slice: older, at: at(10) });
    expect(survey.slices).toEqual([slice, older, oldest]);
    expect(survey.slices.map(({ walk }) => [walk.older, walk.newer])).toEqual([
      [at(20), undefined],
      [at(10), at(19)],
      [null, at(9)],
    ]);
    expect(survey.slices.map(({ cutPages }) => cutPages)).toEqual([6, 12, 12]);
    take(slice, body({ a: 30 }));
    expect(survey.slices).toEqual([]);
  });

  it("that was given up requests nothing and takes nothing more", () => {
    const { survey, told, take, slice } = reading();
    survey.stop();
    expect([survey.slices, slice.path, survey.isOpen(slice)]).toEqual([[], undefined, false]);
    expect([take(slice, body({ a: 5 })), slice.fail(failure("unavailable")), told]).toEqual([[], [], []]);
  });
});

describe("a slice as a unit of work", () => {
  it("tells each stream of its page, and then of what is wrong with it", () => {
    const { take, slice } = reading();
    const events = take(slice, body({ a: 5, "": 4 }));
    expect(events.map(({ type }) => type)).toEqual(["records", "failure"]);
    expect(events[1]).toMatchObject({ id: "s", error: { code: "unreadable_item" } });
  });

  it("warns of an empty page, and of a response that is more than a minute ahead", () => {
    const { logged, take, slice } = reading();
    take(slice, body({ a: 61_000_001, b: 61_000_000 }, link("2")), at(1_000_000));
    take(slice, body({}, link("3")), at(1_000_000));
    expect(logged).toEqual([
      expect.stringMatching(/^future_response: Survey "s" holds a response dated 20.*:01:01\.000001Z, later/),
      expect.stringMatching(/^empty_page: The list of survey "s" holds an empty page/),
    ]);
    const other = reading();
    take(other.survey.slices[0]!, body({ a: 61_000_000 }), at(1_000_000));
    expect(other.logged).toEqual([]);
  });

  it("goes back to its turn", () => {
    const { returned, slice } = reading();
    slice.returned();
    expect(returned).toEqual([slice]);
  });

  it("asks without its end if the service rejects that, and gives the survey up if it goes on", () => {
    const { survey, slice } = reading([{ older: at(3), newer: undefined }]);
    const before = slice.path;
    expect(slice.fail(failure("rejected"))).toEqual([]);
    expect(slice.path).not.toBe(before);
    expect(sentences(slice.fail(failure("rejected")))).toEqual([["transient", "s", "It failed."]]);
    expect(survey.slices).toEqual([]);
  });

  it.each([
    ["unavailable", [], ["link_replaced: A link to the next page of survey"]],
    ["refused_link", [["transient", "s", "It failed."]], []],
  ] as const)(
    "goes on without a link that failed, and says so once it has: %s",
    (code, failures, warnings) => {
      const { survey, logged, take, slice } = reading();
      take(slice, body({ a: 9, b: 5 }, link("2")));
      expect(slice.path).toBe(link("2"));
      expect(sentences(slice.fail(failure(code)))).toEqual(failures);
      expect(logged).toEqual([]);
      expect(slice.path).toContain("start=");
      expect(survey.slices).toEqual([slice]);
      take(slice, body({ b: 5, c: 4 }, link("3")));
      expect(logged).toEqual(warnings.map((each) => expect.stringContaining(each)));
    },
  );

  it("ends at a refused link that has no other way, and the survey's other slices go on", () => {
    const { survey } = reading([
      { older: null, newer: at(3) },
      { older: at(7), newer: undefined },
    ]);
    const [slice, other] = survey.slices as [SurveySliceTask, SurveySliceTask];
    expect(sentences(slice.fail(failure("refused_link")))).toEqual([["transient", "s", "It failed."]]);
    expect(survey.slices).toEqual([other]);
  });

  it("does not go on after a failure that every request meets", () => {
    const { survey, take, slice } = reading();
    take(slice, body({ a: 9, b: 5 }, link("2")));
    expect(sentences(slice.fail(failure("unavailable", "run")))).toEqual([["transient", "s", "It failed."]]);
    expect(survey.slices).toEqual([]);
  });

  it("says that a survey is not found, and whether it was found before", () => {
    const { survey } = reading();
    expect(sentences(survey.slices[0]!.fail(failure("not_found")))).toEqual([
      [
        "config",
        "s",
        'Survey "s" was not found (status 404). Remove it from survey_ids or correct the id. This does not affect the other surveys.',
      ],
    ]);
    const later = reading();
    const [slice] = later.survey.slices as [SurveySliceTask];
    later.take(slice, body({ a: 9, b: 5 }, link("2")));
    slice.fail(failure("unavailable"));
    expect(sentences(slice.fail(failure("not_found")))).toEqual([
      [
        "transient",
        "s",
        'Survey "s" was not found any more after 1 page (status 404). The responses read so far were delivered; the next sync continues there. If it goes on, ask the service.',
      ],
    ]);
  });
});
