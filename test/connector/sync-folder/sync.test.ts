import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MessageWriter } from "../../../connector/airbyte/message-writer.ts";
import { sync } from "../../../connector/sync-folder/sync.ts";
import { createFolder } from "./support/folder.ts";

let folder: ReturnType<typeof createFolder>;
/** What the read was given of a state, each time; what standard error showed. */
let asked: (string | undefined)[];
let shown: string[];
beforeEach(() => {
  folder = createFolder();
  folder.write("config.json", {});
  folder.write("catalog.json", {});
  asked = [];
  shown = [];
});
afterEach(() => folder.remove());

const record = (n: number) => `{"type":"RECORD","record":{"stream":"a","data":{"n":${n}},"emitted_at":1}}\n`;
const state = (stream: string, n: number) =>
  `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"${stream}"},"stream_state":{"n":${n}}}}}\n`;
const bytes = (text: string) => new TextEncoder().encode(text);

/** A sync in this process whose read writes these lines, and then does `next`. */
function run(
  lines = "",
  {
    env = {},
    next,
    at = folder.path,
  }: { env?: NodeJS.ProcessEnv; next?: (writer: MessageWriter) => unknown; at?: string } = {},
): Promise<number> {
  shown = [];
  const stop = { signal: new AbortController().signal, exitCode: undefined, now() {}, finish() {} };
  return sync(at, {
    env,
    stop,
    print: (line) => shown.push(line),
    async read(files, writer) {
      asked.push(files.state === undefined ? undefined : folder.read("state.jsonl"));
      await writer.records(bytes(lines));
      return (await next?.(writer)) !== false;
    },
  });
}

describe("the state of a folder", () => {
  it("is the last state of each stream, which the next run is given", async () => {
    expect(await run(record(1) + state("a", 1) + state("b", 1) + state("a", 2) + record(2))).toBe(0);
    expect(await run(state("b", 2))).toBe(0);
    expect(asked).toEqual([undefined, state("a", 2) + state("b", 1)]);
    expect(folder.read("state.jsonl")).toBe(state("a", 2) + state("b", 2));
    expect(folder.texts()).toEqual([
      record(1) + state("a", 1) + state("b", 1) + state("a", 2) + record(2),
      state("b", 2),
    ]);
  });

  it("moves after a run that failed, too", async () => {
    expect(await run(record(1) + state("a", 1), { next: () => false })).toBe(1);
    expect(shown.at(-1)).toMatch(
      /^sync: failed \(exit code 1\) after \d+ s: 1 a in \S+ \(the next run resumes from the last state\)$/,
    );
    expect(folder.read("state.jsonl")).toBe(state("a", 1));
  });

  it("is kept for the next run if there is no room for it", async () => {
    mkdirSync(folder.inside("state.jsonl.new")); // fails as a full disk does
    const sentence = `sync: cannot store the state in ${folder.path}: a folder is in its place. Make room there, or correct its rights. Nothing is lost: the next run does it first.`;
    expect(await run(record(1) + state("a", 1))).toBe(1);
    expect(shown).toEqual([sentence]);
    expect(await run()).toBe(1);
    expect(asked).toHaveLength(1);
    rmSync(folder.inside("state.jsonl.new"), { recursive: true });
    expect(await run(record(2))).toBe(0);
    expect(shown[0]).toBe("sync: kept what an interrupted sync wrote: 1 a");
    expect(asked.at(-1)).toBe(state("a", 1));
    expect(folder.texts()).toEqual([record(1) + state("a", 1), record(2)]);
  });

  /** Leaves the folder as a kill in the middle of a run does. */
  function kill(written: string): void {
    mkdirSync(folder.inside("messages"), { recursive: true });
    folder.write("messages/20260101T000000.000Z.jsonl.part", written);
  }

  it("of a run that was killed is that of its whole lines", async () => {
    await run(state("a", 1) + state("b", 1));
    kill(record(1) + state("a", 2) + record(2) + state("a", 3).slice(0, -2));
    await run();
    expect(asked.at(-1)).toBe(state("a", 2) + state("b", 1));
    expect(folder.texts()[0]).toBe(record(1) + state("a", 2) + record(2));
  });

  it("of a run with a damaged STATE line is that before the line, and what came after it is read again", async () => {
    folder.write("state.jsonl", state("a", 0) + state("b", 0));
    const damaged = state("a", 2).replace("stream_descriptor", "stream\0\0descriptor");
    const written = record(1) + state("a", 1) + record(2);
    kill(written + damaged + record(3) + state("b", 3));
    expect(await run()).toBe(0);
    expect(shown[0]).toBe("sync: kept what an interrupted sync wrote: 2 a");
    expect(asked).toEqual([state("a", 1) + state("b", 0)]);
    expect(folder.texts()[0]).toBe(written);
  });

  it("that was deleted after a kill is not brought back by the killed run", async () => {
    await run(state("a", 1));
    kill(record(1) + state("a", 2));
    rmSync(folder.inside("state.jsonl"));
    await run(record(2) + state("b", 3));
    expect(shown).toContain("sync: there is no state.jsonl, so everything is read again");
    expect(asked.at(-1)).toBeUndefined();
    expect(folder.read("state.jsonl")).toBe(state("b", 3));
    expect(folder.texts()).toContain(record(1) + state("a", 2));
  });
});

