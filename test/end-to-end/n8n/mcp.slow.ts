import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { IDataObject } from "n8n-workflow";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { exampleSurveys, SURVEY_IDS } from "../../../sandbox/index.ts";
import { testLeg } from "./support/n8n-instance.ts";
import { run } from "./support/prepare.ts";
import { withCredential } from "./support/workflows.ts";

/** The part of the official MCP client that the leg uses. n8n brings the package. */
interface McpClient {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ tools: readonly Tool[] }>;
  callTool(call: { name: string; arguments: IDataObject }): Promise<{
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
  }>;
  close(): Promise<void>;
}
interface Tool {
  readonly name: string;
  readonly inputSchema: {
    readonly properties: Record<string, { type: string; description: string }>;
    readonly required: readonly string[];
  };
}

const MCP_TRIGGER = "@n8n/n8n-nodes-langchain.mcpTrigger";
const TOKEN = "a-token-of-the-client";
const EXAMPLE = join(import.meta.dirname, "../../../n8n-node/examples/tool-for-agents.json");

await addAiNodes();
const { sandbox, rest, credential, n8n } = await testLeg("mcp", {
  sandbox: { surveys: exampleSurveys(2_000, 1) },
  builtInNodes: ["stickyNote", MCP_TRIGGER],
});
let client: McpClient | undefined;

afterAll(() => client?.close());

beforeAll(async () => {
  const token = await rest.createCredential({ token: TOKEN }, "httpBearerAuth");
  const workflow = withCredential(readFileSync(EXAMPLE, "utf8"), credential);
  for (const node of workflow.nodes)
    if (node.type === MCP_TRIGGER) node.credentials = { httpBearerAuth: token };
  await rest.activate(await rest.create(workflow));

  const ofN8n = createRequire(join(inject("n8n"), "n8n/package.json"));
  const { Client } = ofN8n("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = ofN8n("@modelcontextprotocol/sdk/client/streamableHttp.js");
  // n8n may register the address a moment after the activation.
  for (let tries = 0; ; tries++) {
    client = new Client({ name: "survey-export-test", version: "1.0.0" });
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    const address = new URL(`${n8n.url}/mcp/survey-tools`);
    const transport = new StreamableHTTPClientTransport(address, { requestInit });
    const failure = await client!.connect(transport).catch((thrown: unknown) => thrown);
    if (failure === undefined) break;
    if (tries === 60) throw failure;
    await sleep(500);
  }
});

/**
 * Puts n8n's real AI nodes in the place of their stand-in, without the packages that only other AI nodes need:
 * the MCP Server Trigger finds its own in n8n, except one. Nothing when they are there already.
 */
async function addAiNodes(): Promise<void> {
  const folder = join(inject("n8n"), "../ai-nodes");
  const parser = "@n8n/json-schema-to-zod";
  if (existsSync(join(folder, "node_modules", parser, "package.json"))) return;
  const packageIn = (path: string) => JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  await unpack(`@n8n/n8n-nodes-langchain@${packageIn(join(inject("n8n"), "n8n")).version}`, folder);
  const version = packageIn(folder).dependencies[parser];
  await unpack(`${parser}@${version}`, join(folder, "node_modules", parser));
}

/** Puts a package's files into a folder, without the packages that it needs. */
async function unpack(name: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const [{ filename }] = JSON.parse(await run("npm", ["pack", "--json", name], folder));
  await run("tar", ["-xzf", filename, "--strip-components=1"], folder);
  rmSync(join(folder, filename));
}

async function call(name: string, given: IDataObject) {
  const answer = await client!.callTool({ name, arguments: given });
  const text = answer.content.map((part) => part.text).join("");
  return { isError: answer.isError === true, text };
}

test("a client lists the tools, and their fields say how ids, times and limits are written", async () => {
  const { tools } = await client!.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    ...["Find_Surveys", "History_of_a_Respondent", "Survey_Questions", "Survey_Responses"],
  ]);
  const schema = tools.find(({ name }) => name === "Survey_Responses")!.inputSchema;
  const fields = schema.properties;
  expect(schema.required).toEqual(["survey_id"]);
  expect(Object.keys(fields).sort()).toEqual(["collected_after", "collected_before", "limit", "survey_id"]);
  expect(fields.survey_id!.description).toContain("1042");
  expect(fields.collected_after!.description).toContain("2026-01-31T08:30:00Z");
  expect(fields.limit).toMatchObject({ type: "number", description: expect.stringContaining("500") });
});

test("a call gives the newest responses: with a limit, with an id alone, and with empty filters", async () => {
  for (const [count, more] of [
    [3, { limit: 3 }],
    [20, {}],
    [20, { collected_after: "", collected_before: "" }],
  ] as const) {
    const { isError, text } = await call("Survey_Responses", { survey_id: SURVEY_IDS[0], ...more });
    expect(isError, text).toBe(false);
    const newest = [...sandbox.service.truth.responses(SURVEY_IDS[0])].slice(-count);
    for (const { uuid } of newest) expect(text).toContain(uuid);
    expect(text.match(/response_uuid/g)).toHaveLength(count);
  }
  const [respondent_uuid] = sandbox.service.truth.respondents(SURVEY_IDS[1]);
  const { text } = await call("History_of_a_Respondent", { respondent_uuid: respondent_uuid! });
  expect(text).toContain(sandbox.service.truth.responsesOf(respondent_uuid!).at(-1)!.uuid);
});

test("a client finds a survey by its name, and asks for its questions and responses with the ID", async () => {
  const named = sandbox.service.surveys.find(({ id }) => id === SURVEY_IDS[0])!;
  const found = await call("Find_Surveys", { name: named.name!.slice(0, -1).toUpperCase() });
  const surveys = JSON.parse(found.text) as IDataObject[];
  expect(surveys.length).toBeLessThan(SURVEY_IDS.length);
  const { id: survey_id } = surveys.find(({ name }) => name === named.name)!;
  expect(survey_id).toBe(SURVEY_IDS[0]);
  const { text: responses } = await call("Survey_Responses", { survey_id: survey_id!, limit: 3 });
  expect(responses).toContain([...sandbox.service.truth.responses(SURVEY_IDS[0])].at(-1)!.uuid);
  const questions = JSON.parse(
    (await call("Survey_Questions", { survey_id: survey_id! })).text,
  ) as IDataObject[];
  expect(responses).toContain(`"${questions[0]!.question}`);
});

test("a mistake is answered with what to change", async () => {
  expect((await call("Survey_Responses", { survey_id: "9999" })).text).toContain("Check the ID");
});
