import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { requireConfiguration, withEnvironment } from "../../connector/airbyte/configuration.ts";
import { createService } from "../../sandbox/index.ts";
import { BIN } from "../support/bin.ts";
import { folderForTest } from "../support/folder.ts";
import { configOf, sandboxForTest, surveyOf } from "../support/sandbox.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, "examples", path), "utf8");
const script = join(root, "examples/docker-run/sync.sh");
/** The process in place of the image. */
const env = {
  PATH: `${root}/test/support/stand-ins:${join(process.execPath, "..")}:${process.env.PATH}`,
  SURVEY_EXPORT_BIN: BIN,
};

test("docker-run syncs into a file in its folder, and passes on the key and the exit code", async () => {
  const sandbox = await sandboxForTest({ surveys: [surveyOf("a", 300)], limits: false });
  const { api_key: key, ...config } = configOf(sandbox);
  const files = folderForTest();
  await files.file("config.json", config);
  const runWith = (apiKey: string) =>
    new Promise<{ code: number; shown: string }>((resolve) => {
      const options = { env: { ...env, SURVEY_EXPORT_API_KEY: apiKey }, encoding: "utf8" } as const;
      execFile(script, [files.path()], options, (failed, _stdout, shown) =>
        resolve({ code: Number(failed?.code ?? 0), shown }),
      );
    });
  const { code, shown } = await runWith(key);
  expect(code, shown).toBe(0);
  using database = new DatabaseSync(files.path("surveys.sqlite"));
  const [row] = database.prepare("select count(*) as responses from survey_responses").all();
  expect(row).toEqual({ responses: 300 });
  expect((await runWith("no-such-key")).code).toBe(1);
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
  expect({ entrypoint, command }).toEqual({
    entrypoint: undefined,
    command: ["sync", "/data/surveys.sqlite"],
  });
  const { command: ofPod, args } = container;
  expect({ ofPod, args }).toEqual({ ofPod: undefined, args: ["sync", "/data/surveys.sqlite"] });
  // A first sync of many people takes hours.
  expect(activeDeadlineSeconds).toBe(86_400);
});

test("the pod that shows the file on Kubernetes mounts the CronJob's volume, as its user and below its network policy", () => {
  const [claim, cronjob, policy] = parseAllDocuments(read("kubernetes/cronjob.yaml")).map((document) =>
    document.toJS(),
  );
  const pod = parse(read("kubernetes/volume.yaml"));
  const { spec } = cronjob.spec.jobTemplate.spec.template;
  expect(pod.spec.securityContext).toEqual(spec.securityContext);
  expect(pod.spec.volumes).toEqual(spec.volumes.filter(({ name }: { name: string }) => name === "data"));
  expect(pod.spec.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
  expect(pod.spec.containers[0].image).toBe(spec.containers[0].image);
  expect(pod.metadata.labels).toEqual(policy.spec.podSelector.matchLabels);
});

test.runIf(existsSync(join(root, ".git")))(
  "what README's commands write into a checkout is not for git",
  () => {
    const names = [
      "config.json",
      "surveys.html",
      "surveys.sqlite",
      "surveys.sqlite-lock",
      "surveys.sqlite-wal",
    ];
    const ignored = execFileSync("git", ["check-ignore", ...names], { cwd: root, encoding: "utf8" });
    expect(ignored.trim().split("\n")).toEqual(names);
  },
);
