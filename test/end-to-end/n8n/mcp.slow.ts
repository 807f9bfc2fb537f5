import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { IDataObject } from "n8n-workflow";
import { beforeAll, expect, inject, test } from "vitest";
import { exampleSurveys, type Sandbox } from "../../../sandbox/index.ts";
import { addAiNodes } from "./support/install-n8n.ts";
import { startLeg } from "./support/leg.ts";
import { withCredential } from "./support/workflows.ts";

/** The part of the official MCP client that the leg uses. n8n brings the package. */
interface McpClient {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ tools: readonly Tool[] }>;
  callTool(call: { name: string; arguments: IDataObject }): Promise<ToolAnswer>;
  close(): Promise<void>;
}
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Record<string, { type: string; description: string }>;
    readonly required: readonly string[];
  };
}
interface ToolAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

const EXAMPLE = join(import.meta.dirname, "../../../n8n-node/examples/tool-for-agents.json");
/** A tool's answer holds 60,000 characters at most; its note and n8n's own brackets come on top. */
const LONGEST = 62_000;

let sandbox: Sandbox;
let client: McpClient;

beforeAll(async () => {
  await addAiNodes(inject("n8n"));
  const leg = await startLeg("mcp", {
    sandbox: { surveys: exampleSurveys(2_000, 1) },
    builtInNodes: ["stickyNote", "@n8n/n8n-nodes-langchain.mcpTrigger"],
  });
  const { rest, credential, n8n } = leg;
  ({ sandbox } = leg);
  const { id } = await rest.create(withCredential(readFileSync(EXAMPLE, "utf8"), credential));
  await rest.activate(id);

  const ofN8n = createRequire(join(inject("n8n").modules, "n8n/package.json"));
  const { Client } = ofN8n("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = ofN8n("@modelcontextprotocol/sdk/client/streamableHttp.js");
  client = new Client({ name: "survey-export-test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${n8n.url}/mcp/survey-tools`)));
  return async () => {
    await client.close();
    await leg.stop();
  };
});

async function call(name: string, given: IDataObject) {
  const answer = await client.callTool({ name, arguments: given });
  const text = answer.content.map((part) => part.text).join("");
  return { isError: answer.isError === true, text };
}

test("a client lists the tools, and their fields say how ids, times and limits are written", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(["History_of_a_Person", "Survey_Responses"]);
  const schema = tools.find(({ name }) => name === "Survey_Responses")!.inputSchema;
  const fields = schema.properties;
  expect(schema.required).toEqual(["survey_id"]);
  expect(Object.keys(fields).sort()).toEqual(["collected_after", "collected_before", "limit", "survey_id"]);
  expect(fields.survey_id!.description).toContain("1042");
  expect(fields.collected_after!.description).toContain("2026-01-31T08:30:00Z");
  expect(fields.limit).toMatchObject({ type: "number", description: expect.stringContaining("500") });
});

test("a call gives the newest responses", async () => {
  const { isError, text } = await call("Survey_Responses", { survey_id: "1001", limit: 3 });
  expect(isError, text).toBe(false);
  const newest = [...sandbox.service.truth.responses("1001")].slice(-3).reverse();
  for (const { uuid } of newest) expect(text).toContain(uuid);
  expect(text.match(/response_uuid/g)).toHaveLength(3);
});

test("a call with nothing but an id is answered, and one with empty filters too", async () => {
  const newest = [...sandbox.service.truth.responses("1001")].slice(-20).reverse();
  for (const empty of [{}, { collected_after: "", collected_before: "" }]) {
    const { isError, text } = await call("Survey_Responses", { survey_id: "1001", ...empty });
    expect(isError, text).toBe(false);
    for (const { uuid } of newest) expect(text).toContain(uuid);
  }
  const [respondent_uuid] = sandbox.service.truth.respondents("1002");
  const { isError, text } = await call("History_of_a_Person", { respondent_uuid: respondent_uuid! });
  expect(isError, text).toBe(false);
  expect(text).toContain(sandbox.service.truth.responsesOf(respondent_uuid!).at(-1)!.uuid);
});

test("a call for more than a model can read is cut, and says how to ask for less", async () => {
  const given = { survey_id: "1001", limit: 2_000 };
  const { isError, text } = await call("Survey_Responses", given);
  console.log(`a call with limit 2000: ${text.length} characters`);
  expect(isError, text.slice(0, 500)).toBe(false);
  expect(text.length).toBeLessThan(LONGEST);
  expect(text).toContain("This answer is not complete");
  expect(text).toContain("To see the others, ask again for fewer results");
  expect(text).not.toContain("null");
});

test.each([
  ["an unknown survey", "Survey_Responses", { survey_id: "9999" }, "Check"],
  [
    "a value that is not a time",
    "Survey_Responses",
    { survey_id: "1001", limit: 3, collected_after: "yesterday" },
    "Collected After",
  ],
  ["a person by name", "History_of_a_Person", { respondent_uuid: "Ada", limit: 3 }, "UUID"],
])("%s is answered with what to change", async (_case, tool, given, expected) => {
  const { text } = await call(tool, given);
  console.log(`${tool} ${JSON.stringify(given)}: ${text}`);
  expect(text).toContain(expected);
});
