import { describe, expect, it } from "vitest";
import type { Fault } from "../../../sandbox/index.ts";
import { catalog, type RunOptions, run, runWarm, signalAtFirstRecord } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { surveyOf, testSandbox } from "../../support/sandbox.ts";
import { startServer } from "../../support/server.ts";

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
const catalogFile = await folder.file("catalog.json", catalog(...STREAMS.map((name): [string] => [name])));

/** Runs commands with a configuration and gives everything they wrote, on both outputs. */
async function everything(
  change: Readonly<Record<string, unknown>> = {},
  options?: RunOptions,
  commands: readonly string[] = ["check", "read"],
): Promise<string> {
  const config = { base_url: sandbox.url, api_key: KEY, survey_ids: ["a"], ...change };
  const file = await folder.file("config.json", config);
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

const read = (config: string) => ["read", "--config", config, "--catalog", catalogFile];
const keyState = () => folder.file("state.json", { type: KEY, [KEY]: [KEY] });

describe("the key is in no line that any command writes", () => {
  it("when all is well, with Node and the HTTP client told to chatter", async () => {
    const text = await everything({}, { env: { DEBUG: "*" } }, ["check", "discover", "read"]);
    expect(text).toContain('"type":"RECORD"');
    expectNoKey(text);
  });

  const echo = (status: number): Fault => ({
    on: "any",
    reply: {
      kind: "status",
      status,
      body: `{"error":"the key Basic ${JSON.stringify(KEY).slice(1, -1)} is bad, ${KEY}"}`,
    },
  });
  const broken = echo(200).reply;
  it.each<[string, Fault]>([
    ["when the service quotes it in a rejection", echo(400)],
    ["when the service quotes it in an odd status", echo(418)],
    ["when the service does not accept it", echo(401)],
    ["when the service quotes it in a broken answer", { on: "any", reply: broken }],
    [
      "when the service redirects to an address that holds it",
      { on: "any", reply: { kind: "redirect", to: `https://other.example/${KEY}` } },
    ],
    ["when a link holds it", { on: "any", reply: { kind: "link", to: `https://other.example/?key=${KEY}` } }],
  ])("%s", async (_, fault) => {
    sandbox.service.addFaults(fault);
    // A read takes a broken answer for a passing fault, and waits.
    const isBroken = fault.reply === broken;
    const text = await everything({}, undefined, isBroken ? ["check"] : ["check", "read"]);
    sandbox.service.clearFaults();
    expectNoKey(text);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    [
      "when it was pasted into the address",
      { base_url: `https://${encodeURIComponent(KEY)}@api.example.com/v2` },
    ],
    [
      "when it was pasted into the survey ids as well",
      { base_url: "http://api.example.com/v2", survey_ids: [""], start_date: KEY },
    ],
    ["when it was pasted into the respondents", { respondent_uuids: [KEY] }],
    ["when it has a line break", { api_key: `${KEY}\n` }],
    ["when the address leads nowhere", { base_url: "http://127.0.0.1:1/v1" }],
  ])("%s", async (_, change) => {
    expectNoKey(await everything(change));
  });

  it.each<[string, (file: string) => Promise<readonly string[]>]>([
    ["a state", async (file) => [...read(file), "--state", await keyState()]],
    ["a configuration's path", async () => ["check", "--config", KEY]],
    ["a configuration's path, in JSON", async () => ["check", "--config", JSON.stringify({ api_key: KEY })]],
    ["a path", async (file) => ["read", "--config", file, "--catalog", folder.path(KEY)]],
    ["a path of a state", async (file) => [...read(file), "--state", folder.path(KEY)]],
    ["a folder", async () => ["sync", KEY]],
    ["a command", async () => [KEY]],
    ["an argument", async (file) => ["check", "--config", file, KEY]],
    ["an option", async (file) => ["check", "--config", file, `--${KEY}`]],
  ])("when somebody gave it in the place of %s", async (_, words) => {
    const file = await folder.file("config.json", { base_url: sandbox.url, api_key: KEY, survey_ids: ["a"] });
    const { code, stdout, stderr } = await runWarm([...(await words(file))]);
    expect(code).not.toBe(0);
    expectNoKey(stdout + stderr);
  });

  it.each([undefined, null, ""])(
    "when the variable SURVEY_EXPORT_API_KEY gives it, since that in the configuration is %j",
    async (api_key) => {
      const options = { env: { SURVEY_EXPORT_API_KEY: `${KEY}\n` } };
      const text = await everything({ api_key }, options, ["check", "discover", "catalog", "read"]);
      const results = text.match(/SUCCEEDED|"CATALOG"|"append_dedup"|"(?:IN)?COMPLETE"/g);
      expect([...new Set(results)]).toEqual(["SUCCEEDED", '"CATALOG"', '"append_dedup"', '"COMPLETE"']);
      expectNoKey(text);
      sandbox.service.addFaults(echo(400));
      expectNoKey(await everything({ api_key }, options));
      sandbox.service.clearFaults();
    },
  );

  it("when the run is stopped in the middle", async () => {
    sandbox.service.addFaults({ on: "any", reply: { kind: "delay", ms: 100 } });
    const text = await everything({ items_per_page: 5 }, signalAtFirstRecord("SIGTERM"), ["read"]);
    sandbox.service.clearFaults();
    expect(text).toContain("Stopped before the end");
    expectNoKey(text);
  });
});

describe("the key goes nowhere but to base_url", () => {
  it("whatever a link or a redirect says", async () => {
    const seen: string[] = [];
    const elsewhere = await startServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.end("{}");
    });
    const { host } = new URL(elsewhere.origin);
    const links = [
      `http://${host}/v2{link}`,
      `//${host}/v2{link}`,
      `/\\${host}/v2{link}`,
      `@${host}/v2{link}`,
    ];
    const faults: Fault["reply"][] = [
      ...links.map((to) => ({ kind: "link", to }) as const),
      { kind: "redirect", to: `//${host}{path}`, status: 308 },
    ];
    for (const reply of faults) {
      sandbox.service.addFaults({ on: "any", reply });
      await everything({}, undefined, ["read"]);
      sandbox.service.clearFaults();
    }
    await elsewhere.close();
    expect(seen).toEqual([]);
  });
});
