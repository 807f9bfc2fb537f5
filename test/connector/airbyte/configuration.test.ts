import {
  NOTHING_TO_SAY,
  PERSONAL_DATA_KINDS,
  parseSalt,
  render,
  SurveyExportError,
} from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configurationWarnings, requireConfiguration } from "../../../connector/airbyte/configuration.ts";
import specification from "../../../spec/connection.json" with { type: "json" };

const key = "k3y-of-the-workspace";
const least = { api_key: key, survey_ids: ["s1"] };

interface Property {
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
}

const fields: [string, Property][] = Object.entries<object>(specification.properties);
const keepAll = Object.fromEntries([...PERSONAL_DATA_KINDS, "url"].map((kind) => [kind, "keep"]));
const SALT = "0123456789abcdef0123456789abcdef";
const uuid = "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10";

function refusal(value: unknown): SurveyExportError {
  try {
    requireConfiguration(value);
  } catch (error) {
    if (error instanceof SurveyExportError) return error;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

describe("a configuration that works", () => {
  test.each([
    [[], []],
    [["s1"], []],
    [[], [uuid]],
    [
      ["s1", "s2", "s1"],
      [uuid, uuid.toUpperCase()],
    ],
  ])("has the surveys %j and the respondents %j, each once, one filter without the other", (ids, uuids) => {
    const { selection } = requireConfiguration({ ...least, survey_ids: ids, respondent_uuids: uuids });
    const { surveyIds, respondentUuids } = selection;
    expect({ surveyIds, respondentUuids }).toEqual({
      surveyIds: [...new Set(ids)],
      respondentUuids: uuids.slice(0, 1),
    });
  });

  test("gets every default, and nothing that was not asked for", () => {
    expect(requireConfiguration(least)).toEqual({
      service: {
        baseUrl: "https://data-api.survicate.com/v2",
        maxConcurrentRequests: 5,
        requestsPerMinute: 900,
      },
      selection: {
        surveyIds: ["s1"],
        excludedSurveyIds: new Set(),
        respondentUuids: [],
        attributes: [],
        lookbackMs: 1_800_000,
        itemsPerPage: 100,
      },
      personalData: keepAll,
      secret: { apiKey: key, hashSalt: "" },
      ignored: NOTHING_TO_SAY,
    });
  });

  test("keeps every field that is given, and each entry once", () => {
    const given = {
      base_url: "http://localhost:8080/export/v2/",
      api_key: key,
      survey_ids: ["b", "a", "b", "with / slash"],
      respondent_uuids: [uuid.toUpperCase(), uuid],
      start_date: "2024-01-01T00:00:00Z",
      end_date: "2024-01-01T00:00:00.000001Z",
      attributes: ["plan", "plan", "e-mail"],
      lookback_window: "P1W2DT3H4M5S",
      items_per_page: 1,
      max_concurrent_requests: 2,
      requests_per_minute: 30,
    };
    expect(requireConfiguration(given)).toMatchObject({
      service: {
        baseUrl: "http://localhost:8080/export/v2",
        maxConcurrentRequests: 2,
        requestsPerMinute: 30,
      },
      selection: {
        surveyIds: ["b", "a", "with / slash"],
        respondentUuids: [uuid.toUpperCase()],
        startDate: "2024-01-01T00:00:00.000000Z",
        endDate: "2024-01-01T00:00:00.000001Z",
        attributes: ["plan", "e-mail"],
        lookbackMs: ((9 * 24 + 3) * 60 + 4) * 60_000 + 5000,
        itemsPerPage: 1,
      },
    });
  });

  test("may write null or empty text for a field that was left alone, and names nobody knows", () => {
    const left = Object.fromEntries(Object.keys(specification.properties).map((name) => [name, null]));
    const blank = { start_date: "", end_date: "", lookback_window: "", __injected_declarative_manifest: {} };
    expect(requireConfiguration({ ...left, ...least, ...blank })).toEqual(requireConfiguration(least));
  });
});

/** Values of the fields that have no example or bound but the default. */
const others: Readonly<Record<string, unknown>> = {
  base_url: "https://other.example/v2",
  api_key: "other",
  personal_data: { free_text: "omit" },
};
test.each(fields)(
  "no field of the form is forgotten: %s changes the configuration, its default does not",
  (name, field) => {
    const values = [others[name], field.examples?.at(-1), field.minimum, field.maximum];
    const other = values.find((value) => value !== undefined && value !== field.default);
    const configuration = requireConfiguration(least);
    expect(requireConfiguration({ ...least, [name]: other })).not.toEqual(configuration);
    if (field.default !== undefined)
      expect(requireConfiguration({ ...least, [name]: field.default })).toEqual(configuration);
  },
);

describe("an error is one sentence that names the field, the problem and the remedy", () => {
  const address = "Give the address of the service's API, like https://data-api.survicate.com/v2.";
  const copyKey = "Copy the key alone from the service's panel under Settings, Organization, Access Keys.";
  const ids = 'Write each identifier as an entry of its own, like ["5c1f09ab37d24e68"].';
  const uuids = `Write each UUID as an entry of its own, like ["${uuid}"].`;
  const date = "Write it in UTC and with its time, like 2024-01-01T00:00:00Z.";
  const names = 'Write each name as an entry of its own, spelled as it was set, like ["plan"].';
  const duration =
    "Write it as an ISO 8601 duration in weeks, days, hours, minutes and seconds, like PT30M or P1D.";
  const https =
    "Use https. Plain http is accepted only for this machine, a private address, a name without dots, .local and .internal.";
  const number = "Write one, without quotes.";
  const guessed = "It could be guessed. Give 32 random characters, such as openssl rand -hex 16 prints.";
  const kinds =
    "contact_fields, free_text, answer_labels, attribute_values, url_query, respondent_identifiers";
  test.each<[changes: object, problem: string, remedy: string]>([
    [
      { api_key: null },
      "api_key is missing",
      `${copyKey} The variable SURVEY_EXPORT_API_KEY can give it, too.`,
    ],
    [{ base_url: 7 }, "base_url is not a string", "Write it in quotes."],
    [{ base_url: "api.example.com/v2" }, "base_url is not an http or https address", address],
    [{ base_url: `https://me:${key}@a.example/v2` }, "base_url holds a user name or a password", address],
    [{ base_url: "https://a.example/v2?" }, "base_url holds a query or a fragment", address],
    [{ base_url: "https://a.example/v1" }, "base_url does not end in /v2", address],
    [{ base_url: " https://a.example/v2" }, "base_url does not have the right format", address],
    [
      { base_url: "http://a.example/v2" },
      "base_url uses plain http, which would show the key to everyone on the way",
      https,
    ],
    [{ api_key: `${key}\r\nX-Other: 1` }, "api_key does not have the right format", copyKey],
    [{ survey_ids: "s1" }, "survey_ids is not a list", ids],
    [{ survey_ids: ["s1", "s2 "] }, "survey_ids, entry 2, begins or ends with white space", ids],
    [{ survey_ids: ["s1,s2"] }, "survey_ids, entry 1, holds a comma", ids],
    [{ survey_ids: [".."] }, "survey_ids, entry 1, cannot be part of a URL", ids],
    [{ excluded_survey_ids: ["s1,s2"] }, "excluded_survey_ids, entry 1, holds a comma", ids],
    [
      { survey_ids: ["s1", "*"] },
      "survey_ids, entry 2, is no identifier",
      "To read every survey that the service lists, leave survey_ids empty.",
    ],
    [
      { respondent_uuids: [uuid, `${uuid},${uuid}`] },
      "respondent_uuids, entry 2, does not have the right format",
      uuids,
    ],
    [{ start_date: "2024-01-01T00:00:00+01:00" }, "start_date does not have the right format", date],
    [{ end_date: "2023-02-29T00:00:00Z" }, "end_date names a day or a time that does not exist", date],
    [
      { start_date: "2024-01-01T00:00:00Z", end_date: "2024-01-01T00:00:00.000Z" },
      "end_date is not after start_date",
      "Move one of the two, or leave end_date empty.",
    ],
    [{ attributes: ["plan", ""] }, "attributes, entry 2, is empty", names],
    [{ attributes: ["p".repeat(1001)] }, "attributes, entry 1, is longer than 1000 characters", names],
    [{ lookback_window: "P1M" }, "lookback_window does not have the right format", duration],
    [{ lookback_window: "P3651D" }, "lookback_window is longer than 3650 days", "Write a shorter one."],
    [{ items_per_page: 2.5 }, "items_per_page is not a whole number from 1 to 100", number],
    [{ personal_data: "omit" }, "personal_data is not an object", 'Write it like { "all_kinds": "omit" }.'],
    [
      { personal_data: { free_text: "remove" } },
      'personal_data.free_text is not one of "keep", "hash" and "omit"',
      "Choose one of them.",
    ],
    [
      { personal_data: { free_text: "hash" } },
      "personal_data.free_text is hash, and personal_data.hash_salt is missing",
      "Give a salt of 32 random characters, or choose keep or omit.",
    ],
    [
      { personal_data: { all_kinds: "hash", free_text: "omit" } },
      "personal_data.all_kinds is hash, and personal_data.hash_salt is missing",
      "Give a salt of 32 random characters, or choose keep or omit.",
    ],
    [
      { personal_data: { free_text: "hash", hash_salt: "   0123456789   " } },
      "personal_data.hash_salt is shorter than 16 characters",
      guessed,
    ],
    [
      { personal_data: { freetxt: "omit" } },
      `personal_data holds "freetxt", which is not one of all_kinds, ${kinds}, url, hash_salt`,
      "Correct its name to free_text.",
    ],
    [
      { personal_data: { comments: "omit" } },
      `personal_data holds a field that is not one of all_kinds, ${kinds}, url, hash_salt`,
      "Correct its name.",
    ],
  ])("%j", (changes, problem, remedy) => {
    expect(refusal({ ...least, ...changes }).message).toBe(`${problem}. ${remedy}`);
  });

  test.each([null, [], "text"])("the whole of it being %j", (value) => {
    expect(refusal(value)).toMatchObject({
      kind: "config",
      code: "invalid_configuration",
      message: 'The configuration is not a JSON object. Write it like { "base_url": "…", "api_key": "…" }.',
    });
  });
});

test("all errors come together, each field once", () => {
  expect(
    refusal({ base_url: "/v2", survey_ids: Array(1_000_000).fill(1), items_per_page: 0.5 }).message,
  ).toBe(
    "The configuration has 4 errors. " +
      "api_key is missing. Copy the key alone from the service's panel under Settings, Organization, Access Keys. The variable SURVEY_EXPORT_API_KEY can give it, too. " +
      "base_url is not an http or https address. Give the address of the service's API, like https://data-api.survicate.com/v2. " +
      "survey_ids, entry 1, is not a string. Write it in quotes. " +
      "items_per_page is not a whole number from 1 to 100. Write one, without quotes.",
  );
});

describe("personal_data", () => {
  test("gives the setting and the salt, apart from each other", () => {
    const { personalData, secret } = requireConfiguration({
      ...least,
      personal_data: { free_text: "hash", url: "host_only", contact_fields: null, hash_salt: ` ${SALT}\r\n` },
    });
    expect(personalData).toEqual({ ...keepAll, free_text: "hash", url: "host_only" });
    expect(secret.hashSalt).toBe(SALT);
  });

  test.each([
    ["keep", "keep"],
    ["hash", "host_only"],
    ["omit", "omit"],
  ])("sets all kinds to %s, and a URL to %s, but for those that have a field of their own", (all, url) => {
    const of = (personal_data: object) =>
      requireConfiguration({
        ...least,
        personal_data: { all_kinds: all, hash_salt: SALT, ...personal_data },
      });
    const setting = { ...Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, all])), url };
    expect(of({}).personalData).toEqual(setting);
    const own = { free_text: "omit", answer_labels: "keep", url: "keep" };
    expect(of(own).personalData).toEqual({ ...setting, ...own });
  });

  test("takes the salts that the form takes", () => {
    const { pattern } = specification.properties.personal_data.properties.hash_salt;
    const salt = fc.string({ unit: fc.constantFrom("a", "b", "😀", " ", "\n"), maxLength: 24 });
    fc.assert(
      fc.property(salt, (text) => {
        expect(new RegExp(pattern, "u").test(text)).toBe(!parseSalt(text).isWeak);
      }),
    );
  });
});

