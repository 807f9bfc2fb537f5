import { createClient } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import type { StreamRecord } from "../../../../connector/core/streams/column.ts";
import { surveyQuestions } from "../../../../connector/core/streams/survey-questions.ts";
import { surveys } from "../../../../connector/core/streams/surveys.ts";
import { ListFailures } from "../../../../connector/core/sync/list-failures.ts";
import { Requests } from "../../../../connector/core/sync/requests.ts";
import { SurveyDirectory } from "../../../../connector/core/sync/survey-directory.ts";
import { settingsOf } from "../../../../connector/core/sync/sync-options.ts";
import { readQuestions, readSurveys } from "../../../../connector/core/sync/whole-streams.ts";
import { createSimulatedClock } from "../../../support/clock.ts";
import { streamOf } from "./support/stream.ts";

/** A status, or the body of a good answer. */
type Answer = number | object;
const page = (data: readonly unknown[], next_url?: string) => ({
  data,
  pagination_data: { has_more: next_url !== undefined, next_url },
});

/** What one of the two streams tells of these surveys, of a service that gives these answers. */
async function read(
  name: "surveys" | "survey_questions",
  ids: string,
  answers: Record<string, Answer>,
  isEvery = false,
) {
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
  const client = createClient(host, { baseUrl: "http://service.local/v2" });
  const failures = new ListFailures(client, () => {});
  const requests = new Requests(client, failures);
  const surveyIds = [...ids];
  const directory = new SurveyDirectory({
    requests,
    clock,
    warnings: stream.warnings,
    surveyIds: isEvery ? [] : surveyIds,
    listed: new Map(),
    fields: ["name"],
  });
  const settings = settingsOf({
    surveyIds: isEvery ? [] : surveyIds,
    respondentUuids: [],
    streams: new Map(),
  });
  const options = { stream, requests, failures, directory, settings, surveyIds };
  const facts =
    name === "surveys"
      ? readSurveys({ ...options, definition: surveys })
      : readQuestions({ ...options, definition: surveyQuestions });
  const reading = facts.then((tell) => {
    failures.end();
    tell(() => false);
    channel.close();
  });
  const records: StreamRecord[] = [];
  const told: string[] = [];
  for (let entry = await channel.next(); entry; entry = await channel.next()) {
    if (entry.event.type === "records") records.push(...entry.event.records);
    if (entry.event.type === "failure") told.push(entry.event.error.message);
    entry.taken();
  }
  await reading;
  const { isIncomplete } = stream.failures;
  return { records, isIncomplete, failures: told, warnings, paths, most: counts.most };
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

  it("that are named, and that a list did not come to, are asked for: their reading is whole", async () => {
    const answers = { "/surveys": page([{ id: "a" }], "/surveys?p=2"), "/surveys?p=2": 500 };
    const { records, isIncomplete } = await read("surveys", "ab", { ...answers, "/surveys/b": { id: "b" } });
    expect([isIncomplete, records.map(({ id }) => id)]).toEqual([false, ["a", "b"]]);
  });

  it.each([
    ["a page fails", { "/surveys": page([{ id: "a" }], "/surveys?p=2"), "/surveys?p=2": 500 }],
    ["a record has no id", { "/surveys": page([{ id: "a" }, {}]) }],
    ["nothing has an id", { "/surveys": page([{}, { id: {} }]) }],
    ["one that is not listed fails", { "/surveys": page([{ id: "a" }]), "/surveys/b": 500 }],
  ])("none are delivered if %s, so that no table takes the others for deleted", async (_, answers) => {
    const told = await read("surveys", "ab", answers, true);
    expect(told).toMatchObject({ isIncomplete: true, records: [] });
  });

  it("one that is not found is a warning, and the others are delivered", async () => {
    const told = await read("surveys", "ab", { "/surveys": page([{ id: "a" }]), "/surveys/b": 404 });
    const warnings = [expect.stringMatching(/^surveys_not_found: .*"b"/)];
    expect(told).toMatchObject({ isIncomplete: false, records: [{ id: "a" }], warnings });
  });

  it.each([403, 404])(
    "that cannot be listed (%i) are no reason to name surveys: omit the stream",
    async (status) => {
      const { isIncomplete, failures } = await read("surveys", "a", { "/surveys": status });
      expect([isIncomplete, failures]).toEqual([
        true,
        [
          `The service does not list its surveys (status ${status}), so the stream surveys has nothing to read. Omit the stream.`,
        ],
      ]);
    },
  );

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
  const ERROR = ["error"];
  const WARNING = ["warning"];
  it.each([
    ["a survey is not found", { a: GOOD, b: 404 }, WARNING, WARNING],
    ["no survey is found", { a: 404, b: 404 }, ERROR, ERROR],
    ["every survey is refused", { a: 403, b: 403 }, ERROR, ERROR],
    ["a survey is refused", { a: GOOD, b: 403 }, ERROR, WARNING],
    ["a survey fails", { a: GOOD, b: 500 }, ERROR, WARNING],
    [
      "a page is not found halfway",
      { a: GOOD, b: page([{ id: 2 }], `${of("b")}?start=1`) },
      WARNING,
      WARNING,
    ],
    ["a link leads elsewhere", { a: GOOD, b: page([{ id: 2 }], of("c")) }, ERROR, WARNING],
    ["a list ends with an empty page", { a: GOOD, b: page([], of("b")) }, ERROR, WARNING],
    ["nine questions have no id", { a: GOOD, b: page(Array(9).fill({ id: "q1" })) }, [], []],
  ] as const)("%s: what is told if it is named, and if nobody named it", async (_, answers, named, every) => {
    const pages = Object.fromEntries(Object.entries(answers).map(([id, answer]) => [of(id), answer]));
    for (const [isEvery, expected] of [
      [false, named],
      [true, every],
    ] as const) {
      const { isIncomplete, failures, warnings } = await read("survey_questions", "ab", pages, isEvery);
      const warned = warnings.filter((each) => each.startsWith("questions_failed: "));
      const told = [...failures.map(() => "error"), ...warned.map(() => "warning")];
      expect([told, isIncomplete]).toEqual([expected, expected[0] === "error"]);
    }
  });

  it("that are refused for every survey are told of once, with what to do", async () => {
    const { failures } = await read("survey_questions", "ab", { [of("a")]: 403, [of("b")]: 403 });
    expect(failures).toEqual([
      "The service does not give the questions of 2 surveys, which is all of them. The service refuses access with this API key (status 403 to GET /surveys/a/questions?items_per_page=100). Omit the stream survey_questions if this continues.",
    ]);
  });

  it("without ids make the stream incomplete from ten on", async () => {
    const answers = { [of("a")]: GOOD, [of("b")]: page(Array(10).fill({ id: "q1" })) };
    expect(await read("survey_questions", "ab", answers)).toMatchObject({ isIncomplete: true });
  });
});
