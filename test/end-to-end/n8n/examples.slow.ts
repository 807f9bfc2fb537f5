import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { IDataObject } from "n8n-workflow";
import { beforeAll, expect, test } from "vitest";
import { readableAnswerRows } from "../../../connector/core/index.ts";
import { exampleSurveys, type Sandbox } from "../../../sandbox/index.ts";
import { startServer } from "../../support/server.ts";
import { type Leg, startLeg } from "./support/leg.ts";
import type { Execution, RestClient } from "./support/rest-client.ts";
import { CREDENTIAL, credentialWith, withCredential } from "./support/workflows.ts";

const EXAMPLES = join(import.meta.dirname, "../../../n8n-node/examples");
/** Needs n8n's AI nodes: the leg `mcp` runs it. */
const FOR_AGENTS = "tool-for-agents";
/** Surveys without a response. */
const [CHATTED, QUIET] = ["1998", "1999"] as const;

let sandbox: Sandbox;
const messages: { text: string }[] = [];
let rest: RestClient;
let credential: Leg["credential"];

const names = readdirSync(EXAMPLES)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.replace(".json", ""));
const example = (name: string) => readFileSync(join(EXAMPLES, `${name}.json`), "utf8");

beforeAll(async () => {
  const chat = await startServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    messages.push(JSON.parse(body));
    response.end("ok");
  });
  /** The file as it is, with an id, the test's credential, and the test's chat. */
  const importable = (id: string) => ({
    ...withCredential(
      example(id)
        .replace("https://chat.example.com/hooks/your-webhook", `${chat.origin}/`)
        // Of the chat. Fetch Test Event shows the response with the most columns, so here it has no others.
        .replace('"surveyIds": "1001, 1002"', `"surveyIds": "${CHATTED}"`),
      CREDENTIAL,
    ),
    id,
  });
  const [large] = exampleSurveys(700, 1, 1);
  const quiet = [CHATTED, QUIET].map((id) => ({ id, name: "After purchase", responses: [] }));
  const leg = await startLeg("examples", {
    sandbox: { surveys: [large!, ...exampleSurveys(20, 1).slice(1), ...quiet] },
    builtInNodes: [
      ...["convertToFile", "dataTable", "filter", "httpRequest", "if", "merge"],
      ...["removeDuplicates", "respondToWebhook", "set", "splitOut", "stickyNote", "summarize", "webhook"],
    ],
    async before(n8n, { url, apiKey }) {
      await n8n.import("credentials", credentialWith({ baseUrl: url, apiKey }));
      await n8n.import("workflow", names.filter((name) => name !== FOR_AGENTS).map(importable));
    },
  });
  ({ sandbox, rest, credential } = leg);
  return async () => {
    await leg.stop();
    await chat.close();
  };
});

async function run(name: string, startFrom: string): Promise<Execution> {
  const execution = await rest.run(name, startFrom);
  const { error } = execution;
  expect(error && `${error.message} ${error.description ?? ""}`).toBe(undefined);
  return execution;
}

/** As the service writes a time, this many minutes ago. */
const minutesAgo = (minutes: number) =>
  new Date(Date.now() - minutes * 60_000).toISOString().replace("Z", "000Z");

const npsAnswer = (score: number, tag: "detractor" | "promoter") => ({
  answers: [
    {
      question_id: 7,
      question_type: "numerical_scale",
      answer: { content: String(score), tag, comment: "As it was" },
    },
  ],
});

