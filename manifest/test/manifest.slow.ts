import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STREAMS } from "@survey-export/core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  DIALECTS,
  exampleSurveys,
  type FaultReply,
  machineClock,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from "../../sandbox/index.ts";
import build from "../../test/support/build.ts";
import { lowCode, MANIFEST, ownSource, python, run, type Sync, stored, sync, table } from "./sync.ts";

/** The manifest has no snapshots of keys. */
const MANIFESTED = Object.values(STREAMS).filter(({ cursor }) => cursor === "collected_at");
const ALL = MANIFESTED.map(({ name }) => name);
/** Those that a fault of a survey's list of responses concerns. */
const FROM_RESPONSES = MANIFESTED.flatMap(({ name, reads }) => (/respon/.test(reads) ? [name] : []));
/** Those that have the time of our own reading, which differs. */
const READ_NOW = MANIFESTED.filter(({ columns }) => columns.collected_at?.from === "clock");
const file = (name: string) => new URL(name, import.meta.url).pathname;

/** Each test starts the CDK several times, which takes as long as the machine needs. */
const PATIENT = { timeout: 1_800_000 };

/** Before every response of the example. */
const SINCE_2023 = { start_date: "2023-01-01T00:00:00Z" };

let sandbox: Sandbox;

beforeAll(() => {
  python();
  build();
});
afterEach(() => sandbox?.close());

async function begin<More extends object>(options: SandboxOptions, more?: More) {
  // Its items name their surveys.
  sandbox = await startSandbox({ dialect: "as_documented", ...options });
  const survey_ids: string[] = sandbox.service.truth.surveyIds();
  return { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids, ...(more as More) };
}

/** Two syncs by both readers, with `change` between them; the second one with the configuration `after`. */
async function twice(before: object, change: () => void, after = before) {
  const low = [await sync(lowCode, before, ALL)];
  const own = [await sync(ownSource, before, ALL)];
  change();
  low.push(await sync(lowCode, after, ALL, low[0]!.state));
  own.push(await sync(ownSource, after, ALL, own[0]!.state));
  expect([...low, ...own].map(({ code, problems }) => [code, ...problems])).toEqual([[0], [0], [0], [0]]);
  return { low, own };
}

/** One sync by each reader, neither with a problem. */
async function once(config: object) {
  const [low, own] = [await sync(lowCode, config, ALL), await sync(ownSource, config, ALL)];
  expect([low, own].map(({ code, problems }) => [code, ...problems])).toEqual([[0], [0]]);
  return { low, own };
}

const uuids = (...ids: readonly string[]): string[] =>
  ids.flatMap((id) => [...sandbox.service.truth.responses(id)].map(({ uuid }) => uuid)).sort();
const delivered = (stream: string, ...syncs: readonly Sync[]): string[] =>
  [...table(stream, ...syncs).values()].map(({ uuid }) => String(uuid)).sort();

/**
 * Both readers leave the same table, field by field, but for the fields named in `except`, for those of responses named
 * in `ofLists` (ours come from the surveys' lists, the manifest's from people's), and for the times of reading.
 */
function expectSameTables(
  low: readonly Sync[],
  own: readonly Sync[],
  except: readonly string[] = [],
  ofLists: readonly string[] = [],
): void {
  const others = new Map([
    ...READ_NOW.map(({ name }): [string, readonly string[]] => [name, ["collected_at"]]),
    ["respondent_responses", ofLists],
  ]);
  for (const stream of ALL) {
    const left = [...except, ...(others.get(stream) ?? [])];
    const rows = (syncs: readonly Sync[]) =>
      [...table(stream, ...syncs)].map(([key, row]) => {
        const compared = Object.entries(row).filter(([field]) => !left.includes(field));
        return [key, stored(Object.fromEntries(compared))];
      });
    expect(rows(low), stream).toEqual(rows(own));
  }
}

