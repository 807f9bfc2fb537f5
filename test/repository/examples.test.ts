import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { requireConfiguration, withEnvironment } from "../../connector/airbyte/configuration.ts";
import { createService } from "../../sandbox/index.ts";
import { createFolderOfService } from "../connector/sync-command/support/folder.ts";
import { BIN } from "../support/bin.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, "examples", path), "utf8");
const script = join(root, "examples/docker-run/sync.sh");
/** The process in place of the image. */
const env = {
  PATH: `${root}/test/support/stand-ins:${join(process.execPath, "..")}:${process.env.PATH}`,
  SURVEY_EXPORT_BIN: BIN,
};

test("docker-run syncs in its folder, and passes on the key and the exit code", async () => {
  const folder = await createFolderOfService(300);
  const { api_key: key, ...config } = folder.config;
  folder.write("config.json", config);
  const run = (apiKey: string) =>
    folder.run({ command: [script, folder.path], env: { ...env, SURVEY_EXPORT_API_KEY: apiKey } });
  const fine = await run(key);
  expect(fine.code, fine.shown).toBe(0);
  expect(fine.shown).toMatch(/ INFO Read in .*: survey_responses 300, /);
  expect((await run("no-such-key")).code).toBe(1);
});

test("the configuration of the Compose example fits the sandbox that it starts", () => {
  const { environment } = parse(read("compose/compose.yaml")).services.source;
  const [, key] = /^\$\{SURVEY_EXPORT_API_KEY:-(.+)\}$/.exec(environment.SURVEY_EXPORT_API_KEY) ?? [];
  const { selection, secret } = requireConfiguration(
    withEnvironment(JSON.parse(read("compose/config.json")), { SURVEY_EXPORT_API_KEY: key }),
  );
  const service = createService();
  expect(secret.apiKey).toBe(service.apiKey);
  expect(selection.surveyIds).toEqual([]);
});

test("the configuration to copy is one that the source takes", () => {
  expect(() => requireConfiguration(JSON.parse(read("config.json")))).not.toThrow();
});

test("Compose and Kubernetes start sync by the image's entry point, and Kubernetes gives it a day", () => {
  const { entrypoint, command } = parse(read("compose/compose.yaml")).services.source;
  const [, cronjob] = parseAllDocuments(read("kubernetes/cronjob.yaml")).map((document) => document.toJS());
  const { activeDeadlineSeconds, template } = cronjob.spec.jobTemplate.spec;
  const [container] = template.spec.containers;
  expect({ entrypoint, command }).toEqual({ entrypoint: undefined, command: ["sync", "/data"] });
  const { command: ofPod, args } = container;
  expect({ ofPod, args }).toEqual({ ofPod: undefined, args: ["sync", "/data"] });
  // A first sync of many people takes hours.
  expect(activeDeadlineSeconds).toBe(86_400);
});
