import type { HttpResponse, StreamName } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import type { Dialect } from "../support/list-service.ts";
import {
  answering,
  COMPLETE,
  Connection,
  HOUR,
  NOT_FOUND,
  personId,
  type StorySync,
  timestamp,
} from "../support/sync-story.ts";

/* The list of surveys, two a page, and what becomes of each thing that may be wrong with it. */

const ALL = ["a", "b", "c", "d", "e"];
const EVERY: StorySync = { surveyIds: [] };
const isOfList = (path: string): boolean => path.startsWith("/surveys?");
const isSecondPage = (path: string): boolean => isOfList(path) && path.includes("&after=");
const isOfResponses = (path: string): boolean => /^\/surveys\/.*\/responses/.test(path);
const isOfQuestions = (path: string): boolean => /^\/surveys\/.*\/questions/.test(path);

/** Each survey with two responses, `a1` and `a2` of `a`, newest created last. */
function connectionOf(
  surveys: readonly string[],
  dialect: Partial<Dialect> = {},
  stream?: StreamName,
): Connection {
  const connection = new Connection(stream ?? "survey_responses", dialect);
  for (const [place, survey] of surveys.entries()) create(connection, survey, place);
  return connection;
}
function create(connection: Connection, survey: string, place: number): void {
  for (const number of [1, 2])
    connection.add(`${survey}${number}`, 10 * place + number, HOUR * number, survey);
}
const responsesOf = (...surveys: string[]): string[] => surveys.flatMap((id) => [`${id}1`, `${id}2`]);

interface Page {
  data: { id?: unknown }[];
  pagination_data: { has_more: boolean; next_url?: string };
}
/** The service's answers, with something else in their pages. */
const changed =
  (connection: Connection, change: (page: Page, path: string) => object) =>
  (path: string): HttpResponse => {
    const answer = connection.service.answer(path, connection.faults);
    return { ...answer, body: JSON.stringify(change(JSON.parse(answer.body), path)) };
  };
const linking = (next_url?: string) => (page: Page) => ({
  ...page,
  pagination_data: { has_more: true, next_url },
});

type Fault = (connection: Connection) => HttpResponse | ((path: string) => HttpResponse);
const FAULTS = {
  "status 500": () => answering(500),
  "status 403": () => answering(403),
  "a page of HTML": () => answering(200, "<html>"),
  "half of a page": (connection) => (path) =>
    answering(200, connection.service.answer(path, connection.faults).body.slice(0, 80)),
  "more and no link": (connection) => changed(connection, linking()),
  "a link to elsewhere": (connection) => changed(connection, linking("/surveys/a/questions?start=1")),
  "links in a circle": (connection) => changed(connection, linking("/surveys?items_per_page=100")),
  "an empty page that leads nowhere": (connection) =>
    changed(connection, (page, path) => ({ ...linking(path)(page), data: [] })),
  "pages in the wrong order": (connection) =>
    changed(connection, (page) => ({ ...page, data: page.data.toReversed() })),
} satisfies Readonly<Record<string, Fault>>;

describe.each(Object.entries(FAULTS))("a list of surveys with %s", (_, fault) => {
  const broken = (isBroken: (path: string) => boolean): Connection => {
    const connection = connectionOf(ALL);
    connection.answers(isBroken, fault(connection));
    return connection;
  };

  it("on its second page: what was listed is read, every stream is incomplete, and the next sync reads the rest", async () => {
    const connection = broken(isSecondPage);
    const streams = ["survey_responses", "response_keys", "surveys", "survey_questions"] as const;
    const read = await connection.sync({ ...EVERY, streams });
    expect(read).toMatchObject({ incomplete: streams });
    expect(read.failures.length).toBeGreaterThanOrEqual(1);
    expect([...connection.delivered]).toEqual(expect.arrayContaining(responsesOf("e", "d")));
    connection.heals();
    expect(await connection.sync(EVERY)).toMatchObject(COMPLETE);
    expect(connection.missing()).toEqual([]);
  });

  it("from its first page on: surveys that were read before are read all the same", async () => {
    const connection = broken(isOfList);
    const streams = ["survey_responses", "surveys"] as const;
    expect(await connection.sync({ ...EVERY, streams })).toMatchObject({ incomplete: streams });
    connection.heals();
    await connection.sync(EVERY);
    connection.service.setStatus("b", "gone");
    for (const [place, survey] of ALL.entries()) connection.add(`${survey}3`, 10 * place, 9 * HOUR, survey);
    connection.answers(isOfList, fault(connection));
    expect(await connection.sync(EVERY)).toMatchObject({ isComplete: false });
    expect(connection.missing()).toEqual(["b3"]);
    expect(connection.state?.surveys).toHaveProperty("b");
  });

  it("costs a sync of named surveys their names at most, with one warning", async () => {
    const connection = connectionOf(ALL, { shape: "bare" });
    connection.answers(isSecondPage, fault(connection));
    const { isComplete, records, warned } = await connection.sync({ surveyIds: ["a", "e"] });
    expect(isComplete).toBe(true);
    expect(connection.delivered.size).toBe(4);
    const names = new Map(records.map(({ survey_id, survey_name }) => [survey_id, survey_name]));
    expect(names.get("e")).toBe("Survey e");
    expect(warned.filter((code) => code === "names_missing")).toHaveLength(names.get("a") === null ? 1 : 0);
  });
});

