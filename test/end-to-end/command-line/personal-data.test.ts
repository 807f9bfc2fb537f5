import { createHmac } from "node:crypto";
import { PERSONAL_DATA_KINDS } from "@survey-export/core";
import { afterEach, describe, expect, it } from "vitest";
import {
  PERSONAL_DATA,
  type PersonalValue,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from "../../../sandbox/index.ts";
import { catalog, type Ended, errors, lastStates, records, runWarm } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { surveyOf } from "../../support/sandbox.ts";

const SALT = "0123456789abcdef0123456789abcdef";
const ALL: [string][] = [
  ["survey_responses"],
  ["survey_answers"],
  ["respondent_responses"],
  ["respondent_attributes"],
];
const WITHOUT_ATTRIBUTES = ALL.slice(0, 3);
const NAMES = ["contact email", "contact name", "contact phone", "notes"];

const found = (text: string): PersonalValue[] =>
  PERSONAL_DATA.filter(({ spellings }) =>
    spellings.some((each) => text.includes(each) || text.includes(JSON.stringify(each).slice(1, -1))),
  );
const settingOf = (handling: string, kinds: readonly string[] = PERSONAL_DATA_KINDS): object => ({
  hash_salt: SALT,
  ...Object.fromEntries(kinds.map((kind) => [kind, handling])),
});
const hmac = (text: string): string => createHmac("sha256", SALT).update(text).digest("hex");

const folder = testFolder();
let sandbox: Sandbox | undefined;
afterEach(async () => {
  await sandbox?.close();
  sandbox = undefined;
});

const SURVEYS = ["a", "b"].map((id, at) => surveyOf(id, 60, { seed: 7 + at }));

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  sandbox = await startSandbox({ surveys: SURVEYS, personalData: true, ...options });
  return sandbox;
}

async function run(
  command: "check" | "read",
  settings: object,
  streams = ALL,
  state?: unknown,
): Promise<Ended> {
  const { url, apiKey } = sandbox!;
  const config = { base_url: url, api_key: apiKey, survey_ids: ["a", "b"], attributes: NAMES, ...settings };
  const given = { config, ...(command === "read" && { catalog: catalog(...streams) }), state };
  return runWarm(await folder.words(command, given), { env: { SURVEY_EXPORT_STDERR: "1" } });
}
const read = (personal_data: object | undefined, streams = ALL, state?: unknown, settings = {}) =>
  run("read", { ...(personal_data && { personal_data }), ...settings }, streams, state);

const respondents = (): string[] => {
  const { truth } = sandbox!.service;
  return [...new Set(truth.surveyIds().flatMap((id) => [...truth.respondents(id)]))];
};
const whole = ({ stdout, stderr }: Ended): string => stdout + stderr;