describe("a state.jsonl that people wrote", () => {
  const ofStream = { stream_descriptor: { name: "a" }, stream_state: { n: 1 } };
  it.each([
    ["Airbyte's array", [{ type: "STREAM", stream: ofStream }]],
    [
      "the array of Airbyte's settings",
      [{ streamDescriptor: { name: "a", namespace: null }, streamState: { n: 1 } }],
    ],
    ["a line without its end", state("a", 1).trimEnd()],
    ["the output of a run", `${record(1)}${state("a", 1)}\r\n\n`],
    ["JSON with spaces", state("a", 1).replaceAll(":", ": ")],
  ])("is taken: %s", async (_, content) => {
    folder.write("state.jsonl", content);
    expect(await run(state("b", 1))).toBe(0);
    expect(asked).toEqual([typeof content === "string" ? content : JSON.stringify(content)]);
    expect(folder.read("state.jsonl")).toBe(state("a", 1) + state("b", 1));
  });

  it("may be a date for all streams, which stays for those that come later", async () => {
    const since = '{"collected_at":"2026-01-01T00:00:00.000000Z"}\n';
    folder.write("state.jsonl", since);
    await run(state("a", 1));
    await run(state("a", 2));
    expect(asked).toEqual([since, since + state("a", 1)]);
    expect(folder.read("state.jsonl")).toBe(since + state("a", 2));
  });

  it.each([
    ["another text", "hello\n", "it is neither one JSON document nor JSON lines (line 1)"],
    [
      "a line that is cut",
      `${state("a", 1)}${state("b", 1).slice(0, 20)}`,
      "The last line of the state file",
    ],
    ["another object", '{"cursor":"PLANTED"}\n', "it holds something that is not the state of a stream"],
    ["a text", '"PLANTED"\n', "it holds something that is not the state of a stream"],
    ["messages without a state", record(1), "it holds messages of a run, but no STATE"],
  ])("is refused, and stays as it is: %s", async (_, text, reason) => {
    folder.write("state.jsonl", text);
    expect(await run()).toBe(2);
    expect(shown).toEqual([expect.stringContaining(reason)]);
    expect(shown[0]).toMatch(/^sync: .* Correct state\.jsonl, or delete it to read everything again\.$/);
    expect(shown[0]).not.toContain("PLANTED");
    expect(folder.read("state.jsonl")).toBe(text);
    expect(asked).toEqual([]);
  });

  it("is refused if it is a FIFO, or of gigabytes", async () => {
    execFileSync("mkfifo", [folder.inside("state.jsonl")]);
    expect(await run()).toBe(2);
    const advice = "Correct state.jsonl, or delete it to read everything again.";
    expect(shown).toEqual([
      `sync: The state of the folder cannot be used: state.jsonl is not a file. ${advice}`,
    ]);
    rmSync(folder.inside("state.jsonl"));
    folder.write("state.jsonl", "");
    truncateSync(folder.inside("state.jsonl"), 2_500_000_000);
    expect(await run()).toBe(2);
    expect(shown).toEqual([`sync: state.jsonl is larger than 64 MB. ${advice}`]);
  });
});

const NO_LOCK = '"FOLDER/.lock" is not the lock of a sync, which is an empty file. Move it away.';

