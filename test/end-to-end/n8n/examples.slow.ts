import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { IDataObject, INodeParameters } from "n8n-workflow";
import { afterAll, expect, test } from "vitest";
import { answerRows } from "../../../connector/core/index.ts";
import { questionOf } from "../../../sandbox/data/question.ts";
import { exampleSurveys, SURVEY_IDS } from "../../../sandbox/index.ts";
import { startServer } from "../../support/server.ts";
import { collectFromWilma, documented, TRACE, UUID } from "../deletions/support/erasure.ts";
import { testLeg } from "./support/n8n-instance.ts";
import { withCredential } from "./support/workflows.ts";

const EXAMPLES = join(import.meta.dirname, "../../../n8n-node/examples");
/** Surveys without a response. */
const [CHATTED, QUIET] = ["1998", "1999"] as const;

/** What the chat got. */
const messages: { text: string }[] = [];

const names = readdirSync(EXAMPLES).filter((file) => file.endsWith(".json"));
const [FIRST, SECOND] = SURVEY_IDS;
const textOf = (name: string) => readFileSync(join(EXAMPLES, name), "utf8");

const chat = await startServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  messages.push(JSON.parse(body));
  response.end("ok");
});
afterAll(chat.close);
const filled = [...exampleSurveys(700, 1, 1), ...exampleSurveys(20, 1).slice(1)];
const questions = [questionOf(7, "nps", "Would you recommend us?")];
const quiet = [CHATTED, QUIET].map((id) => ({ id, name: "After purchase", questions, responses: [] }));
const { sandbox, n8n, rest, credential } = await testLeg("examples", {
  sandbox: { surveys: [...filled, ...quiet] },
  builtInNodes: [
    ...["aggregate", "dataTable", "filter", "httpRequest", "if", "merge", "removeDuplicates"],
    ...["respondToWebhook", "set", "stickyNote", "summarize", "webhook"],
  ],
});

/** What an example names in place of a chat. */
const CHAT = "https://chat.example.com/hooks/your-webhook";

/** Imports an example as it is, with the test's credential and chat, and this text in place of another. */
async function imported(name: string, from = "", to = "", parameters: INodeParameters = {}): Promise<string> {
  const text = textOf(`${name}.json`);
  expect(text).toContain(from);
  const own = text.replace(from, to).replace(CHAT, `${chat.origin}/`);
  return await rest.create(withCredential(own, credential, parameters));
}

/** As the service writes a time, this many minutes ago. */
const minutesAgo = (minutes: number) =>
  new Date(Date.now() - minutes * 60_000).toISOString().replace("Z", "000Z");
const DAY = 24 * 60;

const npsAnswer = (score: number, tag: "detractor" | "promoter", comment = "As it was") => {
  const answer = { content: String(score), tag, comment };
  return { answers: [{ question_id: 7, question_type: "numerical_scale", answer }] };
};

