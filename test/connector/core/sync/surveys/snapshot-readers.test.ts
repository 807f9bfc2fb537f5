import { createClient, render } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import type { StreamRecord } from "../../../../../connector/core/streams/column.ts";
import { surveyQuestions } from "../../../../../connector/core/streams/survey-questions.ts";
import { surveys } from "../../../../../connector/core/streams/surveys.ts";
import { Ledger } from "../../../../../connector/core/sync/failures/ledger.ts";
import { Silence } from "../../../../../connector/core/sync/failures/silence.ts";
import { Requests } from "../../../../../connector/core/sync/requests.ts";
import {
  QuestionReader,
  SurveyRecordReader,
} from "../../../../../connector/core/sync/surveys/snapshot-readers.ts";
import { SurveyDirectory } from "../../../../../connector/core/sync/surveys/survey-directory.ts";
import { settingsOf } from "../../../../../connector/core/sync/sync-options.ts";
import { createSimulatedClock } from "../../../../support/clock.ts";
import { streamOf } from "../support/stream.ts";

/** A status, or the body of a good answer; or several bodies, one for each request. */
type Answer = number | object | object[];
type Answers = Readonly<Record<string, Answer>>;
const page = (data: readonly unknown[], next_url?: string) => ({
  data,
  pagination_data: { has_more: next_url !== undefined, next_url },
});

interface Look {
  /** Whether every survey is read. Else they are named. */
  readonly isEvery?: boolean;
  /** What the service answers in the second look, if there is one; of a path that is not here, what it answered before. */
  readonly again?: Answers;
  /** The surveys of which responses came: a letter is a survey. */
  readonly found?: string;
}

/** What one of the two readers brings of these surveys, and what it notes, of a service that gives these answers. */
async function read(
  name: "surveys" | "survey_questions",
  ids: string,
  first: Answers,
  { isEvery = false, again, found = "" }: Look = {},
) {
  const { stream, channel, warnings } = streamOf(name);
  const clock = createSimulatedClock();
  const counts = { inFlight: 0, most: 0 };
  let answers = first;
  let paths: string[] = [];
  const transport = async ({ url }: { readonly url: string }) => {
    const path = url.slice("http://service.local/v2".length).replace("?items_per_page=100", "");
    paths.push(path);
    counts.most = Math.max(counts.most, ++counts.inFlight);
    await clock.sleep(1000 * paths.length);
    counts.inFlight--;
    const each = answers[path] ?? 404;
    const answer = Array.isArray(each) ? (each.shift() ?? 404) : each;
    const headers = { date: new Date(clock.now()).toUTCString() };
    if (typeof answer === "number") return { status: answer, headers, body: "" };
    return { status: 200, headers, body: JSON.stringify(answer) };
  };
  const host = { clock, log: () => {}, transport };
  const client = createClient(host, { baseUrl: "http://service.local/v2" });
  const ledger = new Ledger(clock, host.log, true, { onFailed: () => {}, onEnd: () => {} });
  const requests = new Requests(client, ledger, new Silence(client));
  const surveyIds = isEvery ? [] : [...ids];
  const directory = new SurveyDirectory({
    requests,
    clock,
    warnings: stream.warnings,
    surveyIds,
    listed: new Map(),
    fields: ["name"],
  });
  const settings = settingsOf({ surveyIds, respondentUuids: [], streams: new Map() });
  const tools = { stream, requests, ledger, directory, settings };
  const reader =
    name === "surveys"
      ? new SurveyRecordReader({ ...tools, definition: surveys })
      : new QuestionReader({ ...tools, definition: surveyQuestions });
  const records: StreamRecord[] = [];
  /** How many records came in the first look, in the second one, and at the end. */
  const came: number[] = [];
  let pathsOfFirst: readonly string[] = [];
  const reading = (async () => {
    await reader.read([...ids]);
    came.push(records.length);
    if (again) {
      [pathsOfFirst, paths, answers] = [paths, [], { ...first, ...again }];
      requests.beginSecondLook();
      await reader.readAgain();
      came.push(records.length);
    }
    if (reader instanceof SurveyRecordReader) await reader.finish(new Set(found));
    came.push(records.length);
    channel.close();
  })();
  for (let entry = await channel.next(); entry; entry = await channel.next()) {
    if (entry.event.type === "records") records.push(...entry.event.records);
    entry.taken();
  }
  await reading;
  return {
    records,
    came,
    notes: ledger.notes.map(({ part, surveyId, error }) => `${part} ${surveyId ?? ""}: ${error.code}`),
    problems: ledger.problems.map(({ surveyId = "", error }) => `${surveyId}: ${error.code}`),
    errors: [...ledger.notes, ...ledger.problems].map(({ error }) => render(error.whole)),
    streams: [...ledger.notes, ...ledger.problems].flatMap((each) => each.streams),
    unreadable: stream.unreadable?.count ?? 0,
    isDone: reader.isDone,
    warnings,
    /** Of the last look. */
    paths,
    pathsOfFirst,
    most: counts.most,
  };
}

