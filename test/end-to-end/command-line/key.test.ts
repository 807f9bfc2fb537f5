import { describe, expect, it } from "vitest";
import type { Fault } from "../../../sandbox/index.ts";
import { catalog, type RunOptions, run, runWarm } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, surveyOf, testSandbox } from "../../support/sandbox.ts";
import { serverForTest } from "../../support/server.ts";

/** Looks like nothing else, and holds what JSON and addresses write otherwise. */
const KEY = 'PLANTED-"k3y\\7%2F&=+/9f2c';
const FORMS = [
  KEY,
  JSON.stringify(KEY).slice(1, -1),
  encodeURIComponent(KEY),
  Buffer.from(KEY).toString("base64").replace(/=+$/, ""),
  "PLANTED-",
];
const STREAMS = ["survey_responses", "respondent_responses", "respondent_attributes"] as const;

/** Respondents with responses of the last day are asked for once in a sync, whatever the service answers. */
const hoursAgo = (hours: number): string =>
  new Date(Date.now() - hours * 3_600_000).toISOString().replace("Z", "000Z");

const folder = testFolder();
const sandbox = await testSandbox({
  apiKey: KEY,
  latencyMs: 1,
  surveys: [surveyOf("a", 300, { from: hoursAgo(20), to: hoursAgo(1) })],
});
const catalogFile = await folder.file("catalog.json", catalog(...STREAMS));

const keyState = await folder.file("state.json", { type: KEY, [KEY]: [KEY] });
const access = configOf(sandbox);

/** Runs commands with a configuration and gives everything they wrote, on both outputs. */
async function everything(
  change: object = {},
  commands: readonly string[] = ["check", "read"],
  options?: RunOptions,
): Promise<string> {
  const file = await folder.file("config.json", { ...access, ...change });
  let text = "";
  for (const command of commands) {
    const more = command === "read" ? ["--catalog", catalogFile] : [];
    const ended = await run([command, "--config", file, ...more], options);
    text += ended.stdout + ended.stderr;
  }
  return text;
}

function expectNoKey(text: string): void {
  expect(text.length).toBeGreaterThan(100);
  for (const form of FORMS) expect(text.includes(form), `the output holds ${form}`).toBe(false);
}

describe("the key is in no line that any command writes", () => {
  it("when all is well, with Node and the HTTP client told to chatter", async () => {
    const text = await everything({}, ["check", "discover", "read"], { env: { DEBUG: "*" } });
    expect(text).toContain('"type":"RECORD"');
    expectNoKey(text);
  });

  const quoted = `{"error":"the key Basic ${JSON.stringify(KEY).slice(1, -1)} is bad, ${KEY}"}`;
  const echo = (status: number) => ({ kind: "status", status, body: quoted }) as const;
  const elsewhere = `https://other.example/${KEY}`;
  it.each<[string, Fault["reply"], string[]]>([
    ["quotes it in a rejection", echo(400), ["check", "read"]],
    ["quotes it in an odd status", echo(418), ["check", "read"]],
    ["does not accept it", echo(401), ["check", "read"]],
    // A read takes a broken answer for a passing fault, and waits.
    ["quotes it in a broken answer", echo(200), ["check"]],
    ["redirects to an address that holds it", { kind: "redirect", to: elsewhere }, ["check", "read"]],
    ["sends a link that holds it", { kind: "link", to: elsewhere }, ["check", "read"]],
  ])("when the service %s", async (_, reply, commands) => {
    sandbox.service.addFaults({ on: "any", reply });
    const text = await everything({}, commands);
    sandbox.service.clearFaults();
    expectNoKey(text);
  });

  it.each([
    { base_url: `https://${encodeURIComponent(KEY)}@api.example.com/v2` },
    { base_url: "http://api.example.com/v2", survey_ids: [""], start_date: KEY },
    { respondent_uuids: [KEY] },
    { api_key: `${KEY}\n` },
    { base_url: "http://127.0.0.1:1/v1" },
  ])("when the configuration is wrong: %j", async (change) => {
    expectNoKey(await everything(change));
  });

  it.each<[string, (file: string) => readonly string[]]>([
    ["a configuration's path", () => ["check", "--config", KEY]],
    ["a configuration's path, in JSON", () => ["check", "--config", JSON.stringify({ api_key: KEY })]],
    ["a path", (file) => ["read", "--config", file, "--catalog", folder.path(KEY)]],
    ["a state", (file) => ["read", "--config", file, "--catalog", catalogFile, "--state", keyState]],
    ["a command", () => [KEY]],
    ["an argument", (file) => ["check", "--config", file, KEY]],
    ["an option", (file) => ["check", "--config", file, `--${KEY}`]],
  ])("when somebody gave it in the place of %s", async (_, words) => {
    const { code, stdout, stderr } = await runWarm([...words(await folder.file("config.json", access))]);
    expect(code).not.toBe(0);
    expectNoKey(stdout + stderr);
  });

  it("when the variable SURVEY_EXPORT_API_KEY gives it, since the configuration has none", async () => {
    const options = { env: { SURVEY_EXPORT_API_KEY: `${KEY}\n` } };
    const text = await everything({ api_key: "" }, ["check", "discover", "read"], options);
    const results = text.match(/SUCCEEDED|"CATALOG"|"(?:IN)?COMPLETE"/g);
    expect([...new Set(results)]).toEqual(["SUCCEEDED", '"CATALOG"', '"COMPLETE"']);
    expectNoKey(text);
  });
});

it("the key goes nowhere but to base_url, whatever a link or a redirect says", async () => {
  const seen: string[] = [];
  const elsewhere = await serverForTest((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    response.end("{}");
  });
  const { host } = new URL(elsewhere.origin);
  const links = [`http://${host}/v2{link}`, `//${host}/v2{link}`, `/\\${host}/v2{link}`, `@${host}/v2{link}`];
  const faults: Fault["reply"][] = [
    ...links.map((to) => ({ kind: "link", to }) as const),
    { kind: "redirect", to: `//${host}{path}`, status: 308 },
  ];
  for (const reply of faults) {
    sandbox.service.addFaults({ on: "any", reply });
    await everything({}, ["read"]);
    sandbox.service.clearFaults();
  }
  expect(seen).toEqual([]);
});
