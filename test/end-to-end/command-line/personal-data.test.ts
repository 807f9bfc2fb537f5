import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Sandbox, SandboxOptions } from "../../../sandbox/index.ts";
import { catalog, type Ended, errors, lastStates, records, runWarm } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { PERSONAL_DATA, type PersonalValue, personalSurveys } from "../../support/personal-data.ts";
import { configOf, sandboxForTest } from "../../support/sandbox.ts";

const SALT = "0123456789abcdef0123456789abcdef";
const ALL = ["survey_responses", "survey_answers", "respondent_responses", "respondent_attributes"];
const NAMES = ["contact email", "contact name", "contact phone", "notes"];

const settingOf = (handling: string): object => ({ hash_salt: SALT, all_kinds: handling });
const hmac = (text: string): string => createHmac("sha256", SALT).update(text).digest("hex");

const folder = testFolder();
let sandbox: Sandbox;

async function start(options: SandboxOptions = {}): Promise<void> {
  sandbox = await sandboxForTest({ ...personalSurveys(["a", "b"], 60), ...options });
}

/** Runs a command on the service with all kinds of personal data hashed, or omitted. */
async function run(
  command: "check" | "read",
  handling: string,
  { streams = ALL, state, settings = {} }: { streams?: string[]; state?: unknown; settings?: object } = {},
): Promise<Ended> {
  const config = configOf(sandbox, { attributes: NAMES, personal_data: settingOf(handling), ...settings });
  const given = { config, ...(command === "read" && { catalog: catalog(...streams) }), state };
  return runWarm(await folder.words(command, given), { env: { SURVEY_EXPORT_STDERR: "1" } });
}

const respondents = (): string[] => {
  const { truth } = sandbox.service;
  return [...new Set(truth.surveyIds().flatMap((id) => [...truth.respondents(id)]))];
};
/** The personal data, respondents and salt that are in either output. */
function leaked({ stdout, stderr }: Ended): (PersonalValue | string)[] {
  const text = stdout + stderr;
  const isThere = (value: string) =>
    text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
  return [
    ...PERSONAL_DATA.filter(({ spellings }) => spellings.some(isThere)),
    ...[...respondents(), SALT].filter(isThere),
  ];
}

describe("personal data", () => {
  it("of every kind is nowhere in what leaves with hash, and identifiers are hashed alike in every stream", async () => {
    await start();
    const ended = await run("read", "hash");
    expect(ended.code).toBe(0);
    expect(leaked(ended)).toEqual([]);
    const hashes = respondents().map(hmac).toSorted();
    for (const name of ALL) {
      const rows = records(ended.messages, name);
      const inStream = new Set(rows.map(({ respondent_uuid }) => respondent_uuid));
      expect([...inStream].toSorted()).toEqual(hashes);
    }
  });

  it("of every kind is nowhere in what leaves with omit, and a stream whose key that would be is refused", async () => {
    await start();
    const ended = await run("read", "omit");
    expect(ended.code).toBe(1);
    expect(errors(ended.messages)).toMatchObject([
      {
        failure_type: "config_error",
        message:
          "Stream respondent_attributes cannot be read if personal_data omits respondent_identifiers: its primary key holds the respondent's UUID. Set respondent_identifiers to hash or keep, or remove the stream. This does not affect the other streams.",
      },
    ]);
    for (const name of ALL.slice(0, 3)) expect(records(ended.messages, name).length).toBeGreaterThan(100);
    expect(leaked(ended)).toEqual([]);
  });

  it.each(["hash", "omit"])("is not in messages about what goes wrong, with %s", async (handling) => {
    const body = JSON.stringify({ data: [PERSONAL_DATA.map(({ value }) => value)], note: "x" });
    const quoting = (status: number) => ({ kind: "status", status, body }) as const;
    await start({
      faults: [
        { on: "/surveys/a/", nth: 1, reply: quoting(200) },
        { on: "/surveys/b/", reply: quoting(400) },
        { on: "/respondents/[^/]*/responses", reply: quoting(418) },
        { on: "/respondents/[^/]*/attributes", reply: quoting(400) },
      ],
    });
    const ended = await run("read", handling);
    expect(ended.code).toBe(1);
    expect(errors(ended.messages).length).toBeGreaterThan(2);
    expect(ended.stdout).toMatch(/its answer begins \\"…\\"/i);
    const path = handling === "hash" ? /\/respondents\/[0-9a-f]{64}\// : /\/respondents\/…\//;
    expect(ended.stdout).toMatch(path);
    expect(leaked(ended)).toEqual([]);
  });

  it("is not in the answers of check", async () => {
    await start({
      faults: [{ on: "/surveys/", reply: { kind: "status", status: 400, body: PERSONAL_DATA[0]!.value } }],
    });
    const unknown = "00000000-0000-4000-8000-00000000ffff";
    for (const survey_ids of [["a"], []]) {
      const ended = await run("check", "hash", { settings: { survey_ids, respondent_uuids: [unknown] } });
      expect(ended.messages.some(({ type }) => type === "CONNECTION_STATUS")).toBe(true);
      expect(leaked(ended)).toEqual([]);
      expect(ended.stdout + ended.stderr).not.toContain(unknown);
    }
  });

  it("is not in the state, which names no respondent, and is resumed from", async () => {
    await start();
    const options = {
      streams: ["survey_responses", "respondent_responses"],
      settings: { respondent_uuids: respondents().slice(0, 3) },
    };
    const first = await run("read", "hash", options);
    const states = lastStates(first.messages);
    const stored = JSON.stringify(states);
    expect(respondents().filter((uuid) => stored.includes(uuid))).toEqual([]);
    const second = await run("read", "hash", { ...options, state: states });
    expect(second.code).toBe(0);
    expect(second.stdout).not.toContain("made under another setting");
    // Those of the respondents come again.
    const countOf = ({ messages }: Ended, name: string) => records(messages, name).length;
    expect(countOf(second, "survey_responses")).toBeLessThan(10);
    expect(countOf(second, "respondent_responses")).toBe(countOf(first, "respondent_responses"));
  });
});