// Without lists, our own source fails the streams that need them.
const WITH_LISTS = DIALECTS.filter((dialect) => dialect !== "without_lists");
describe.each(WITH_LISTS)("on a service of the dialect %s", PATIENT, (dialect) => {
  test("two syncs leave the same tables as our own source, and the truth", async () => {
    const attributes = ["plan", "rôle & team", "a=b", "tags[]", "100 %"];
    const config = await begin({ surveys: exampleSurveys(130, 3, 2), dialect }, { attributes });
    const { low, own } = await twice(config, () => {
      for (const id of config.survey_ids) sandbox.service.collect(id, 7);
    });
    expect(delivered("survey_responses", ...low)).toEqual(uuids(...config.survey_ids));
    // A bare item does not name its survey.
    const isNamed = dialect !== "flat_items" && dialect !== "as_recorded";
    expectSameTables(low, own, isNamed ? [] : ["survey_name", "survey_type"]);
    // A service that ignores `end` is read whole by each sync.
    const isWhole = low[1]!.records.survey_responses!.length > 130;
    expect(isWhole).toBe(dialect === "ignores_end");
  });
});

describe("incremental syncs", PATIENT, () => {
  test("a survey that is added later is read with its whole history", async () => {
    const config = await begin({ surveys: exampleSurveys(60, 5, 3) });
    const [one = "", two = "", added = ""] = config.survey_ids;
    sandbox.service.collect(one, 3);
    const before = { ...config, survey_ids: [one, two] };
    const { low, own } = await twice(before, () => {}, config);
    expect(delivered("survey_responses", ...low)).toEqual(uuids(one, two, added));
    expectSameTables(low, own);
    const reads = low[1]!.records.survey_responses!.filter(({ survey_id: id }) => id !== added);
    expect(reads.length).toBeLessThan(20);
  });

  test("late arrivals within the lookback window come with the next sync, and ties of one microsecond are whole", async () => {
    const tie = "2024-05-01T10:00:00.000001Z";
    const times = [
      ...Array.from({ length: 150 }, (_, second) =>
        new Date(Date.UTC(2024, 4, 1, 9, 10, second)).toISOString(),
      ),
      ...Array.from({ length: 90 }, () => tie),
      ...Array.from({ length: 30 }, (_, second) => `2024-05-01T11:00:${10 + second}.500000Z`),
    ];
    const responses = times.map((time) => ({ collected_at: time.replace(".000Z", ".000000Z") }));
    const aheadMs = Date.UTC(2024, 4, 1, 11, 1) - machineClock.now();
    const config = await begin(
      {
        surveys: [{ id: "1", responses }],
        clock: { ...machineClock, now: () => machineClock.now() + aheadMs },
      },
      { start_date: "2024-04-01T00:00:00Z" },
    );
    const { low, own } = await twice(config, () => {
      sandbox.service.collect("1", { count: 5, lateByMs: 9 * 60_000 });
      sandbox.service.collect("1", [{ collected_at: "2024-05-01T11:00:39.500000Z" }]);
    });
    expect(delivered("survey_responses", ...low)).toEqual(uuids("1"));
    expectSameTables(low, own);
  });

  test("a start date that is moved back is not filled in, as the documentation says", async () => {
    const config = await begin({ surveys: exampleSurveys(60, 5, 1) });
    const streams = ["survey_responses"];
    const from = (start_date: string) => ({ ...config, start_date });
    const first = await sync(lowCode, from("2025-06-01T00:00:00Z"), streams);
    const second = await sync(lowCode, from("2023-01-01T00:00:00Z"), streams, first.state);
    expect(delivered("survey_responses", first, second)).toEqual(delivered("survey_responses", first));
    expect(delivered("survey_responses", first).length).toBeLessThan(60);
  });

  test("respondents who answer again are read again with all their answers, and new ones as well", async () => {
    const again = "00000000-0000-4000-8000-000000000001";
    const fresh = "00000000-0000-4000-8000-000000000002";
    const named = "00000000-0000-4000-8000-000000000003";
    const config = await begin(
      {
        surveys: [
          { id: "1", responses: [{ collected_at: "2024-05-01T10:00:00.000000Z", respondent_uuid: again }] },
          { id: "2", responses: [{ collected_at: "2023-05-01T10:00:00.000000Z", respondent_uuid: fresh }] },
        ],
        respondents: [
          { uuid: again, attributes: [{ name: "plan", value: "free" }] },
          { uuid: fresh, attributes: [{ name: "plan", value: "team" }] },
          { uuid: named, attributes: [{ name: "plan", value: "none" }] },
        ],
      },
      { survey_ids: ["1"] },
    );
    const { low, own } = await twice(config, () => {
      sandbox.service.describe({ uuid: again, attributes: [{ id: 77, name: "plan", value: "paid" }] });
      sandbox.service.collect("1", [
        { collected_at: "2024-06-01T10:00:00.000000Z", respondent_uuid: again },
        { collected_at: "2024-06-01T11:00:00.000000Z", respondent_uuid: fresh },
      ]);
    });
    expectSameTables(low, own);
    expect(delivered("respondent_responses", ...low)).toEqual(uuids("1", "2"));
    expect(table("respondent_attributes", ...low).size).toBe(3);

    const ofOne = { ...config, respondent_uuids: [named] };
    const { low: lowOfOne, own: ownOfOne } = await twice(ofOne, () => {});
    expectSameTables(lowOfOne, ownOfOne);
    expect(delivered("survey_responses", ...lowOfOne)).toEqual(uuids("1"));
    expect(table("respondent_attributes", ...lowOfOne).size).toBe(1);
  });
});