const idsOf = (records: readonly StreamRecord[]) => records.map(({ id }) => id);
const timesOf = (records: readonly StreamRecord[]) => records.map(({ collected_at }) => collected_at);

describe("surveys", () => {
  const author = { name: "Ann", email: "a@b.de" };
  const LIST_OF_A = { "/surveys": page([{ id: "a" }]) };

  it("come from their list, and from their own address if it does not have them, without their authors", async () => {
    const { records, notes, isDone, paths } = await read("surveys", "ab", {
      "/surveys": page([{ id: "x" }, { id: "a", name: "A", more: 1 }]),
      "/surveys/b": { id: "b", name: "B", author, folder: "f" },
    });
    expect([notes, isDone, paths]).toEqual([[], true, ["/surveys", "/surveys/b"]]);
    expect(records).toMatchObject([
      { id: "a", name: "A", additional_fields: { more: 1 } },
      { id: "b", name: "B", additional_fields: null },
    ]);
  });

  it("are all dated by the first page of their list", async () => {
    const answers = { "/surveys": page([{ id: "a" }], "/surveys?p=2"), "/surveys?p=2": page([{ id: "b" }]) };
    const { records } = await read("surveys", "abc", { ...answers, "/surveys/c": { id: "c" } });
    // The clock begins with 2026, and a second of what it says is not believed.
    expect(timesOf(records)).toEqual(Array(3).fill("2025-12-31T23:59:59.000000Z"));
  });

  it("that are named, and that a list did not come to, are asked for: their reading is whole", async () => {
    const answers = { "/surveys": page([{ id: "a" }], "/surveys?p=2"), "/surveys?p=2": 500 };
    const { records, notes } = await read("surveys", "ab", { ...answers, "/surveys/b": { id: "b" } });
    expect([notes, idsOf(records)]).toEqual([[], ["a", "b"]]);
  });

  it.each<[string, Answers, readonly string[], readonly string[]]>([
    [
      "a page fails, which is noted for all streams",
      { "/surveys": page([{ id: "a" }], "/surveys?p=2"), "/surveys?p=2": 500 },
      [],
      [],
    ],
    ["a record has no id", { "/surveys": page([{ id: "a" }, {}]) }, [], [": unreadable_item"]],
    ["one that is not listed fails", { ...LIST_OF_A, "/surveys/b": 500 }, ["record b: unavailable"], []],
    ["one that is not listed is refused", { ...LIST_OF_A, "/surveys/b": 403 }, ["record b: forbidden"], []],
  ])(
    "none are delivered if %s, so that no table takes the others for deleted",
    async (_, answers, ...told) => {
      const { records, notes, problems, streams } = await read("surveys", "ab", answers, {
        isEvery: true,
      });
      expect({ records, notes, problems }).toEqual({
        records: [],
        notes: told[0],
        problems: told[1],
      });
      expect(streams).toEqual(told.flat().map(() => "surveys"));
    },
  );

  it("that are found are delivered at the end if others are not found", async () => {
    const { came, records, notes } = await read("surveys", "abc", {
      ...LIST_OF_A,
      "/surveys/c": { id: "c" },
    });
    expect([came, idsOf(records), notes]).toEqual([[0, 2], ["a", "c"], ["record b: not_found"]]);
  });

  it("none are delivered if one is not found of which responses came", async () => {
    const { came, notes, isDone } = await read("surveys", "ab", LIST_OF_A, { found: "b" });
    expect([came, notes, isDone]).toEqual([[0, 0], ["record b: not_found"], false]);
  });

  it("none are delivered if one is not found, and another one fails", async () => {
    const { records, notes } = await read("surveys", "abc", { ...LIST_OF_A, "/surveys/c": 500 });
    expect([records, notes]).toEqual([[], ["record b: not_found", "record c: unavailable"]]);
  });

  it.each([403, 404])(
    "that cannot be listed (%i) are no reason to name surveys: omit the stream",
    async (status) => {
      const { notes, errors, streams, records } = await read("surveys", "a", { "/surveys": status });
      expect([notes.length, streams, records]).toEqual([1, ["surveys"], []]);
      expect(errors).toEqual([
        `The service does not list its surveys (status ${status}), so the stream surveys has nothing to read. Omit the stream.`,
      ]);
    },
  );

  it("are not asked for if there are none", async () => {
    expect(await read("surveys", "", {})).toMatchObject({ paths: [], notes: [], records: [], isDone: true });
  });

  describe("in the second look", () => {
    it("that failed are asked for once more, and all come at once, under one time", async () => {
      const told = await read(
        "surveys",
        "abc",
        { ...LIST_OF_A, "/surveys/b": 500 },
        { again: { "/surveys/b": { id: "b" }, "/surveys/c": { id: "c" } } },
      );
      expect(told).toMatchObject({ came: [0, 0, 3], notes: [], paths: ["/surveys/b", "/surveys/c"] });
      expect(idsOf(told.records)).toEqual(["a", "b", "c"]);
      expect(timesOf(told.records)).toEqual(Array(3).fill("2025-12-31T23:59:59.000000Z"));
    });

    it("that were read well are asked for no more, and come once", async () => {
      const answers = { ...LIST_OF_A, "/surveys/b": { id: "b" } };
      const told = await read("surveys", "ab", answers, { again: { "/surveys/b": 500 } });
      expect(told).toMatchObject({ came: [2, 2, 2], notes: [], paths: [] });
    });

    it("that fail again, twice, are noted, and none come", async () => {
      const told = await read("surveys", "ab", { ...LIST_OF_A, "/surveys/b": 500 }, { again: {} });
      expect(told).toMatchObject({
        came: [0, 0, 0],
        notes: ["record b: unavailable"],
        paths: ["/surveys/b", "/surveys/b"],
      });
    });

    it("are asked for until ten requests failed alike, and what was not asked for stays noted", async () => {
      const { notes, paths } = await read(
        "surveys",
        "abcdefghijklm",
        { "/surveys": page([]) },
        { again: {} },
      );
      expect([notes.length, paths.length]).toEqual([13, 10]);
    });

    it("that are named come if their list was not there at first", async () => {
      const told = await read(
        "surveys",
        "ab",
        { "/surveys": 403, "/surveys/b": { id: "b" } },
        { again: LIST_OF_A },
      );
      expect(told).toMatchObject({
        pathsOfFirst: ["/surveys"],
        paths: ["/surveys", "/surveys/b"],
        notes: [],
      });
      expect(idsOf(told.records)).toEqual(["a", "b"]);
    });
  });
});

