import { PERSONAL_DATA_KINDS, parseSalt, render, SurveyExportError } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  configurationWarnings,
  parseConfiguration,
  requireConfiguration,
} from "../../../connector/airbyte/configuration.ts";
import specification from "../../../spec/connection.json" with { type: "json" };

const key = "k3y-of-the-workspace";
const least = { base_url: "https://api.example.com/v2", api_key: key, survey_ids: ["s1"] };

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

const sentence = (changes: object) => refusal({ ...least, ...changes }).message;

describe("a configuration that works", () => {
  test("gets every default, and nothing that was not asked for", () => {
    const configuration = requireConfiguration(least);
    expect(configuration.selection).not.toHaveProperty("startDate");
    expect(configuration.selection).not.toHaveProperty("endDate");
    expect(configuration).toMatchObject({
      service: {
        baseUrl: "https://api.example.com/v2",
        maxConcurrentRequests: 5,
        requestsPerMinute: 900,
      },
      selection: {
        surveyIds: ["s1"],
        respondentUuids: [],
        attributes: [],
        lookbackMs: 600_000,
        itemsPerPage: 100,
      },
      personalData: keepAll,
      secret: { apiKey: key, hashSalt: "" },
    });
  });

  test("keeps every field that is given", () => {
    expect(
      requireConfiguration({
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
      }),
    ).toMatchObject({
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
      personalData: keepAll,
      secret: { apiKey: key, hashSalt: "" },
    });
  });

  test("may write null or empty text for a field that was left alone, and names nobody knows", () => {
    const left = Object.fromEntries(Object.keys(specification.properties).map((name) => [name, null]));
    const blank = { start_date: "", end_date: "", lookback_window: "", __injected_declarative_manifest: {} };
    expect(requireConfiguration({ ...left, ...least, ...blank })).toEqual(requireConfiguration(least));
  });

  test("need not name a survey if it names a respondent", () => {
    const { surveyIds, respondentUuids } = requireConfiguration({
      ...least,
      survey_ids: null,
      respondent_uuids: [uuid],
    }).selection;
    expect({ surveyIds, respondentUuids }).toEqual({ surveyIds: [], respondentUuids: [uuid] });
  });

  test("is not changed by being read", () => {
    const given = Object.freeze({ ...least, end_date: null });
    requireConfiguration(given);
    expect(given).toEqual({ ...least, end_date: null });
  });
});

describe("no field of the form is forgotten", () => {
  const wanted = {
    base_url: "https://other.example/v2",
    api_key: "other",
    personal_data: { free_text: "omit" },
  };

  test.each(fields)("%s changes the configuration, and its default does not", (name, field) => {
    const values = [
      wanted[name as keyof typeof wanted],
      field.examples?.at(-1),
      field.minimum,
      field.maximum,
    ];
    const other = values.find((value) => value !== undefined && value !== field.default);
    const configuration = requireConfiguration(least);
    expect(requireConfiguration({ ...least, [name]: other })).not.toEqual(configuration);
    if (field.default !== undefined) {
      expect(requireConfiguration({ ...least, [name]: field.default })).toEqual(configuration);
    }
  });
});

