import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { BIN, catalog, errors, runWarm } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { surveyOf, testSandbox } from "../../support/sandbox.ts";

const folder = testFolder();
const sandbox = await testSandbox({ surveys: [surveyOf("a", 10)] });
const settings = { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: ["a"] };
const config = await folder.file("config.json", settings);
const streams = await folder.file("catalog.json", catalog("survey_responses"));
afterEach(() => sandbox.service.resetStats());

const NAMES = {
  config: "The configuration (--config)",
  catalog: "The configured catalog (--catalog)",
  state: "The state file (--state)",
};

/** The sentence with which a read refuses a file, without one request. */
async function refusalOf(option: keyof typeof NAMES, path: string): Promise<string> {
  const files = { config, catalog: streams, [option]: path };
  const words = Object.entries(files).flatMap(([name, file]) => [`--${name}`, file]);
  const { code, messages } = await runWarm(["read", ...words]);
  expect(code).toBe(1);
  expect(sandbox.service.stats.requests).toBe(0);
  return errors(messages)[0].message;
}

it("may begin with a byte order mark, as editors write it", async () => {
  const marked = await folder.file("marked.json", Buffer.from(`\uFEFF${JSON.stringify(settings)}`));
  const { code, messages } = await runWarm(["discover", "--config", marked]);
  expect(code).toBe(0);
  expect(messages.map(({ type }) => type)).toEqual(["CATALOG"]);
});

it("may be a FIFO, as shells give it", async () => {
  const command = `"$0" "$1" discover --config <(cat "$2")`;
  const child = spawn("bash", ["-c", command, process.execPath, BIN, config]);
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(output).toMatch(/^\{"type":"CATALOG"/);
});

describe.each(["config", "catalog", "state"] as const)("a file of --%s", (option) => {
  it("that does not end is refused as soon as that is seen", async () => {
    expect(await refusalOf(option, "/dev/zero")).toBe(
      `${NAMES[option]} is larger than 64 MB ("/dev/zero"). Check that it is the right file; of a state file, pass the last STATE line of each stream alone.`,
    );
  });

  it("that is not JSON, or is too deep, is refused without a quotation of it", async () => {
    for (const text of ["", '{"a":1 PLANTED}', "[".repeat(200_000) + "]".repeat(200_000)]) {
      const refusal = await refusalOf(option, await folder.file("broken", text));
      expect(refusal).toContain(NAMES[option].split(" (")[0]);
      expect(refusal).not.toContain("PLANTED");
    }
  });
});

it("that cannot be read is named; of a path that leads to no file, which may be the key, no more is shown than exists", async () => {
  await mkdir(folder.path("folder"));
  const upTo = (path: string) => `(its path leads to "${path}" and no further)`;
  for (const [path, reason] of [
    [folder.path("none"), `it does not exist ${upTo(folder.path("."))}`],
    [folder.path("folder"), `it is a folder ("${folder.path("folder")}")`],
    [`${config}/x`, `"ENOTDIR" ${upTo(config)}`],
    ["PLANTED-k3y", `it does not exist ${upTo(process.cwd())}`],
  ] as const) {
    expect(await refusalOf("config", path)).toBe(
      `${NAMES.config} cannot be read: ${reason}. Check the path, and that it is mounted where the program runs.`,
    );
  }
});