describe("a service that does not list its surveys", () => {
  it.each([404, 410])("(status %i): nothing is read if none is named", async (status) => {
    const connection = connectionOf(ALL);
    connection.answers(isOfList, answering(status));
    const state = { version: 1, surveys: { a: [[null, timestamp(HOUR)]] } } as const;
    connection.state = state;
    const read = await connection.sync(EVERY);
    expect(read).toMatchObject({
      isComplete: false,
      codes: ["surveys_not_listed"],
      requests: 2,
      records: [],
    });
    expect(connection.state).toEqual(state);
  });

  it.each([404, 410])(
    "(status %i): names come from the surveys themselves, and only the stream of surveys fails",
    async (status) => {
      const connection = connectionOf(ALL, { shape: "bare" });
      connection.answers(isOfList, answering(status));
      const streams = ["survey_responses", "survey_answers", "surveys", "survey_questions"] as const;
      const { incomplete, failures, records, warned } = await connection.sync({
        surveyIds: ["a", "b"],
        streams,
      });
      expect({ incomplete, warned }).toEqual({ incomplete: ["surveys"], warned: [] });
      expect(failures[0]).toMatch(/does not list its surveys .* Omit the stream/);
      for (const record of records.filter((each) => "survey_name" in each))
        expect(record.survey_name).toMatch(/^Survey /);
      expect(connection.delivered).toEqual(new Set(responsesOf("a", "b")));
    },
  );
});