test.each(names)("the example %s holds no credential and no address of a machine", (name) => {
  const text = example(name);
  expect(text).not.toMatch(/"credentials"|127\.0\.0\.1|localhost|sandbox/);
  expect(text.match(/https?:\/\/[^"\s]+/g) ?? []).toEqual(
    name === "low-score-to-chat" ? ["https://chat.example.com/hooks/your-webhook"] : [],
  );
});

test("a low score becomes a message in the chat, a high one does not", async () => {
  sandbox.service.collect(CHATTED, [{ collected_at: minutesAgo(3), fields: npsAnswer(10, "promoter") }]);
  await run("low-score-to-chat", "New Response");
  expect(messages).toEqual([]);
  sandbox.service.collect(CHATTED, [
    {
      collected_at: minutesAgo(2),
      respondent_uuid: "0b7c5f1e-52a0-4a8e-9d55-3f2f9f4c1a77",
      fields: npsAnswer(3, "detractor"),
    },
  ]);
  await run("low-score-to-chat", "New Response");
  expect(messages.map(({ text }) => text)).toEqual([
    "Score 3 in After purchase: As it was (respondent 0b7c5f1e-52a0-4a8e-9d55-3f2f9f4c1a77)",
  ]);
});

const ROW = ["response_uuid", "question_id", "position", "value_text", "value_number", "nps_tag"] as const;

/** The rows of the Data Table that the example created, as text. */
async function rowsOf({ projectId, id }: IDataObject): Promise<string[]> {
  const rows: IDataObject[] = [];
  for (let count = Number.POSITIVE_INFINITY; rows.length < count; ) {
    const page = await rest.call<{ data: IDataObject[]; count: number }>(
      "GET",
      `/rest/projects/${projectId}/data-tables/${id}/rows?skip=${rows.length}&take=1000`,
    );
    rows.push(...page.data);
    count = page.count;
  }
  return rows.map((row) => JSON.stringify(ROW.map((column) => row[column]))).sort();
}

const trueRows = (but?: string) =>
  [...sandbox.service.truth.answers("1001")]
    .filter(({ uuid }) => uuid !== but)
    .flatMap(({ uuid: response_uuid, answers }) =>
      readableAnswerRows(answers).rows.map((row) =>
        JSON.stringify(ROW.map((column) => ({ response_uuid, ...row })[column])),
      ),
    )
    .sort();

test("the rows of the Data Table are the truth: filled once, with each new response, and repaired weekly", async () => {
  const timed = async (startFrom: string) => {
    const startedMs = Date.now();
    const execution = await run("answers-to-data-table", startFrom);
    const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
    console.log(`${startFrom}: ${trueRows().length} answers in the survey, ${seconds} s`);
    return execution;
  };
  const table = (await timed("Run Once")).items("Create Table")![0]!.json;
  expect(trueRows().length).toBeGreaterThan(5_000);
  expect(await rowsOf(table)).toEqual(trueRows());
  await timed("Run Once");
  expect(await rowsOf(table)).toEqual(trueRows());

  const days = 24 * 60;
  await rest.activate("answers-to-data-table");
  while (!(await rest.memoryOf("answers-to-data-table"))) await sleep(200);
  sandbox.service.collect("1001", [{ collected_at: minutesAgo(1), fields: npsAnswer(9, "promoter") }]);
  while ((await rest.executionsOf("answers-to-data-table")).length === 0) await sleep(1_000);
  await rest.deactivate("answers-to-data-table");
  expect(await rowsOf(table)).toEqual(trueRows());
  await timed("New Response");
  expect(await rowsOf(table)).toEqual(trueRows());

  sandbox.service.collect("1001", [
    { collected_at: minutesAgo(20 * days), uuid: "too-old", fields: npsAnswer(1, "detractor") },
    { collected_at: minutesAgo(8 * days), fields: npsAnswer(2, "detractor") },
    { collected_at: minutesAgo(2 * days), fields: npsAnswer(10, "promoter") },
  ]);
  for (let twice = 0; twice < 2; twice++) await timed("Every Week");
  expect(await rowsOf(table)).toEqual(trueRows("too-old"));
  await timed("Run Once");
  expect(await rowsOf(table)).toEqual(trueRows());
});

test("the weekly file has the NPS of each survey", async () => {
  const expected = new Map<string, number>();
  for (const [survey, count] of [
    ["1001", 30],
    ["1002", 20],
  ] as const) {
    const recent = Array.from({ length: count }, (_, place) => ({
      collected_at: minutesAgo(60 * (place + 1)),
    }));
    sandbox.service.collect(survey, recent);
    const since = Date.now() - 7 * 24 * 3_600_000;
    const fresh = new Set(
      [...sandbox.service.truth.responses(survey)]
        .filter(({ micros }) => micros / 1_000 >= since)
        .map(({ uuid }) => uuid),
    );
    const points = [...sandbox.service.truth.answers(survey)]
      .filter(({ uuid }) => fresh.has(uuid))
      .flatMap(({ answers }) => readableAnswerRows(answers).rows)
      .filter(({ answer_type }) => answer_type === "nps")
      .map(({ nps_tag }) => (nps_tag === "promoter" ? 100 : nps_tag === "detractor" ? -100 : 0));
    expect(points.length).toBeGreaterThan(0);
    const average = points.reduce((sum: number, value) => sum + value, 0) / points.length;
    // n8n writes ten digits into a file.
    expected.set(survey, Number(average.toPrecision(10)));
  }
  const { items } = await run("weekly-nps-to-csv", "Every Monday");
  const file = items("CSV File")![0]!.binary!.data!;
  expect(file.fileName).toBe("nps.csv");
  const [header, ...lines] = (await rest.fileText(file.id!))
    .replace("\uFEFF", "")
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(",").map((cell) => cell.replaceAll('"', "")));
  const at = (column: string) => header!.indexOf(column);
  expect(new Map(lines.map((line) => [line[at("survey_id")], Number(line[at("average_nps")])]))).toEqual(
    expected,
  );
});

test("a week without NPS answers ends in a note: of a survey without responses, and of one without scores", async () => {
  const text = example("weekly-nps-to-csv").replace('[\\"1001\\", \\"1002\\"]', `[\\"${QUIET}\\"]`);
  expect(text).toContain(QUIET);
  const { id } = await rest.create(withCredential(text, credential));
  const week = async () => {
    const { items } = await run(id, "Every Monday");
    return [items("No Answers")?.map(({ json }) => json), items("CSV File")?.length];
  };
  const noted = [[{ note: "No NPS answers in the last 7 days" }], undefined];
  expect(await week()).toEqual(noted);
  const comment = { answers: [{ question_id: 8, question_type: "single", answer: "Fine" }] };
  sandbox.service.collect(QUIET, [
    { collected_at: minutesAgo(8 * 24 * 60), fields: npsAnswer(9, "promoter") },
    { collected_at: minutesAgo(1), fields: comment },
  ]);
  expect(await week()).toEqual(noted);
  sandbox.service.collect(QUIET, [{ collected_at: minutesAgo(2), fields: npsAnswer(9, "promoter") }]);
  expect(await week()).toEqual([undefined, 1]);
});

test("the support desk gets a person's newest responses, and an answer for an unknown person", async () => {
  await rest.activate("history-for-support-ticket");
  const ask = async (respondent: string) =>
    (await rest.webhook("survey-history", { respondent_uuid: respondent })) as IDataObject[];
  const [respondent] = sandbox.service.truth.respondents("1002");
  const expected = sandbox.service.truth.responsesOf(respondent!).map(({ uuid }) => uuid);
  const history = await ask(respondent!);
  expect(history.map(({ response_uuid }) => response_uuid)).toEqual(expected.reverse().slice(0, 10));
  const [unknown] = await ask("00000000-0000-4000-8000-000000000000");
  expect(JSON.stringify(unknown)).toContain("was not found");
  await rest.deactivate("history-for-support-ticket");
});