/** What `builder.py` prints. The service that it asks runs in this process. */
function askBuilder(given: object): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const words = [file("builder.py"), JSON.stringify(given)];
    execFile(python(), words, { maxBuffer: 1 << 30 }, (error, out) =>
      error ? reject(error) : resolve(JSON.parse(out)),
    );
  });
}

describe("as a connector", PATIENT, () => {
  test("it offers the same streams as our own source, with the same keys and schemas", async () => {
    const config = await begin({ surveys: exampleSurveys(5, 1, 1) });
    const streams = async (reader: typeof lowCode) => {
      const { messages } = await run(reader, "discover", { config });
      const found = messages.flatMap(({ catalog }) => catalog?.streams ?? []);
      const defined = ["source_defined_primary_key", "source_defined_cursor"];
      const fields = ["json_schema", "default_cursor_field", ...defined];
      return new Map(found.map((stream) => [stream.name, fields.map((field) => stream[field])]));
    };
    const own = await streams(ownSource);
    expect(await streams(lowCode)).toEqual(new Map(ALL.map((name) => [name, own.get(name)])));
  });

  test("its check passes with a good key, and says in our words what is wrong with a bad one", async () => {
    const config = await begin({ surveys: [...exampleSurveys(5, 1, 1), { id: "empty", responses: [] }] });
    const [survey = ""] = config.survey_ids;
    const status = async (changed: object) => {
      const { messages } = await run(lowCode, "check", { config: { ...config, ...changed } });
      return messages.find(({ connectionStatus }) => connectionStatus)?.connectionStatus;
    };
    const [person] = sandbox.service.truth.respondents(survey);
    const valid = [
      { survey_ids: [survey] },
      { survey_ids: ["empty"] },
      { survey_ids: [], respondent_uuids: [person] },
    ];
    for (const changed of valid) expect(await status(changed)).toMatchObject({ status: "SUCCEEDED" });
    const refused = await status({ api_key: "no-such-key" });
    expect(refused?.status).toBe("FAILED");
    expect(refused?.message).toContain("The service does not accept the API key");
    expect(refused?.message).not.toContain("no-such-key");
    const nothing = await status({ survey_ids: [] });
    expect(nothing?.status).toBe("FAILED");
    // The CDK puts the first sentence before each error. Ours follows, and nothing of how it got there.
    expect(nothing?.message).toMatch(
      /^"Encountered an error while discovering streams\. Error: 'There is nothing to read\. Add a survey to survey_ids or a respondent to respondent_uuids\.'"$/,
    );
    const { messages } = await run(lowCode, "check", {
      config: { ...config, personal_data: { free_text: "omit", hash_salt: "a-secret" } },
    });
    expect(JSON.stringify(messages)).toContain("'free_text', 'hash_salt' were unexpected");
    expect(JSON.stringify(messages)).not.toContain("a-secret");
  });

  test("the Connector Builder resolves its streams, and a test read shows records", async () => {
    const config = await begin({ surveys: exampleSurveys(60, 5, 1) }, { start_date: "2026-05-01T00:00:00Z" });
    const folder = await mkdtemp(join(tmpdir(), "manifest-"));
    try {
      const given = { manifest: MANIFEST, config, folder, stream: "survey_answers" };
      const seen = await askBuilder(given);
      expect(seen).toMatchObject({ streams: expect.arrayContaining(ALL), warnings: [] });
      expect(seen.records).toBeGreaterThan(0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("records of unusual content", PATIENT, () => {
  /** Every shape of an answer, mixtures, undocumented ones, and fields that nobody declared. */
  const red = { id: 1, content: "red" };
  const blue = { id: 2, content: "blue" };
  const shapes = [
    { answer: { ...red, comment: '"quoted" {{ 1 }} \\', content: "'yes'" } },
    { answers: [red, red, null, [], "text", 7, [["c"]], { drawing: "x" }] },
    { answer: { ...red, rating: 0 }, action_performed: false },
    { answer: { content: "0", tag: "detractor" } },
    { answer: { content: "9/10", tag: "promoter", extra: [1, [2]] } },
    { answers: [{ ...red, score: "Fine" }, blue] },
    {
      answers: [
        { ...red, rank: 2 },
        { ...blue, rank: 1 },
      ],
    },
    { fields: [{ type: "email", content: "" }, { type: "phone", content: "" }, 5, {}] },
    { answer: "" },
    {},
    { question_type: null, answer: {}, answers: [], fields: [null] },
    { question_type: "new", answer: { id: "15", content: 5, rating: "4.5" }, more: { answers: [{ a: 1 }] } },
    { question_type: true, answer: ["x"], answers: "x", fields: {}, action_performed: "no" },
    { answer: 7 },
    { answer: true, answers: { ...red, score: "Fine" } },
    { answer: { drawing: "x" }, fields: "Ada" },
    { answer: [], action_performed: { by: "mail" } },
    { question_id: 1, answer: "once more", fields: [{ type: "t", content: "u" }] },
    ...[
      { question_id: "x", answer: "y" },
      { question_id: null, answer: 1 },
      { question_id: "77", answer: "z" },
    ],
    ...[{ answer: ["a", "b"] }, { answer: ["a", 1] }, { answer: 0.5 }, { question_id: 1.5, answer: "y" }],
  ];
  const answers = shapes.map((shape, at) => ({ question_id: at + 1, question_type: "single", ...shape }));
  const responses = [
    { collected_at: "2024-05-01T10:00:00.000001Z", fields: { answers } },
    {
      collected_at: "2024-05-01T10:00:01.000001Z",
      fields: { answers: null, language: null, url: undefined },
    },
    {
      collected_at: "2024-05-01T10:00:02.000001Z",
      fields: { answers: "none", score: 7, "it's": { "new": [{ question_id: 1 }] }, survey_answers: ["x"] },
    },
  ];

  /** More than two pages of them. */
  const questions = Array.from({ length: 230 }, (_, at) => ({
    id: 9_000 - at,
    type: "single",
    question: `'${at}' {{ 1 }}`,
    introduction: null,
    answer_choices: [{ id: 0, content: "0" }],
    ...(at === 120 && { columns: ["1", "[2]"], fields: [{ type: "email", label: "" }], required: false }),
  }));

  test.each(["as_documented", "flat_items"] as const)(
    "is the same in both, field by field, in the dialect %s",
    async (dialect) => {
      const config = await begin(
        { surveys: [{ id: "o'1/2", responses, questions }], dialect },
        { start_date: "2024-04-01T00:00:00Z", end_date: "2024-06-01T00:00:00.5Z" },
      );
      const { low, own } = await once(config);
      // A bare item does not name its survey.
      expectSameTables([low], [own], dialect === "flat_items" ? ["survey_name", "survey_type"] : []);
    },
  );
});

describe("values that do not fit", PATIENT, () => {
  async function both(reply: FaultReply) {
    const faults = [{ on: "/(responses|attributes|questions)", reply }];
    const config = await begin({ surveys: exampleSurveys(20, 5, 1), faults }, SINCE_2023);
    const { low, own } = await once(config);
    return { low, own, row: low.records.survey_responses![0]! };
  }

  test("half of an emoji and NUL are replaced, as in our own source", async () => {
    const text = "\ud83d \ude00 \u0000 \ud83d\ude00 \\ud83d";
    // Rows of one answer share the list, and one row is written while the next one is read.
    const more = { "answers.0.note": Array(1_000).fill(text), "more \ud83d": { "\u0000": [text] } };
    const changed = { url: text, name: text, value: text, ...more };
    const { low, own, row } = await both({ kind: "items", which: "every", set: changed });
    expectSameTables([low], [own]);
    expect(row.url).toBe("\ufffd \ufffd \ufffd \ud83d\ude00 \\ud83d");
    expect(JSON.stringify(low.records)).not.toMatch(/(?<!\\)\\u(d[89a-f]|0000)/);
  });

  test("records keep to their schema as in our own source", async () => {
    const odd = { href: "u" };
    const set = {
      platform: 7,
      language: true,
      device_type: 1.5,
      url: odd,
      name: odd,
      type: ["x"],
      value: [1],
    };
    const pairs = { attributes: [null, "x", { name: "a", value: 5 }, { name: "b", value: "c" }] };
    const answers = [null, { question_id: 1, question_type: 5 }];
    const choices = [null, "x", { id: "5", content: 5 }, { id: 1.5, content: odd }];
    const asked = { introduction: odd, question: 7, answer_choices: choices, columns: ["a", 1], fields: "x" };
    const changed = { ...set, ...pairs, ...asked, "respondent.attributes": pairs, answers };
    const { low, own, row } = await both({ kind: "items", which: "every", set: changed });
    // Whatever a person's list holds there, the document says that it is empty.
    const lists = ["attributes", "respondent_attributes", "additional_fields"];
    expectSameTables([low], [own], [], lists);
    // The CDK omits what is null.
    const { url, respondent_attributes: list, ...fitting } = row;
    expect([url, list]).toEqual([undefined, undefined]);
    expect(fitting).toMatchObject({ platform: "7", language: "true", device_type: "1.5" });
    expect(row.attributes).toEqual([
      { name: "a", value: "5" },
      { name: "b", value: "c" },
    ]);
    expect(row.additional_fields).toMatchObject({
      url: odd,
      attributes: pairs.attributes,
      respondent_attributes: pairs,
    });
  });
});

describe("a page that is empty and says that there is more", PATIENT, () => {
  const RESPONSES = "/responses\\?";
  test.each([
    ["has another link, once", { on: RESPONSES, nth: [2, 5, 9, 30], reply: "page_empty_link_on" }],
    ["links to itself, once", { on: RESPONSES, nth: [2, 5, 9, 30], reply: "page_empty" }],
  ] as const)("loses nothing if it %s", async (_name, fault) => {
    const config = await begin(
      { surveys: exampleSurveys(290, 5, 2), faults: [fault] },
      { start_date: "2023-01-01T00:00:00Z", items_per_page: 50, max_concurrent_requests: 1 },
    );
    const low = await sync(lowCode, config, ALL);
    expect([low.code, ...low.problems]).toEqual([0]);
    sandbox.service.clearFaults();
    expectSameTables([low], [await sync(ownSource, config, ALL)]);
  });
});

describe("the stream fails, rather than to turn in circles or to lose what is left,", PATIENT, () => {
  const self = { kind: "link", to: "{self}", keepLastPage: true } as const;
  const tied = (count: number) => [
    {
      id: "1",
      responses: Array.from({ length: count }, () => ({ collected_at: "2024-05-01T10:00:00.000001Z" })),
    },
  ];
  test.each<[string, SandboxOptions]>([
    ["if the links of a list lead in a circle", { faults: [{ on: "/responses", reply: self }] }],
    [
      "if empty pages always lead on",
      { faults: [{ on: "/responses", reply: { kind: "empty_page", to: "{self}&x=1" } }] },
    ],
    ["if a page that links to itself stays empty", { faults: [{ on: "page=5(&|$)", reply: "page_empty" }] }],
    ["on more responses of one microsecond than a page holds", { surveys: tied(7) }],
  ])("%s", async (_name, options) => {
    const config = await begin({ surveys: exampleSurveys(60, 5, 1), ...options });
    const low = await sync(lowCode, { ...config, items_per_page: 5 }, ["survey_responses"]);
    expect(low.code).toBe(1);
    expect(low.problems.join()).toContain("A link of the list leads to a page that was read before");
  });
});

describe("a service in trouble", PATIENT, () => {
  test("is asked again after a limit, a fault or a broken page, and nothing is lost", async () => {
    const statuses = ["status_429_seconds", "status_503_seconds", "status_500"] as const;
    const replies = [...statuses, "status_200_html", "no_data", "more_without_link"] as const;
    const config = await begin({
      surveys: exampleSurveys(250, 5, 1),
      faults: replies.map((reply, at) => ({ on: "survey_responses", nth: 60 + at, reply })),
    });
    const low = await sync(lowCode, { ...config, ...SINCE_2023 }, ["survey_responses"]);
    expect(low.problems).toEqual([]);
    expect(delivered("survey_responses", low)).toEqual(uuids(...config.survey_ids));
  });

  test("names a survey that is gone, and loses nothing of the one before it", async () => {
    const config = await begin({ surveys: exampleSurveys(60, 5, 2) });
    const [left = "", gone = ""] = config.survey_ids;
    sandbox.service.remove({ surveys: [gone] });
    const dated = { ...config, ...SINCE_2023 };
    const failed = await sync(lowCode, dated, ALL);
    expect(failed.code).toBe(1);
    expect(failed.problems.join()).toContain(`Survey ${gone} was not found`);
    const without = { ...dated, survey_ids: [left] };
    const low = await sync(lowCode, without, ALL, failed.state);
    expect(low.problems).toEqual([]);
    expectSameTables([failed, low], [await sync(ownSource, without, ALL)]);
  });

  test("skips respondents who are gone, and reads the others", async () => {
    const config = await begin({ surveys: exampleSurveys(60, 5, 1) }, SINCE_2023);
    const [gone = "", other = ""] = sandbox.service.truth.respondents(config.survey_ids[0]!);
    sandbox.service.addFaults({ on: `/respondents/${gone}/`, reply: { kind: "status", status: 404 } });
    sandbox.service.addFaults({ on: `/respondents/${other}/`, reply: { kind: "status", status: 410 } });
    const low = await sync(lowCode, config, ["respondent_responses", "respondent_attributes"]);
    expect([low.code, ...low.problems]).toEqual([0]);
    const truth = [...sandbox.service.truth.responses(config.survey_ids[0]!)];
    const left = truth.filter(({ respondent_uuid: uuid }) => uuid !== gone && uuid !== other);
    expect(left.length).toBeLessThan(truth.length);
    expect(delivered("respondent_responses", low)).toEqual(left.map(({ uuid }) => uuid).sort());
    expect(low.records.respondent_attributes!.length).toBeGreaterThan(0);
  });

  test("omits a survey or its questions that are not found, and reads the others", async () => {
    const config = await begin({ surveys: exampleSurveys(5, 5, 3) });
    const [one = "", two = "", three = ""] = config.survey_ids;
    const on = [`/surveys/${one}/questions`, `/surveys/${two}$`];
    sandbox.service.addFaults(...on.map((path) => ({ on: path, reply: "status_404" as const })));
    const low = await sync(lowCode, config, ["surveys", "survey_questions"]);
    expect([low.code, ...low.problems]).toEqual([0]);
    const read = (stream: string, field: string) => [
      ...new Set(low.records[stream]!.map(({ [field]: id }) => id)),
    ];
    expect(read("surveys", "id").sort()).toEqual([one, three].sort());
    expect(read("survey_questions", "survey_id").sort()).toEqual([two, three].sort());
  });

  test("loses nothing if a step of a survey, or a page of its respondents, cannot be read for a time", async () => {
    const unreadable = ["items_per_page=2&start=2026-0[1-6]", "/surveys/.*\\?start="];
    const faults = unreadable.map((on) => ({ on, reply: "status_400_quotes_key" as const }));
    const more = { start_date: "2024-01-01T00:00:00Z", items_per_page: 20 };
    const config = await begin({ surveys: exampleSurveys(60, 5, 1), faults }, more);
    const failed = await sync(lowCode, config, ALL);
    expect(failed.code).toBe(1);
    sandbox.service.clearFaults();
    const low = await sync(lowCode, config, ALL, failed.state);
    expect(low.problems).toEqual([]);
    expectSameTables([failed, low], [await sync(ownSource, config, ALL)]);
  });

  const UNUSABLE =
    "A response has no uuid, no respondent, or no time of the form YYYY-MM-DDTHH:MM:SS.ffffffZ";
  test.each([
    "item_without_uuid",
    { kind: "items", set: { collected_at: "yesterday" } },
    "item_without_respondent",
  ] as const)("fails on %o", async (reply) => {
    const config = await begin({
      surveys: exampleSurveys(30, 5, 1),
      faults: [{ on: "survey_responses", reply }],
    });
    const low = await sync(lowCode, { ...config, start_date: "2026-01-01T00:00:00Z" }, ALL);
    expect(low.code).toBe(1);
    expect(low.problems.join()).toContain(UNUSABLE);
    for (const stream of FROM_RESPONSES) expect(low.problems.join()).toContain(stream);
  });
});