describe("every survey that the service lists", () => {
  it("is read, disabled ones too, and a new one from the next sync on", async () => {
    const connection = connectionOf(ALL);
    connection.script = (path) => {
      if (isOfResponses(path) && !connection.service.listed.includes("f")) create(connection, "f", 6);
      return undefined;
    };
    expect(await connection.sync(EVERY)).toMatchObject(COMPLETE);
    expect(connection.missing().sort()).toEqual(responsesOf("f"));
    expect(await connection.sync(EVERY)).toMatchObject(COMPLETE);
    expect(connection.missing()).toEqual([]);
  });

  it("gives both streams of responses for the requests of one: nobody is asked for", async () => {
    const connection = connectionOf(ALL);
    const streams = ["survey_responses", "respondent_responses"] as const;
    const { paths, records, ...read } = await connection.sync({ ...EVERY, streams });
    expect(read).toMatchObject({ ...COMPLETE, warned: [] });
    expect(records).toHaveLength(2 * responsesOf(...ALL).length);
    expect(paths.filter((path) => path.startsWith("/respondents"))).toEqual([]);
  });

  it("is read next to one that is not listed, if an earlier sync has named that", async () => {
    const connection = connectionOf(ALL);
    for (const survey of ["d", "e"]) connection.service.setStatus(survey, "archived");
    await connection.sync({ surveyIds: ["d"] });
    connection.add("d9", 1, 3 * HOUR, "d");
    expect(await connection.sync(EVERY)).toMatchObject({ ...COMPLETE, warned: [] });
    expect(connection.missing().sort()).toEqual(responsesOf("e"));
  });

  it("is not asked for if all streams are of respondents who are named", async () => {
    const connection = connectionOf(ALL);
    const streams = ["respondent_responses", "respondent_attributes"] as const;
    const { paths, ...read } = await connection.sync({ ...EVERY, streams, respondentUuids: [personId(1)] });
    expect(read).toMatchObject({ ...COMPLETE, warned: [] });
    expect(paths.filter((path) => !path.startsWith("/respondents"))).toEqual([]);
  });

  it("is none: a success with a warning, and one request", async () => {
    expect(await connectionOf([]).sync(EVERY)).toMatchObject({
      ...COMPLETE,
      warned: ["nothing_to_read"],
      requests: 1,
    });
  });

  it("and that is excluded is not asked for; it keeps its coverage, and is known, so that it resumes when it is included", async () => {
    const connection = connectionOf(ALL);
    await connection.sync(EVERY);
    const { a, b } = connection.state!.surveys;
    create(connection, "f", 6);
    for (const survey of ["a", "c"]) connection.add(`${survey}3`, 3, 9 * HOUR, survey);
    for (const survey of ["b", "d", "e"]) connection.service.setStatus(survey, "archived");
    const streams = ["survey_responses", "surveys", "survey_questions"] as const;
    const excludedSurveyIds = new Set(["a", "b", "f"]);
    const { paths, emitted, ...read } = await connection.sync({ ...EVERY, streams, excludedSurveyIds });
    expect(read).toMatchObject({ ...COMPLETE, warned: [] });
    expect(paths.filter((path) => /^\/surveys\/[abf]\b/.test(path))).toEqual([]);
    expect(emitted).toContain("c");
    expect(emitted).not.toContain("a");
    expect(connection.missing()).toEqual(["a3", "f2", "f1"]);
    expect(connection.state!.surveys).toMatchObject({ a, b });
    const all = { ...EVERY, excludedSurveyIds: new Set(ALL) };
    expect(await connection.sync(all), "all that are known").toMatchObject({ ...COMPLETE, codes: [] });
    const again = await connection.sync(EVERY);
    expect(again.emitted).not.toContain("a1");
    expect(connection.missing()).toEqual([]);
  });
});