function warningsOf(more: object) {
  return configurationWarnings(requireConfiguration({ ...least, ...more }), Date.UTC(2026, 0, 1));
}

test.each([
  [{}, 1],
  [{ survey_ids: [], respondent_uuids: [uuid] }, 0],
  [{ survey_ids: [], respondent_uuids: null }, 0],
])("excluded surveys next to %j cause %i warning", (more, count) => {
  const warnings = warningsOf({ ...more, excluded_survey_ids: ["s2"] });
  expect(warnings.map(({ code, message }) => [code, render(message)])).toEqual(
    Array(count).fill([
      "doubtful_setting",
      "excluded_survey_ids has no effect, since only the surveys are read that survey_ids names. Leave one of the two empty.",
    ]),
  );
});

/** What becomes of fields that are not in the form: the error's sentences, or those of the warnings. */
function saidOf(more: object): string[] {
  try {
    return warningsOf(more).map(({ code, message }) => `${code}: ${render(message)}`);
  } catch (thrown) {
    return [(thrown as Error).message];
  }
}

describe("a field that is not in the form", () => {
  const rename = (name: string, field: string) =>
    `"${name}" is not a field. Correct its name to ${field}, or remove it.`;
  const move = (name: string, part: string) =>
    `"${name}" is not a field. Write ${part} in personal_data, or remove it.`;
  const treats =
    'Field 3 of the configuration is unknown and seems to treat personal data, which only personal_data does. Write it like "personal_data": { "free_text": "omit" }, or remove it.';
  const ignored = (fields: string) =>
    `doubtful_setting: The configuration has fields that this source does not know: ${fields}. They are ignored. Correct their names, or remove them.`;

  test.each<[fields: object, said: string]>([
    [{ start_dat: "2026-01-01T00:00:00Z" }, rename("start_dat", "start_date")],
    [{ apiKey: "k" }, rename("apiKey", "api_key")],
    [{ PersonalData: { free_text: "omit" } }, rename("PersonalData", "personal_data")],
    [{ hashSalt: "x", personal_data: { url: "omit" } }, move("hashSalt", "hash_salt")],
    [{ contactfield: true }, move("contactfield", "contact_fields")],
    [{ omit_personal_data: true }, treats],
    [{ privacy: { FreeText: "omit" } }, treats],
    [{ settings: { contact_field: "drop" } }, treats],
    [{ anonymize: true }, treats],
    [{ anonymise_respondents: "yes" }, treats],
    [{ pseudonymization: true }, treats],
    [{ gdprMode: 1 }, treats],
    [{ dropPII: true }, treats],
    [{ pii: "no" }, treats],
    [{ "no-pii": true }, treats],
    [{ mask_fields: ["email"] }, treats],
    [{ redaction: true }, treats],
    [{ texts: "omit" }, treats],
    [{ url: "host-only" }, treats],
    [{ rules: { emails: "hash" } }, treats],
  ])("is an error if it was meant as one, or treats personal data: %j", (fields, said) => {
    expect(saidOf(fields)).toEqual([said]);
  });

  test.each([
    ["num_workers", 4],
    ["sandbox_mode", true],
    ["connector_name", "x"],
    ["airbyte_internal", { url: "https://a.example", isDefault: true }],
    ["tunnel_method", { tunnel_method: "NO_TUNNEL" }],
    ["apiId", "4"],
    ["APIIdentifier", "4"],
    ["commit", "4f9a"],
    ["name", "Surveys"],
    ["url", "https://a.example"],
    ["sk_live_4f9a0c77d1e2", "x"],
  ])("causes a warning that does not repeat its name, since it may be a key: %s", (name, value) => {
    expect(saidOf({ [name]: value })).toEqual([ignored("field 3")]);
  });

  test("causes none if it is the platform's, an editor's, or empty", () => {
    const others = { $schema: "connection.json", start_dat: null, privacy: "" };
    expect(saidOf({ __injected_declarative_manifest: { hash: 1 }, ...others })).toEqual([]);
  });

  test("is told with what is missing", () => {
    expect(refusal({ apikey: key, tokens: 1 }).message).toBe(
      "The configuration has 2 errors. api_key is missing. Copy the key alone from the service's panel under Settings, Organization, Access Keys. The variable SURVEY_EXPORT_API_KEY can give it, too. " +
        `${rename("apikey", "api_key")} ${ignored("field 2").replace("doubtful_setting: ", "")}`,
    );
  });
});