describe("personal data", () => {
  it.each(["hash", "omit"])("of every kind is nowhere in what leaves, with %s", async (handling) => {
    await start();
    const streams = handling === "omit" ? WITHOUT_ATTRIBUTES : ALL;
    const { code, ...ended } = await read(settingOf(handling), streams);
    expect(code).toBe(0);
    for (const [name] of streams) expect(records(ended.messages, name).length).toBeGreaterThan(100);
    expect(found(whole(ended as Ended))).toEqual([]);
    expect(respondents().filter((uuid) => whole(ended as Ended).includes(uuid))).toEqual([]);
    expect(whole(ended as Ended)).not.toContain(SALT);
  });

  it("is hashed alike in every stream, e-mail addresses without regard to case and blanks", async () => {
    await start();
    const { messages } = await read(settingOf("hash"));
    const text = PERSONAL_DATA.find(({ place }) => place === "answers: email field of contact_form")!.value;
    const answers = records(messages, "survey_answers");
    expect(answers.filter(({ value_text }) => value_text === hmac(text))).toHaveLength(120);
    const [response] = records(messages, "survey_responses");
    expect(JSON.stringify(response.answers)).toContain(hmac(text));
    expect(response.url).toMatch(/^https:\/\/www\.example\.com\/[^?]*\?[0-9a-f]{64}$/);
    const hashes = respondents().map(hmac).toSorted();
    for (const [name] of ALL) {
      const inStream = new Set(records(messages, name).map(({ respondent_uuid }) => respondent_uuid));
      expect([...inStream].toSorted()).toEqual(hashes);
    }
  });

  it.each(["hash", "omit"])("is not in messages about what goes wrong, with %s", async (handling) => {
    const body = JSON.stringify({ data: [PERSONAL_DATA.map(({ value }) => value)], note: "x" });
    const quoting = (status: number) => ({ kind: "status", status, body }) as const;
    await start({
      faults: [
        { on: "/surveys/a/", nth: 1, reply: quoting(200) },
        { on: "/surveys/b/", nth: 1, reply: quoting(400) },
        { on: "/respondents/[^/]*/responses", nth: 2, reply: quoting(418) },
        { on: "/respondents/[^/]*/responses", nth: 4, reply: quoting(200) },
        { on: "/respondents/[^/]*/attributes", nth: 2, reply: quoting(400) },
      ],
    });
    const ended = await read(settingOf(handling));
    expect(ended.code).toBe(1);
    expect(errors(ended.messages).length).toBeGreaterThan(2);
    expect(ended.stdout).toMatch(/its answer begins \\"…\\"/i);
    expect(ended.stdout).toMatch(
      handling === "hash" ? /\/respondents\/[0-9a-f]{64}\// : /\/respondents\/…\//,
    );
    expect(found(whole(ended))).toEqual([]);
    expect(respondents().filter((uuid) => whole(ended).includes(uuid))).toEqual([]);
  });

  it("is not in the answers of check", async () => {
    await start({
      faults: [{ on: "/surveys/", reply: { kind: "status", status: 400, body: PERSONAL_DATA[0]!.value } }],
    });
    const unknown = "00000000-0000-4000-8000-00000000ffff";
    for (const survey_ids of [["a"], []]) {
      const settings = { survey_ids, respondent_uuids: [unknown], personal_data: settingOf("hash") };
      const ended = await run("check", settings);
      expect(ended.messages.some(({ type }) => type === "CONNECTION_STATUS")).toBe(true);
      expect(found(whole(ended))).toEqual([]);
      expect(whole(ended)).not.toContain(unknown);
    }
  });

  it("with omitted identifiers refuses the stream whose key they are, and reads the others", async () => {
    await start();
    const { code, messages } = await read({ respondent_identifiers: "omit" });
    expect(code).toBe(1);
    expect(errors(messages).map(({ message, failure_type }) => [failure_type, message])).toEqual([
      [
        "config_error",
        "Stream respondent_attributes cannot be read with personal_data.respondent_identifiers set to omit: its primary key holds the respondent's UUID. Choose hash, or remove the stream. This does not affect the other streams.",
      ],
    ]);
    for (const [name] of WITHOUT_ATTRIBUTES) expect(records(messages, name).length).toBeGreaterThan(100);
  });
});

describe("the state", () => {
  it.each(["hash", "omit"])(
    "names with %s only respondents whom the configuration names, and a sync resumes from it",
    async (handling) => {
      await start();
      const configured = { respondent_uuids: respondents().slice(0, 3) };
      const streams: [string][] = [["survey_responses"], ["respondent_responses"]];
      const first = await read(settingOf(handling), streams, undefined, configured);
      const stored = JSON.stringify(lastStates(first.messages));
      expect(respondents().filter((uuid) => stored.includes(uuid))).toEqual(configured.respondent_uuids);
      const second = await read(settingOf(handling), streams, lastStates(first.messages), configured);
      expect(second.code).toBe(0);
      expect(second.stdout).not.toContain("made under another setting");
      for (const [name] of streams) expect(records(second.messages, name).length).toBeLessThan(10);
    },
  );

  it("made under another setting gets a warning", async () => {
    await start();
    const first = await read(undefined);
    const second = await read(settingOf("hash"), ALL, lastStates(first.messages));
    const warnings = second.messages.filter(({ log }) => log?.message.includes("made under another setting"));
    expect(warnings.map(({ log }) => log.level)).toEqual(ALL.map(() => "WARN"));
    expect(respondents().filter((uuid) => whole(second).includes(uuid))).toEqual([]);
  });
});