describe("a sync cannot start", () => {
  const inside = (name: string) => folder.inside(name);
  const cases: [string, () => void, string][] = [
    [
      "without its folder",
      () => rmSync(folder.path, { recursive: true }),
      `There is no such folder (its path leads to "${tmpdir()}" and no further).`,
    ],
    [
      "without a configuration",
      () => rmSync(inside("config.json")),
      'The configuration does not exist, or this user may not see it (its path leads to "FOLDER" and no further).',
    ],
    ["without a catalog", () => rmSync(inside("catalog.json")), "The configured catalog does not exist,"],
    [
      "in a folder that it cannot write",
      () => folder.write("messages", ""),
      'Cannot write "FOLDER/messages"',
    ],
    ["with a FIFO as its lock", () => execFileSync("mkfifo", [inside(".lock")]), NO_LOCK],
    ["without a lock", () => mkdirSync(inside(".lock")), NO_LOCK],
    ["with words in its lock", () => folder.write(".lock", "mine"), NO_LOCK],
    [
      "with a link to nothing as its state",
      () => symlinkSync("nothing", inside("state.jsonl")),
      'Cannot write "FOLDER/state.jsonl"',
    ],
  ];
  it.each(cases)("%s: it says which, and ends with 2", async (_, spoil, words) => {
    spoil();
    expect(await run()).toBe(2);
    expect(shown).toEqual([expect.stringContaining(`sync: ${words.replace("FOLDER", folder.path)}`)]);
    expect(asked).toEqual([]);
  });

  it("with a setting that cannot be right, which may be the key: it is not shown", async () => {
    const KEY = "PLANTED-k3y";
    const nothing = `does not exist, or this user may not see it (its path leads to "${process.cwd()}" and no further).`;
    const ended: unknown[] = [
      await run("", { env: { SURVEY_EXPORT_CONFIG: `{"api_key":"${KEY}"}` } }),
      ...shown,
      await run("", { env: { SURVEY_EXPORT_CATALOG: KEY } }),
      ...shown,
      await run("", { at: KEY.repeat(100) }),
      ...shown,
    ];
    expect(ended).toEqual([
      2,
      `sync: The configuration ${nothing} Write config.json, or let SURVEY_EXPORT_CONFIG name another file.`,
      2,
      `sync: The configured catalog ${nothing} Make catalog.json with "source-survey-export catalog --config FILE", or let SURVEY_EXPORT_CATALOG name another file.`,
      2,
      `sync: There is no such folder (its path leads to "${process.cwd()}" and no further). Create it, with config.json and catalog.json in it.`,
    ]);
    expect(existsSync(folder.inside("messages"))).toBe(false);
  });
});

describe("a link in the folder", () => {
  beforeEach(() => folder.write("mine", state("b", 1)));
  const link = (name: string) => symlinkSync("mine", folder.inside(name));
  const modeOf = (name: string) => lstatSync(folder.inside(name)).mode;

  it("as the lock is refused", async () => {
    link(".lock");
    expect(await run()).toBe(2);
    expect(shown).toEqual([`sync: ${NO_LOCK.replace("FOLDER", folder.path)}`]);
    expect(folder.read("mine")).toBe(state("b", 1));
  });

  it("as the state is read once, and then replaced by a file", async () => {
    link("state.jsonl");
    await run(state("a", 1));
    expect(asked).toEqual([state("b", 1)]);
    expect([folder.read("mine"), folder.read("state.jsonl")]).toEqual([
      state("b", 1),
      state("b", 1) + state("a", 1),
    ]);
    expect(modeOf("state.jsonl")).toBe(0o100600);
  });
});

it.each([
  [0o644, {}, 1],
  [0o644, { SURVEY_EXPORT_API_KEY: "k" }, 0],
  [0o640, {}, 0],
  [0o600, {}, 0],
])("of a configuration with mode %o, and the variables %j, it warns %i times", async (mode, env, times) => {
  chmodSync(folder.inside("config.json"), mode);
  await run("", { env });
  const path = JSON.stringify(folder.inside("config.json"));
  expect(shown.slice(0, -1)).toEqual(
    Array.from(
      { length: times },
      () =>
        `WARN Every user of this machine may read ${path}, which holds the API key. Run: chmod 600 ${path} [config_readable]`,
    ),
  );
});

it.each([
  [0o755, 0o700, []],
  [0o2775, 0o2770, []],
  [0o777, 0o700, [""]],
  [0o700, 0o770, ["/messages"]],
  [0o775, 0o2772, ["", "/messages"]],
])("of a folder with mode %o, and messages/ with %o, it warns once: of %j", async (mode, messages, named) => {
  mkdirSync(folder.inside("messages"));
  chmodSync(folder.inside("messages"), messages);
  chmodSync(folder.path, mode);
  await run();
  const paths = named.map((name) => JSON.stringify(folder.path + name)).join(" ");
  expect(shown.slice(0, -1)).toEqual(
    named.length === 0
      ? []
      : [
          `WARN Other users of this machine may write to the folder, and so change what a sync reads and stores. Run: chmod go-w ${paths} [folder_writable]`,
        ],
  );
});