test("a start in the future causes a warning", () => {
  expect(warningsOf({ start_date: "2026-01-02T00:00:00Z" }).map(({ code }) => code)).toEqual([
    "doubtful_setting",
  ]);
  expect(warningsOf({})).toEqual([]);
});

test.each([
  ["may", ["localhost", "127.255.0.9", "[::1]", "10.0.0.1", "172.31.255.255", "192.168.1.1", "169.254.7.7"]],
  ["may", ["[fd12::1]", "[fe80::1]", "sandbox.", "printer.local", "host.docker.internal"]],
  ["may not", ["example.com", "172.32.0.1", "192.169.0.1", "8.8.8.8", "[2001:db8::1]", "10.example.com"]],
  ["may not", ["172.15.0.1", "local.example.com", "not-local.example"]],
])("over plain http the key %s go to %j", (may, hosts) => {
  for (const host of hosts) {
    const parse = () => requireConfiguration({ ...least, base_url: `http://${host}:8080/v2` });
    if (may === "may") expect(parse, host).not.toThrow();
    else expect(parse, host).toThrow("base_url uses plain http");
  }
});

test("whatever JSON is given, the answer is a configuration or a sentence, which never holds the key", () => {
  const names = fields.map(([name]) => name);
  const value = fc.oneof(fc.constantFrom(key, [key], { [key]: key }, `${key}\n`), fc.jsonValue());
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value), (changes) => {
      try {
        expect(requireConfiguration({ ...least, ...changes }).secret.apiKey).not.toBe("");
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: "invalid_configuration" });
        expect((thrown as Error).message).not.toContain(key);
      }
    }),
    { numRuns: 1000 },
  );
});