describe("every survey that the service lists, in a later sync", () => {
  it("is none of those that were read before: another workspace's key, with which nothing is read", async () => {
    const connection = connectionOf(ALL);
    await connection.sync(EVERY);
    const { state } = connection;
    connection.faults = { ...connection.faults, isOfStranger: true };
    const streams = ["survey_responses", "surveys", "survey_questions", "response_keys"] as const;
    for (let sync = 1; sync <= 4; sync++) {
      const read = await connection.sync({ ...EVERY, streams });
      const told = { incomplete: streams, codes: ["other_workspace"], records: [], requests: 7 };
      expect(read, "in each sync").toMatchObject(told);
      expect(connection.state).toEqual(state);
    }
  });

  it.each([1, 20, 100])(
    "is archived, and is not forgotten if surveys answer 404 for %i s",
    async (seconds) => {
      const connection = connectionOf(ALL);
      await connection.sync(EVERY);
      connection.service.setStatus("b", "archived");
      connection.add("b3", 3, 9 * HOUR, "b");
      connection.latencyMs = 100;
      const others = new Set<string>();
      let beginsS: number | undefined;
      connection.script = (path) => {
        const [, survey] = /^\/surveys\/([^/]+)\/responses/.exec(path) ?? [];
        if (survey === undefined) return undefined;
        if (survey !== "b") others.add(survey);
        // The others are found before the spell begins.
        if (survey === "b" && others.size === ALL.length - 1) beginsS ??= connection.nowS;
        if (survey === "b" && beginsS === undefined) return answering(500);
        const isIn = beginsS !== undefined && connection.nowS < beginsS + seconds;
        return isIn ? NOT_FOUND : undefined;
      };
      const { isComplete } = await connection.sync(EVERY);
      expect(isComplete).toBe(connection.missing().length === 0);
      expect(Object.keys(connection.state!.surveys)).toContain("b");
      await connection.recovers(EVERY);
    },
  );

  it.each([1, 4])(
    "is none of %i that were read before: in so small a workspace they were deleted",
    async (count) => {
      const connection = connectionOf(ALL.slice(0, count));
      await connection.sync(EVERY);
      for (const survey of ALL.slice(0, count)) connection.service.setStatus(survey, "gone");
      create(connection, "f", 6);
      const { emitted, ...read } = await connection.sync(EVERY);
      expect(read).toMatchObject({ ...COMPLETE, warned: ["surveys_not_found"] });
      expect(emitted.toSorted()).toEqual(responsesOf("f"));
      expect(await connection.sync(EVERY)).toMatchObject({ ...COMPLETE, warned: [] });
    },
  );

  it("is known from the day it is listed: a small workspace is not taken for another", async () => {
    const connection = connectionOf(["a"]);
    for (const empty of ["b", "c"]) connection.service.setStatus(empty, "listed");
    await connection.sync(EVERY);
    connection.service.setStatus("a", "gone");
    connection.add("b1", 20, 9 * HOUR, "b");
    const { emitted, warnings } = await connection.sync(EVERY);
    expect(emitted).toEqual(["b1"]);
    expect(warnings).toEqual([
      'This survey is gone: "a". The service answers 404, and its list of surveys, which was read after that, does not have it. What was delivered before stays. A survey that is listed again is read from its beginning. If nobody has deleted anything, check that the API key is of the same workspace as before.',
    ]);
  });

  it("and one that is not listed any more is read by its id; if it is gone, it is forgotten, and read whole when it is back", async () => {
    const connection = connectionOf(ALL);
    await connection.sync(EVERY);
    connection.service.setStatus("b", "archived");
    connection.add("b3", 3, 9 * HOUR, "b");
    expect(await connection.sync(EVERY)).toMatchObject({ ...COMPLETE, warned: [] });
    expect(connection.missing()).toEqual([]);
    connection.service.setStatus("b", "gone");
    const streams = ["survey_responses", "surveys", "survey_questions"] as const;
    const gone = await connection.sync({ ...EVERY, streams });
    expect(gone, "one warning").toMatchObject({ ...COMPLETE, warned: ["surveys_not_found"] });
    expect(Object.keys(connection.state!.surveys)).not.toContain("b");
    expect(await connection.sync(EVERY)).toMatchObject({ ...COMPLETE, warned: [] });
    connection.service.setStatus("b", "listed");
    const { emitted } = await connection.sync(EVERY);
    expect(emitted).toEqual(expect.arrayContaining(["b1", "b2", "b3"]));
  });

  it("and that gives its responses, and of which the rest answers 404, is an error of these parts, and costs only a second look", async () => {
    const connection = connectionOf(ALL);
    await connection.sync(EVERY);
    connection.service.setStatus("b", "archived");
    connection.answers((path) => /^\/surveys\/b($|\/questions)/.test(path), NOT_FOUND);
    const streams = ["survey_responses", "surveys", "survey_questions"] as const;
    for (const _ of [1, 2]) {
      const { incomplete, failures, warned, paths, records } = await connection.sync({ ...EVERY, streams });
      expect({ incomplete, warned }).toEqual({ incomplete: ["surveys", "survey_questions"], warned: [] });
      expect(failures).toEqual([
        expect.stringMatching(
          /^The stream surveys .* survey "b"\. .* The responses .* were read\. .* excluded_/,
        ),
        expect.stringMatching(/^The questions of survey "b" .* The responses .* were read\. .* excluded_/),
      ]);
      const surveys = records.filter((record) => "enabled" in record);
      expect(surveys, "no survey looks deleted").toEqual([]);
      const again = paths.filter((path, place) => paths.indexOf(path) < place);
      expect(again.toSorted()).toEqual(["/surveys/b", "/surveys/b/questions?items_per_page=100"]);
      expect(paths).not.toContain("/surveys?items_per_page=1");
    }
    connection.heals();
    expect(await connection.sync({ ...EVERY, streams })).toMatchObject({ ...COMPLETE, warned: [] });
  });

  it.each([[["a"]], [ALL]])("and that is listed, and not found, is an error: %j", async (gone) => {
    const connection = connectionOf(ALL);
    connection.answers((path) => gone.some((id) => path.startsWith(`/surveys/${id}/`)), NOT_FOUND);
    const { isComplete, failures, warned } = await connection.sync(EVERY);
    expect({ isComplete, warned }).toEqual({ isComplete: false, warned: [] });
    expect(failures).toEqual([
      expect.stringMatching(/ not found \(status 404\).* The service lists (it|them)\. /),
    ]);
  });

  it("and that is listed is not forgotten if it is not found for once", async () => {
    const connection = connectionOf(ALL);
    await connection.sync(EVERY);
    connection.answers((path) => path.startsWith("/surveys/a/"), NOT_FOUND);
    await connection.sync(EVERY);
    expect(Object.keys(connection.state!.surveys)).toContain("a");
  });

  it("and of which the record cannot be read is omitted, with one warning for all", async () => {
    const connection = connectionOf(ALL);
    const odd = [{ id: ".." }, { id: "x/../y" }, 7];
    connection.answers(
      isOfList,
      changed(connection, (page) => ({ ...page, data: [...odd, ...page.data] })),
    );
    const read = await connection.sync(EVERY);
    expect(read).toMatchObject({ ...COMPLETE, warned: ["items_omitted"] });
    expect(read.warnings[0]).toContain("9 records");
    expect(connection.missing()).toEqual([]);
  });

  it("is read next to a record that cannot be read, also if the list has none that was known before", async () => {
    const connection = connectionOf(ALL);
    connection.service.setStatus("a", "archived");
    await connection.sync({ surveyIds: ["a"] });
    connection.answers(
      isOfList,
      changed(connection, (page) => ({ ...page, data: [{ id: ".." }, ...page.data] })),
    );
    expect(await connection.sync(EVERY)).toMatchObject({ ...COMPLETE, warned: ["items_omitted"] });
    expect(connection.missing()).toEqual([]);
  });

  it("keeps a hand-written state that covers it, when the list failed", async () => {
    const connection = connectionOf(ALL);
    connection.state = { collected_at: timestamp(HOUR * 1.5) } as never;
    connection.answers(isOfList, answering(500));
    expect(await connection.sync(EVERY)).toMatchObject({ isComplete: false, records: [] });
    connection.heals();
    const { emitted } = await connection.sync({ ...EVERY, lookbackMs: 0 });
    expect(emitted.toSorted()).toEqual(ALL.map((id) => `${id}2`));
    expect(connection.state, "a survey that is created later is read whole").not.toHaveProperty(
      "collected_at",
    );
  });

  it("keeps a hand-written state that covers it, when a later page of the list failed", async () => {
    const connection = connectionOf(ALL);
    connection.state = { collected_at: timestamp(HOUR * 1.5) } as never;
    connection.answers(isSecondPage, answering(500));
    const first = await connection.sync({ ...EVERY, lookbackMs: 0 });
    connection.heals();
    const second = await connection.sync({ ...EVERY, lookbackMs: 0 });
    const old = [...first.emitted, ...second.emitted].filter((uuid) => uuid.endsWith("1"));
    expect(old).toEqual([]);
  });
});