describe("an error is one sentence that names the field, the problem and the remedy", () => {
  const SENTENCES: readonly (readonly [sentence: string, ...changes: object[]])[] = [
    [
      "base_url is missing. Give the address of the service's API, like https://api.example.com/v2.",
      { base_url: undefined },
    ],
    [
      "api_key is missing. Copy the key alone from the service's panel under Settings, Organization, Access Keys.",
      { api_key: null },
    ],
    ["base_url is not a string. Write it in quotes.", { base_url: 7 }],
    [
      "base_url is not an http or https address. Give the address of the service's API, like https://api.example.com/v2.",
      { base_url: "api.example.com/v2" },
      { base_url: "ftp://api.example.com/v2" },
    ],
    [
      "base_url holds a user name or a password. Give the address of the service's API, like https://api.example.com/v2.",
      { base_url: `https://me:${key}@api.example.com/v2` },
    ],
    [
      "base_url holds a query or a fragment. Give the address of the service's API, like https://api.example.com/v2.",
      { base_url: "https://api.example.com/v2?" },
    ],
    [
      "base_url does not end in /v2. Give the address of the service's API, like https://api.example.com/v2.",
      { base_url: "https://api.example.com/v1" },
    ],
    [
      "base_url does not have the right format. Give the address of the service's API, like https://api.example.com/v2.",
      { base_url: " https://api.example.com/v2" },
    ],
    [
      "base_url uses plain http, which would show the key to everyone on the way. Use https. Plain http is accepted only for this machine, a private address, a name without dots, .local and .internal.",
      { base_url: "http://api.example.com/v2" },
    ],
    [
      "api_key does not have the right format. Copy the key alone from the service's panel under Settings, Organization, Access Keys.",
      { api_key: `${key}\r\nX-Other: 1` },
    ],
    [
      'survey_ids is not a list. Write each identifier as an entry of its own, like ["1234567890"].',
      { survey_ids: "s1" },
    ],
    ["survey_ids, entry 2, is not a string. Write it in quotes.", { survey_ids: ["s1", 17] }],
    [
      'survey_ids, entry 2, begins or ends with white space. Write each identifier as an entry of its own, like ["1234567890"].',
      { survey_ids: ["s1", "s2 "] },
      { survey_ids: ["s1", " "] },
    ],
    [
      'survey_ids, entry 1, holds a comma. Write each identifier as an entry of its own, like ["1234567890"].',
      { survey_ids: ["s1,s2"] },
    ],
    [
      'survey_ids, entry 1, cannot be part of a URL. Write each identifier as an entry of its own, like ["1234567890"].',
      { survey_ids: [".."] },
      { survey_ids: ["\ud800"] },
    ],
    [
      `respondent_uuids, entry 2, does not have the right format. Write each UUID as an entry of its own, like ["${uuid}"].`,
      { respondent_uuids: [uuid, "someone"] },
      { respondent_uuids: [uuid, `${uuid},${uuid}`] },
    ],
    [
      "There is nothing to read. Add a survey to survey_ids or a respondent to respondent_uuids.",
      { survey_ids: [], respondent_uuids: null },
    ],
    [
      "start_date does not have the right format. Write it in UTC and with its time, like 2024-01-01T00:00:00Z.",
      { start_date: "2024-01-01" },
      { start_date: "2024-01-01T00:00:00+01:00" },
    ],
    [
      "end_date names a day or a time that does not exist. Write it in UTC and with its time, like 2024-01-01T00:00:00Z.",
      { end_date: "2023-02-29T00:00:00Z" },
      { end_date: "2024-01-01T24:00:00Z" },
    ],
    [
      "end_date is not after start_date. Move one of the two, or leave end_date empty.",
      { start_date: "2024-01-01T00:00:00Z", end_date: "2024-01-01T00:00:00.000Z" },
    ],
    [
      'attributes, entry 2, is empty. Write each name as an entry of its own, spelled as it was set, like ["plan"].',
      { attributes: ["plan", ""] },
    ],
    [
      'attributes, entry 1, is longer than 1000 characters. Write each name as an entry of its own, spelled as it was set, like ["plan"].',
      { attributes: ["plan,".repeat(1000)] },
    ],
    [
      "lookback_window does not have the right format. Write it as an ISO 8601 duration in weeks, days, hours, minutes and seconds, like PT10M or P1D.",
      { lookback_window: "P1M" },
      { lookback_window: "P1DT" },
    ],
    ["lookback_window is longer than 3650 days. Write a shorter one.", { lookback_window: "P3651D" }],
    [
      "items_per_page is not a whole number from 1 to 100. Write one, without quotes.",
      { items_per_page: 101 },
      { items_per_page: "50" },
      { items_per_page: 2.5 },
    ],
    ['personal_data is not an object. Write it like { "free_text": "omit" }.', { personal_data: "omit" }],
    [
      'personal_data.free_text is not one of "keep", "hash" and "omit". Choose one of them.',
      { personal_data: { free_text: "remove" } },
    ],
    [
      "personal_data.free_text is hash, and personal_data.hash_salt is missing. Give a salt of 32 random characters, or choose keep or omit.",
      { personal_data: { free_text: "hash" } },
    ],
    [
      "personal_data.hash_salt is shorter than 16 characters. It could be guessed. Give 32 random characters, such as openssl rand -hex 16 prints.",
      { personal_data: { free_text: "hash", hash_salt: "   0123456789   " } },
      { personal_data: { free_text: "omit", hash_salt: "pepper" } },
    ],
    [
      "personal_data holds a field that is not one of contact_fields, free_text, answer_labels, attribute_values, url_query, respondent_identifiers, url, hash_salt. Correct its name.",
      { personal_data: { freetext: "omit" } },
    ],
    [
      'A setting of personal data is not in personal_data, where alone it has an effect. Write it like "personal_data": { "free_text": "omit" }.',
      { personalData: {} },
      { "PERSONAL-DATA": "omit" },
      { privacy: { FreeText: "omit" } },
      { free_text: "omit" },
      { hashSalt: "x", personal_data: { url: "omit" } },
    ],
  ];
  test.each(SENTENCES.flatMap(([expected, ...all]) => all.map((changes) => [changes, expected] as const)))(
    "%j",
    (changes, expected) => {
      expect(sentence(changes)).toBe(expected);
    },
  );

  test.each([null, undefined, [], "text", 3])("the whole of it being %j", (value) => {
    expect(refusal(value)).toMatchObject({
      kind: "config",
      code: "invalid_configuration",
      message: 'The configuration is not a JSON object. Write it like { "base_url": "…", "api_key": "…" }.',
    });
  });
});