describe("questions", () => {
  const of = (id: string): string => `/surveys/${id}/questions`;
  const GOOD = page([{ id: 1 }]);

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
    expect(new Set(timesOf(records)).size).toBe(1);
  });

  it("have null for what the service does not send", async () => {
    const { records } = await read("survey_questions", "a", { [of("a")]: page([{ id: 5 }]) });
    expect(records).toMatchObject([{ type: null, answer_choices: null, columns: null, fields: null }]);
  });

  it("of two surveys are asked for at once, and no more", async () => {
    const answers = Object.fromEntries([..."abcdef"].map((id) => [of(id), GOOD]));
    const { records, most, isDone } = await read("survey_questions", "abcdef", answers);
    expect([records.length, most, isDone]).toEqual([6, 2, true]);
  });

  it.each<[string, Answer, readonly string[], readonly string[], number]>([
    ["is not found", 404, ["questions b: not_found"], [], 1],
    ["is refused", 403, ["questions b: forbidden"], [], 1],
    ["fails", 500, ["questions b: unavailable"], [], 1],
    ["is not found halfway", page([{ id: 2 }], `${of("b")}?start=1`), ["questions b: not_found"], [], 2],
    ["has a link that leads elsewhere", page([{ id: 2 }], of("c")), [], ["b: refused_link"], 2],
    ["has an empty page with its own link", page([], of("b")), [], ["b: broken_answer"], 1],
    ["leads in a circle", page([{ id: 2 }], of("b")), [], ["b: broken_answer"], 2],
  ])(
    "of a survey whose list %s are noted, and the others come",
    async (_, answer, notes, problems, count) => {
      const told = await read("survey_questions", "ab", { [of("a")]: GOOD, [of("b")]: answer });
      expect(told).toMatchObject({ notes, problems, streams: ["survey_questions"], isDone: true });
      expect(told.records).toHaveLength(count);
    },
  );

  it("after a wrong end of a full page, or a page that was empty once, come", async () => {
    const [full, second, third] = [Array.from({ length: 100 }, (_, id) => ({ id })), "?start=2", "?start=3"];
    const { records, paths, notes, problems } = await read("survey_questions", "a", {
      [of("a")]: [page(full), page(full, of("a") + second)],
      [of("a") + second]: [page([], of("a") + third), page([{ id: 100 }], of("a") + third)],
      [of("a") + third]: page([{ id: 101 }]),
    });
    expect(paths).toEqual(["", "", second, second, third].map((query) => of("a") + query));
    expect([notes, problems]).toEqual([[], []]);
    expect(records.map(({ id, position }) => [id, position])).toEqual(
      Array.from({ length: 102 }, (_, id) => [id, id + 1]),
    );
  });

  it("without ids are counted as items that cannot be read", async () => {
    const answers = { [of("a")]: GOOD, [of("b")]: page(Array(10).fill({ id: "q1" })) };
    expect(await read("survey_questions", "ab", answers)).toMatchObject({
      unreadable: 10,
      notes: [],
      problems: [],
    });
  });

  describe("in the second look", () => {
    it("come from where their list failed, so that nothing comes twice, and with the same time", async () => {
      const [second, third] = ["2", "3"].map((name) => `${of("a")}?start=${name}`) as [string, string];
      const told = await read(
        "survey_questions",
        "ab",
        {
          [of("a")]: page([{ id: 1 }, { id: 2 }], second),
          [second]: page([{ id: 3 }], third),
          [third]: 500,
          [of("b")]: GOOD,
        },
        { again: { [third]: page([{ id: 3 }, { id: 4 }]) } },
      );
      expect(told).toMatchObject({ came: [4, 5, 5], notes: [], paths: [third] });
      const ofA = told.records.filter(({ survey_id }) => survey_id === "a");
      expect(ofA.map(({ id, position }) => [id, position])).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 4],
      ]);
      expect(new Set(timesOf(ofA)).size).toBe(1);
    });

    it("are asked for twice, and noted as they fail then", async () => {
      const told = await read(
        "survey_questions",
        "ab",
        { [of("a")]: 403, [of("b")]: GOOD },
        { again: { [of("a")]: 500 } },
      );
      expect(told).toMatchObject({ notes: ["questions a: unavailable"], paths: [of("a"), of("a")] });
    });

    it("that were asked to wait until others were answered are not asked for again", async () => {
      const answers = { [of("a")]: 503, [of("b")]: 403, "/surveys?items_per_page=1": page([]) };
      const told = await read("survey_questions", "ab", answers, { again: {} });
      expect(told).toMatchObject({ paths: [of("b")] });
      expect(told.notes.toSorted()).toEqual(["questions a: unavailable", "questions b: forbidden"]);
    });

    it("end when ten requests failed alike, and what was not asked for stays noted", async () => {
      const told = await read("survey_questions", "abcdefghijklmnopqrst", {}, { again: {} });
      // Two are asked for at once.
      expect([told.notes.length, told.paths.length]).toEqual([20, 11]);
    });
  });
});
