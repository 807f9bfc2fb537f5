import { createClient } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import type { StreamRecord } from "../../../../connector/core/streams/column.ts";
import { surveyQuestions } from "../../../../connector/core/streams/survey-questions.ts";
import { surveys } from "../../../../connector/core/streams/surveys.ts";
import { Requests } from "../../../../connector/core/sync/requests.ts";
import { SurveyDirectory } from "../../../../connector/core/sync/survey-directory.ts";
import { readQuestions, readSurveyFacts } from "../../../../connector/core/sync/survey-facts.ts";
import { createSimulatedClock } from "../../../support/clock.ts";
import { streamOf } from "./support/stream.ts";

/** A status, or the body of a good answer. */
type Answer = number | object;
const page = (data: readonly unknown[], next_url?: string) => ({
  data,
  pagination_data: { has_more: next_url !== undefined, next_url },
});

/** What one of the two streams tells of these surveys, of a service that gives these answers. */
async function read(name: "surveys" | "survey_questions", ids: string, answers: Record<string, Answer>) {
  const { stream, channel, warnings } = streamOf(name);
  const clock = createSimulatedClock();
  const counts = { inFlight: 0, most: 0 };
  const paths: string[] = [];
  const transport = async ({ url }: { readonly url: string }) => {
    const path = url.slice("http://service.local/v2".length).replace("?items_per_page=100", "");
    paths.push(path);
    counts.most = Math.max(counts.most, ++counts.inFlight);
    await clock.sleep(1000 * paths.length);
    counts.inFlight--;
    const answer = answers[path] ?? 404;
    const headers = { date: new Date(clock.now()).toUTCString() };
    if (typeof answer === "number") return { status: answer, headers, body: "" };
    return { status: 200, headers, body: JSON.stringify(answer) };
  };
  const host = { clock, log: () => {}, transport };
  const requests = new Requests(createClient(host, { baseUrl: "http://service.local/v2" }), () => {});
  const surveyIds = [...ids];
  const directory = new SurveyDirectory({
    requests,
    clock,
    warnings: stream.warnings,
    surveyIds,
    listed: new Map(),
  });
  const options = { stream, requests, directory, surveyIds };
  const facts =
    name === "surveys"
      ? readSurveyFacts({ ...options, definition: surveys })
      : readQuestions({ ...options, definition: surveyQuestions });
  const reading = facts.then((tell) => {
    requests.end();
    tell(() => false);
    channel.close();
  });
  const records: StreamRecord[] = [];
  for (let entry = await channel.next(); entry; entry = await channel.next()) {
    if (entry.event.type === "records") records.push(...entry.event.records);
    entry.taken();
  }
  await reading;
  const { isIncomplete } = stream;
  return { records, isIncomplete, warnings, paths, most: counts.most };
}

describe("surveys", () => {
  const author = { name: "Ann", email: "a@b.de" };

  it("come from their list, and from their own address if it does not have them, without their authors", async () => {
    const { records, isIncomplete, paths } = await read("surveys", "ab", {
      "/surveys": page([{ id: "x" }, { id: "a", name: "A", more: 1 }]),
      "/surveys/b": { id: "b", name: "B", author, folder: "f" },
    });
    expect([isIncomplete, paths]).toEqual([false, ["/surveys", "/surveys/b"]]);
    expect(records).toMatchObject([
      { id: "a", name: "A", additional_fields: { more: 1 } },
      { id: "b", name: "B", additional_fields: null },
    ]);
  });

  it("are all dated by the first page of their list", async () => {
    const answers = { "/surveys": page([{ id: "a" }], "/surveys?p=2"), "/surveys?p=2": page([{ id: "b" }]) };
    const { records } = await read("surveys", "abc", { ...answers, "/surveys/c": { id: "c" } });
    // The clock begins with 2026, and a second of what it says is not believed.
    const times = records.map(({ collected_at }) => collected_at);
    expect(times).toEqual(Array(3).fill("2025-12-31T23:59:59.000000Z"));
  });

  it("that a list did not come to are asked for, so that a table does not take them for deleted", async () => {
    const answers = { "/surveys": page([{ id: "a" }], "/surveys?p=2"), "/surveys?p=2": 403 };
    const { records, isIncomplete } = await read("surveys", "ab", { ...answers, "/surveys/b": { id: "b" } });
    expect([isIncomplete, records.map(({ id }) => id)]).toEqual([true, ["a", "b"]]);
  });

  it.each([
    ["is not found", 404, false],
    ["is refused", 403, true],
  ])("one that %s: incomplete = %j", async (_, status, isIncomplete) => {
    const told = await read("surveys", "ab", { "/surveys": page([{ id: "a" }]), "/surveys/b": status });
    expect(told).toMatchObject({ isIncomplete, records: [{ id: "a" }] });
  });

  it("are not asked for if there are none", async () => {
    expect(await read("surveys", "", {})).toMatchObject({ paths: [], isIncomplete: false });
  });
});

describe("questions", () => {
  const of = (id: string): string => `/surveys/${id}/questions`;

  it("are numbered over all pages, each once, and dated by the first page", async () => {
    const { records } = await read("survey_questions", "a", {
      [of("a")]: page([{ id: 5 }, { id: 4 }], `${of("a")}?start=4`),
      [`${of("a")}?start=4`]: page([{ id: "4" }, { id: "9" }]),
    });
    expect(records.map(({ id, position }) => [id, position])).toEqual([
      [5, 1],
      [4, 2],
      [9, 3],
    ]);
    expect(new Set(records.map(({ collected_at }) => collected_at)).size).toBe(1);
  });

  it("have null for what the service does not send", async () => {
    const { records } = await read("survey_questions", "a", { [of("a")]: page([{ id: 5 }]) });
    expect(records).toMatchObject([{ type: null, answer_choices: null, columns: null, fields: null }]);
  });

  it("of two surveys are asked for at once, and no more", async () => {
    const answers = Object.fromEntries([..."abcdef"].map((id) => [of(id), page([{ id: 1 }])]));
    const { records, most } = await read("survey_questions", "abcdef", answers);
    expect([records.length, most]).toEqual([6, 2]);
  });

  const GOOD = page([{ id: 1 }]);
  it.each([
    ["a survey is not found", { a: GOOD, b: 404 }, false, 1],
    ["no survey is found", { a: 404, b: 404 }, true, 0],
    ["a survey is refused", { a: GOOD, b: 403 }, true, 0],
    ["a page is not found halfway", { a: GOOD, b: page([{ id: 2 }], `${of("b")}?start=1`) }, true, 0],
    ["a link leads elsewhere", { a: GOOD, b: page([{ id: 2 }], of("c")) }, true, 0],
    ["a list ends with an empty page", { a: GOOD, b: page([], of("b")) }, true, 0],
    ["nine questions have no id", { a: GOOD, b: page(Array(9).fill({ id: "q1" })) }, false, 0],
    ["ten questions have no id", { a: GOOD, b: page(Array(10).fill({ id: "q1" })) }, true, 0],
  ] as const)("%s", async (_, answers, isIncomplete, warned) => {
    const pages = Object.entries(answers).map(([id, answer]) => [of(id), answer]);
    const told = await read("survey_questions", "ab", Object.fromEntries(pages));
    expect(told.isIncomplete).toBe(isIncomplete);
    expect(told.warnings.filter((each) => each.startsWith("questions_not_found"))).toHaveLength(warned);
  });
});
