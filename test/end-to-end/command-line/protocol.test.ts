import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { BIN, catalog, type Message, runBin } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { testSandbox } from "../../support/sandbox.ts";

/** Airbyte's own schema of the protocol, as data. CI names the file; elsewhere it may be missing. */
const reference = process.env.AIRBYTE_PROTOCOL_SCHEMA;
if (process.env.CI && !reference) {
  throw new Error(
    "AIRBYTE_PROTOCOL_SCHEMA must name Airbyte's protocol schema, so that messages are held against it.",
  );
}

const folder = testFolder();
const sandbox = await testSandbox();

describe("every line that any command writes", () => {
  it.runIf(reference)("is a message by Airbyte's own schema of the protocol", async () => {
    const schema = JSON.parse(readFileSync(reference!, "utf8"));
    const ajv = new Ajv({ strict: false, allErrors: true });
    ajv.addSchema({ ...schema, $id: "airbyte" });
    const isMessage = ajv.compile({ $ref: "airbyte#/definitions/AirbyteMessage" });
    const config = await folder.file("config.json", {
      base_url: sandbox.url,
      api_key: sandbox.apiKey,
      survey_ids: [...sandbox.service.truth.surveyIds(), "none"],
    });
    const broken = await folder.file("broken.json", {});
    const streams = await folder.file(
      "catalog.json",
      catalog(
        ["survey_responses"],
        ["respondent_responses", "full_refresh"],
        ["respondent_attributes"],
        ["surveys"],
      ),
    );
    const calls = [
      ["spec"],
      ["check", "--config", config],
      ["check", "--config", broken],
      ["discover", "--config", config],
      ["discover", "--config", broken],
      ["read", "--config", config, "--catalog", streams],
      ["read", "--config", config, "--catalog", broken],
    ];
    const seen = new Set<string>();
    for (const words of calls) {
      const { messages } = await runBin(words);
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages) {
        seen.add(kindOf(message));
        expect(
          isMessage(message),
          `${JSON.stringify(message).slice(0, 300)}: ${ajv.errorsText(isMessage.errors)}`,
        ).toBe(true);
      }
    }
    expect([...seen].sort()).toEqual([
      "CATALOG",
      "CONNECTION_STATUS",
      "LOG",
      "RECORD",
      "SPEC",
      "STATE",
      "TRACE ERROR",
      "TRACE STREAM_STATUS",
    ]);
  });
});

const kindOf = ({ type, trace }: Message): string => (type === "TRACE" ? `${type} ${trace.type}` : type);

/** Tells at the end which of Node's own modules were loaded, on standard error. */
const TELL = `data:text/javascript,process.on("exit", () => process._rawDebug(JSON.stringify(process.moduleLoadList)))`;

/** Of Node's own modules, those that a program loads until its end. */
function loadedBy(...words: readonly string[]): string[] {
  const command = `"${process.execPath}" --import '${TELL}' ${words.join(" ")} 2>&1 >/dev/null`;
  return JSON.parse(execFileSync("sh", ["-c", command], { encoding: "utf8" })) as string[];
}

it("spec answers without workers, promises of files, HTTP or `require`", () => {
  const loaded = loadedBy(BIN, "spec");
  expect(loaded).toContain("NativeModule stream");
  const large = /^NativeModule (http|https|tls|crypto|module|worker_threads|internal\/fs\/promises)$/;
  const atStart = new Set(loadedBy("-e", "0"));
  expect(loaded.filter((name) => large.test(name) && !atStart.has(name))).toEqual([]);
});
