import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, truncate } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { BIN, catalog, errors, runWarm } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { surveyOf, testSandbox } from "../../support/sandbox.ts";

const folder = testFolder();
const sandbox = await testSandbox({ surveys: [surveyOf("a", 10)] });
const settings = { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: ["a"] };
const config = await folder.file("config.json", settings);
const streams = await folder.file("catalog.json", catalog(["survey_responses"]));
afterEach(() => sandbox.service.resetStats());

const NAMES = { config: "configuration", catalog: "configured catalog", state: "state file" };
type Option = keyof typeof NAMES;
const OPTIONS = Object.keys(NAMES) as Option[];

/** The sentence with which a read refuses a file, without one request. */
async function refusalOf(option: Option, path: string): Promise<string> {
  const files = { config, catalog: streams, [option]: path };
  const words = Object.entries(files).flatMap(([name, file]) => [`--${name}`, file]);
  const { code, messages } = await runWarm(["read", ...words]);
  expect(code).toBe(1);
  expect(sandbox.service.stats.requests).toBe(0);
  return errors(messages)[0].message;
}

it("takes a byte order mark, as editors write it", async () => {
  const marked = await folder.file("marked.json", Buffer.from(`\uFEFF${JSON.stringify(settings)}`));
  const { code, messages } = await runWarm(["discover", "--config", marked]);
  expect([code, messages.map(({ type }) => type)]).toEqual([0, ["CATALOG"]]);
});

it("takes a FIFO, as shells give it", async () => {
  const child = spawn("bash", [
    "-c",
    `"$0" "$1" discover --config <(cat "$2")`,
    process.execPath,
    BIN,
    config,
  ]);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  expect(await once(child, "close")).toEqual([0, null]);
  expect(output).toMatch(/^\{"type":"CATALOG"/);
});

describe.each(OPTIONS)("a file of --%s", (option) => {
  const name = `The ${NAMES[option]} (--${option})`;
  const REMEDY = "Check the path, and that it is mounted where the program runs.";

  it("that is too large, or does not end, is refused as soon as that is seen", async () => {
    const sparse = await folder.file("sparse", "");
    await truncate(sparse, 2_500_000_000);
    for (const path of ["/dev/zero", sparse]) {
      expect(await refusalOf(option, path)).toBe(
        `${name} is larger than 64 MB ("${path}"). ${
          option === "state"
            ? "Pass only its STATE lines, the last of each stream."
            : "Check that it is the right file."
        }`,
      );
    }
  });

  it("that cannot be read is named; of a path that leads to no file, which may be the key, no more is shown than exists", async () => {
    await mkdir(folder.path("folder"), { recursive: true });
    const upTo = (path: string) => `(its path leads to "${path}" and no further)`;
    for (const [path, reason] of [
      [folder.path("none"), `it does not exist ${upTo(folder.path("."))}`],
      [folder.path("folder"), `it is a folder ("${folder.path("folder")}")`],
      [`${config}/x`, `ENOTDIR ${upTo(config)}`],
      ["PLANTED-k3y", `it does not exist ${upTo(process.cwd())}`],
    ] as const) {
      expect(await refusalOf(option, path)).toContain(`${name} cannot be read: `);
      expect(await refusalOf(option, path)).toContain(` ${REMEDY}`);
      expect(await refusalOf(option, path)).toContain(reason.replace("ENOTDIR ", ""));
    }
  });

  it("that is not JSON is refused, without a quotation of it", async () => {
    for (const [text, problem] of [
      ["", "is empty"],
      ['{"a":1 PLANTED}', "(line 1)"],
      ['{"PLANTED":', name],
    ] as const) {
      const refusal = await refusalOf(option, await folder.file("broken", text));
      expect(refusal).toContain(problem);
      expect(refusal).not.toContain("PLANTED");
    }
  });

  it("with lists and objects inside each other, 200,000 deep, is refused with a sentence about it", async () => {
    for (const deep of [
      "[".repeat(200_000) + "]".repeat(200_000),
      `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`,
    ])
      expect(await refusalOf(option, await folder.file("deep", deep))).toMatch(
        new RegExp(`^The ${NAMES[option].split(" ")[0]}`),
      );
  });
});