describe("names of named surveys", () => {
  it("cost one request for the list, and none in a sync that brings nothing", async () => {
    const connection = connectionOf(ALL, { shape: "bare" });
    const options = { surveyIds: ["d", "e"] };
    const first = await connection.sync(options);
    expect(first.paths.filter(isOfList)).toHaveLength(1);
    expect(new Set(first.records.map(({ survey_name }) => survey_name))).toEqual(
      new Set(["Survey d", "Survey e"]),
    );
    // The other stream begins anew each time.
    const streams = ["survey_responses", "response_keys"] as const;
    expect((await connection.sync({ ...options, streams })).paths.filter(isOfList)).toEqual([]);
  });

  it.each(["wrapped", "bare"] as const)(
    "are not asked for by streams without them, or if the items (%s) have them, once all surveys are known",
    async (shape) => {
      const connection = connectionOf(ALL, { shape });
      const streams: StreamName[] = [
        "response_keys",
        "response_key_snapshots",
        "respondent_attributes",
        "survey_questions",
      ];
      if (shape === "wrapped") streams.push("survey_responses", "survey_answers", "respondent_responses");
      const first = await connection.sync({ surveyIds: ALL, streams });
      // It plans the reading, next to the first pages.
      expect(first.paths.findIndex(isOfList)).toBeLessThan(3);
      for (const survey of ALL) connection.add(`${survey}3`, 3, 9 * HOUR, survey);
      const { paths, isComplete } = await connection.sync({ surveyIds: ALL, streams });
      expect([first.isComplete, isComplete]).toEqual([true, true]);
      expect(paths.filter(isOfList)).toEqual([]);
    },
  );

  it("change nothing in what is covered while a page waits for them", async () => {
    const connection = new Connection("survey_responses", { shape: "mixed", hasDate: false });
    for (const [number, at] of [0.02, 0.017, 0.0155, 0.0045].entries())
      connection.add(`s${number}`, number, at);
    // Its item is wrapped. When it has come, the other survey is cut, and its second slice is empty: neither waits.
    connection.add("q1", 9, 1, "q");
    connection.answers(isOfList, "nothing");
    const streams = ["survey_responses", "response_keys", "response_key_snapshots"] as const;
    const { records } = await connection.sync({
      surveyIds: ["s", "q"],
      streams,
      itemsPerPage: 3,
      lookbackMs: 3,
    });
    expect(records).toContainEqual(expect.objectContaining({ survey_id: "s", number_of_keys: 4 }));
  });

  it("are said to be missing once if others than the named are answered to: up to five ids", async () => {
    const others = ["f", "g", "h", "i", "j", "k"];
    const connection = connectionOf(["a"], {}, "respondent_responses");
    for (const survey of others) connection.add(`${survey}1`, 1, HOUR / 2, survey);
    const { warned, warnings } = await connection.sync({ surveyIds: ["a"] });
    expect(warned).toEqual(["surveys_not_named"]);
    expect(warnings[0]).toContain("and 1 more");
  });
});