test("all errors come together, each field once", () => {
  expect(refusal({ survey_ids: Array(1_000_000).fill(1), items_per_page: 0.5 }).message).toBe(
    "The configuration has 4 errors. " +
      "base_url is missing. Give the address of the service's API, like https://api.example.com/v2. " +
      "api_key is missing. Copy the key alone from the service's panel under Settings, Organization, Access Keys. " +
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

  test("takes the salts that the form takes", () => {
    const { pattern } = specification.properties.personal_data.properties.hash_salt;
    const salt = fc.string({ unit: fc.constantFrom("a", "b", "😀", " ", "\n"), maxLength: 24 });
    fc.assert(
      fc.property(salt, (text) => {
        expect(new RegExp(pattern, "u").test(text)).toBe(!parseSalt(text).isWeak);
      }),
    );
  });

  test("is left alone if a form wrote an empty text beside it", () => {
    expect(requireConfiguration({ ...least, free_text: null, hash_salt: "" }).personalData).toEqual(keepAll);
  });
});

test("a field that is unknown, or a setting no longer, causes a warning; those of the platform do not", () => {
  const warningsOf = (more: object) => {
    const value = { ...least, ...more };
    return configurationWarnings(value, requireConfiguration(value), Date.UTC(2026, 0, 1));
  };
  const unknown = {
    on_unreadable: "warn",
    "start-date": "x",
    other: null,
    __injected_declarative_manifest: {},
  };
  expect(warningsOf(unknown).map(({ code, message }) => [code, render(message)])).toEqual([
    [
      "unknown_setting",
      'The configuration has fields that this source does not know, or no longer: "on_unreadable", "start-date". They are ignored. Correct their names, or remove them.',
    ],
  ]);
  expect(warningsOf({ start_date: "2026-01-02T00:00:00Z" }).map(({ code }) => code)).toEqual([
    "start_date_in_future",
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
    const parsed = parseConfiguration({ ...least, base_url: `http://${host}:8080/v2` });
    expect("configuration" in parsed, host).toBe(may === "may");
  }
});

test("no message ever holds the key, wherever it was pasted", () => {
  const names = fields.map(([name]) => name);
  const wrong = fc.oneof(
    fc.constant(key),
    fc.constant([key]),
    fc.constant({ [key]: key }),
    fc.constant(`${key}\n`),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), wrong), (changes) => {
      const parsed = parseConfiguration({ ...least, ...changes });
      if ("faults" in parsed) expect(parsed.faults.join()).not.toContain(key);
    }),
    { numRuns: 1000 },
  );
});

test("whatever JSON is given, the answer is a configuration or what is wrong with it, and never both", () => {
  const names = fields.map(([name]) => name);
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), fc.jsonValue()), (changes) => {
      const parsed = parseConfiguration({ ...least, ...changes });
      expect(Object.keys(parsed)).toHaveLength(1);
      if ("faults" in parsed) expect(parsed.faults).not.toEqual([]);
      else expect(parsed.configuration.secret.apiKey).not.toBe("");
    }),
    { numRuns: 1000 },
  );
});