test.each(names)("the example %s holds no credential and no address of a machine", (name) => {
  const text = textOf(name);
  expect(text).not.toMatch(/"credentials"|127\.0\.0\.1|localhost|sandbox/);
  const addresses = new Set(text.match(/https?:\/\/[^"\s]+/g));
  addresses.delete(CHAT);
  expect(addresses.size).toBe(0);
});

test("a low score becomes a message in the chat, in which no comment can be a command; a high one does not", async () => {
  const id = await imported("low-score-to-chat", "", "", { watch: "selected", surveys: [CHATTED] });
  sandbox.service.collect(CHATTED, [{ collected_at: minutesAgo(3), fields: npsAnswer(10, "promoter") }]);
  await rest.run(id, "New Response");
  expect(messages).toEqual([]);
  const respondent_uuid = "0b7c5f1e-52a0-4a8e-9d55-3f2f9f4c1a77";
  const low = {
    collected_at: minutesAgo(2),
    respondent_uuid,
    fields: npsAnswer(3, "detractor", "<!channel> & <http://a.example|here>"),
  };
  sandbox.service.collect(CHATTED, [low]);
  await rest.run(id, "New Response");
  expect(messages.map(({ text }) => text)).toEqual([
    `Score 3 in After purchase (respondent ${respondent_uuid})\nWould you recommend us?: 3 (&lt;!channel&gt; &amp; &lt;http://a.example|here&gt;)`,
  ]);
});

/** The rows of the Data Table that the example created. */
async function rowsOf({ projectId, id }: IDataObject): Promise<IDataObject[]> {
  const rows: IDataObject[] = [];
  for (let count = Number.POSITIVE_INFINITY; rows.length < count; ) {
    const path = `/rest/projects/${projectId}/data-tables/${id}/rows?skip=${rows.length}&take=1000`;
    const page = await rest.call<{ data: IDataObject[]; count: number }>("GET", path);
    rows.push(...page.data);
    count = page.count;
  }
  return rows;
}

const ROW = ["response_uuid", "question_id", "position", "value_text", "value_number", "nps_tag"];
const asText = (rows: readonly IDataObject[]) =>
  rows.map((row) => JSON.stringify(ROW.map((column) => row[column]))).sort();
/** What the survey has, one row for each answer. */
const trueRows = (but?: string) => {
  const responses = [...sandbox.service.truth.answers(FIRST)].filter(({ uuid }) => uuid !== but);
  return asText(
    responses.flatMap(({ uuid: response_uuid, answers }) =>
      answerRows(answers).map((row) => ({ response_uuid, ...row }) as IDataObject),
    ),
  );
};

test("the rows of the Data Table are the truth: filled once, with each new response, and repaired weekly", async () => {
  const id = await imported("answers-to-data-table");
  const [{ json: table }] = (await rest.run(id, "Run Once")).items("Create Table") as [{ json: IDataObject }];
  const rows = async () => asText(await rowsOf(table));
  expect(trueRows().length).toBeGreaterThan(5_000);
  expect(await rows()).toEqual(trueRows());
  await rest.run(id, "Run Once");
  expect(await rows()).toEqual(trueRows());

  await rest.watch(id);
  sandbox.service.collect(FIRST, [{ collected_at: minutesAgo(6), fields: npsAnswer(9, "promoter") }]);
  while ((await rest.executionsOf(id)).length === 0) await sleep(1_000);
  await rest.deactivate(id);
  expect(await rows()).toEqual(trueRows());

  sandbox.service.collect(FIRST, [
    { collected_at: minutesAgo(20 * DAY), uuid: "too-old", fields: npsAnswer(1, "detractor") },
    { collected_at: minutesAgo(8 * DAY), fields: npsAnswer(2, "detractor") },
    { collected_at: minutesAgo(2 * DAY), fields: npsAnswer(10, "promoter") },
  ]);
  for (let twice = 0; twice < 2; twice++) await rest.run(id, "Every Week");
  expect(await rows()).toEqual(trueRows("too-old"));
});

/** The message of a week. */
const weekly = async (from = "", to = "") => {
  const id = await imported("weekly-nps-to-chat", from, to);
  messages.length = 0;
  await rest.run(id, "Every Monday");
  return messages.map(({ text }) => text);
};

test("the weekly message has the NPS of each survey", async () => {
  const expected: string[] = [];
  const hours = Array.from({ length: 20 }, (_, hour) => ({ collected_at: minutesAgo(60 * (hour + 1)) }));
  for (const survey of [FIRST, SECOND]) sandbox.service.collect(survey, hours);
  for (const { id: survey, name } of sandbox.service.surveys) {
    const since = 1_000 * (Date.now() - 7 * DAY * 60_000);
    const responses = [...sandbox.service.truth.responses(survey)].filter(({ micros }) => micros >= since);
    const fresh = new Set(responses.map(({ uuid }) => uuid));
    const points = [...sandbox.service.truth.answers(survey)]
      .filter(({ uuid }) => fresh.has(uuid))
      .flatMap(({ answers }) => answerRows(answers).find(({ answer_type }) => answer_type === "nps") ?? [])
      .map(({ nps_tag }) => (nps_tag === "promoter" ? 100 : nps_tag === "detractor" ? -100 : 0));
    if (points.length === 0) continue;
    const average = points.reduce((sum: number, value) => sum + value, 0) / points.length;
    const answers = points.length === 1 ? "1 answer" : `${points.length} answers`;
    expected.push(`${name}: ${Math.round(average)} (${answers})`);
  }
  expect(expected.length).toBeGreaterThan(1);
  const [message, ...more] = await weekly();
  const [title, ...lines] = message!.split("\n");
  expect([title, lines.sort(), more]).toEqual(["NPS of the last 7 days", expected.sort(), []]);
});

test("a week without NPS answers is told too: of a survey without responses, and of one without scores", async () => {
  const week = () => weekly('"filters": {}', `"filters": { "name": "${QUIET}" }`);
  const told = ["No NPS answers in the last 7 days"];
  expect(await week()).toEqual(told);
  const comment = { answers: [{ question_id: 8, question_type: "single", answer: "Fine" }] };
  sandbox.service.collect(QUIET, [
    { collected_at: minutesAgo(8 * DAY), fields: npsAnswer(9, "promoter") },
    { collected_at: minutesAgo(1), fields: comment },
  ]);
  expect(await week()).toEqual(told);
});

test("the support desk gets a person's newest responses, 404 for somebody unknown, and 502 if nobody can say", async () => {
  const id = await imported("history-for-support-ticket");
  await rest.activate(id);
  const ask = async (respondent_uuid: string) =>
    (await rest.webhook("survey-history", { respondent_uuid })) as IDataObject[];
  const [respondent] = sandbox.service.truth.respondents(SECOND);
  const expected = sandbox.service.truth.responsesOf(respondent!).map(({ uuid }) => uuid);
  const history = await ask(respondent!);
  expect(history.map(({ response_uuid }) => response_uuid)).toEqual(expected.reverse().slice(0, 10));
  const refused = async (respondent_uuid: string) => {
    const answer = await fetch(`${n8n.url}/webhook/survey-history`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ respondent_uuid }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const nobody = { error: "Nobody with this ID has answered a survey." };
  for (const id of ["00000000-0000-4000-8000-000000000000", "Ada"])
    expect(await refused(id)).toEqual({ status: 404, body: nobody });
  sandbox.service.addFaults({ on: "respondent_responses", reply: { kind: "status", status: 403 } });
  const body = { error: "The history cannot be read now." };
  expect(await refused(respondent!)).toEqual({ status: 502, body });
  sandbox.service.clearFaults();
  await rest.deactivate(id);
});

/** Files of n8n that have a trace of the person of `docs/personal-data.md`, without its packages. */
function traced(): string[] {
  const entries = readdirSync(n8n.folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => !file.includes("node_modules") && TRACE.test(readFileSync(file, "latin1")));
}

// The last test: n8n stops in it.
test("the commands for erasure take a person out of executions and Data Tables, and n8n's files hold no trace", async () => {
  const omitPersonalData = ["answer_labels", "contact_fields", "free_text", "respondent_identifiers"];
  const run = async (parameters: INodeParameters) => {
    const id = await imported("answers-to-data-table", "", "", { surveyId: SECOND, ...parameters });
    return { id, table: (await rest.run(id, "Run Once")).items("Create Table")![0]!.json };
  };
  collectFromWilma(sandbox, SECOND, "2026-10-01T00:00:00.000000Z");
  const omitted = await run({ options: { omitPersonalData } });
  expect(traced()).toEqual([]);
  collectFromWilma(sandbox, SECOND, "2026-10-02T00:00:00.000000Z");
  const { id, table } = await run({});
  expect(omitted.table.id).toBe(table.id);
  const before = await rowsOf(table);
  const isOthers = (row: IDataObject) => row.respondent_uuid !== UUID;
  expect(before.filter(isOthers).length).toBeLessThan(before.length);
  expect(traced()).not.toEqual([]);

  const scopes = ["execution:list", "execution:read", "execution:delete", "dataTableRow:delete"];
  const asked = { label: "erasure", expiresAt: null, scopes };
  const { rawApiKey: key } = await rest.call<{ rawApiKey: string }>("POST", "/rest/api-keys", asked);
  const shell = (command: string, values: Readonly<Record<string, string>>) =>
    promisify(execFile)("/bin/sh", ["-euc", command], {
      env: { ...process.env, n8n: n8n.url, key, ...values },
    });
  await shell(documented("executions"), { workflow: id });
  await shell(documented("data_table"), { table: String(table.id), uuid: UUID });
  expect(await rest.executionTexts(id)).toEqual([]);
  expect(await rowsOf(table)).toEqual(before.filter(isOthers));

  await n8n.stop();
  expect(traced()).not.toEqual([]);
  await n8n.start({ DB_SQLITE_VACUUM_ON_STARTUP: "true" });
  await n8n.stop();
  // On a busy machine n8n is killed before it has closed the database. The next program that opens it does the rest.
  const database = new DatabaseSync(join(n8n.folder, ".n8n/database.sqlite"));
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
  expect(traced()).toEqual([]);
});