describe("what surveys and their questions are", () => {
  const FACTS = ["surveys", "survey_questions"] as const;

  it("is read for exactly the surveys of the sync, without their authors", async () => {
    const connection = connectionOf(ALL);
    connection.service.setStatus("b", "archived");
    const { records, paths, isComplete } = await connection.sync({ surveyIds: ["e", "b"], streams: FACTS });
    expect(isComplete).toBe(true);
    expect(records.filter((each) => "enabled" in each).map(({ id }) => id)).toEqual(["e", "b"]);
    expect(JSON.stringify(records)).not.toContain("a@b.de");
    expect(paths.filter((path) => path.startsWith("/surveys/e?") || path === "/surveys/e")).toEqual([]);
    expect(paths.filter(isOfResponses)).toEqual([]);
    expect(new Set(records.map(({ survey_id }) => survey_id ?? "e"))).toEqual(new Set(["e", "b"]));
  });

  it("is complete, whatever fails of the responses", async () => {
    const connection = connectionOf(ALL);
    connection.answers((path) => path.startsWith("/surveys/a/responses"), answering(500));
    const { incomplete } = await connection.sync({ surveyIds: ALL, streams: ["survey_responses", ...FACTS] });
    expect(incomplete).toEqual(["survey_responses"]);
  });

  it.each<[count: number, others: StreamName[]]>([
    [1, []],
    [2, []],
    [5, []],
    [2, ["respondent_attributes"]],
    [4, ["respondent_attributes"]],
  ])("holds up nothing else if the questions of %i surveys never come: %j", async (count, others) => {
    const streams = ["survey_responses", ...others, "survey_questions"] as const;
    const silent = ALL.slice(0, count);
    const connection = connectionOf(ALL);
    connection.answers((path) => isOfQuestions(path) && silent.includes(path.split("/")[2]!), "nothing");
    const { incomplete, records } = await connection.sync({ surveyIds: ALL, streams });
    expect(incomplete).toEqual(["survey_questions"]);
    expect(connection.missing()).toEqual([]);
    // With more, the two that are asked at once are silent for so long that the sync ends.
    const questioned = records.flatMap(({ survey_id, question }) => (question ? [survey_id] : []));
    if (count <= 2) expect(new Set(questioned)).toEqual(new Set(ALL.slice(count)));
  });

  it("is incomplete if the sync ends before its questions came", async () => {
    const connection = connectionOf(ALL);
    connection.script = (path) =>
      isOfResponses(path) ? answering(401) : isOfQuestions(path) ? "nothing" : undefined;
    const streams = ["survey_responses", "survey_questions"] as const;
    expect(await connection.sync({ surveyIds: ALL, streams })).toMatchObject({ incomplete: streams });
  });
});
