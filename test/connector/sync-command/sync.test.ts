import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { stateLines } from "../../../connector/airbyte/state.ts";
import { sync } from "../../../connector/sync-command/sync.ts";
import { createFolder } from "./support/folder.ts";

let folder: ReturnType<typeof createFolder>;
/** What the read was given of a state, each time; what standard error showed. */
let asked: (string | undefined)[];
let shown: string[];
beforeEach(() => {
  folder = createFolder();
  folder.write("config.json", {});
  asked = [];
  shown = [];
});

const record = (n: number) => `{"type":"RECORD","record":{"stream":"a","data":{"n":${n}},"emitted_at":1}}\n`;
const state = (stream: string, n: number) =>
  `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"${stream}"},"stream_state":{"n":${n}}}}}\n`;

interface Changes {
  readonly env?: NodeJS.ProcessEnv;
  readonly at?: string;
  readonly isComplete?: boolean;
}

/** A sync in this process whose read writes these lines. */
function run(lines = "", { env = {}, at = folder.path, isComplete = true }: Changes = {}): Promise<number> {
  shown = [];
  const stop = { signal: new AbortController().signal, exitCode: undefined, now() {}, finish() {} };
  const screen = { print: (line: string) => shown.push(line), draw() {}, hasLiveLine: false };
  const call = { target: at, files: {}, streams: undefined, flags: new Set<string>() };
  return sync(call, { env, stop, screen, print: async () => {} }, async ({ states, messages }) => {
    asked.push(states.size === 0 ? undefined : stateLines(states));
    for (const line of lines.split("\n").slice(0, -1)) await messages.write(`${line}\n`);
    return isComplete;
  });
}

const PART = "messages/20260101T000000.000Z.jsonl.part";
/** Leaves the folder as a kill in the middle of a run does. */
function kill(written: string): void {
  mkdirSync(folder.inside("messages"), { recursive: true });
  folder.write(PART, written);
}

describe("the state of a folder", () => {
  it("is the last state of each stream, which the next run is given, also after a run that failed", async () => {
    const lines = record(1) + state("a", 1) + state("b", 1) + state("a", 2) + record(2);
    expect(await run(lines, { isComplete: false })).toBe(1);
    expect(await run(state("b", 2))).toBe(0);
    expect(asked).toEqual([undefined, state("a", 2) + state("b", 1)]);
    expect(folder.read("state.jsonl")).toBe(state("a", 2) + state("b", 2));
    expect(folder.texts()).toEqual([lines, state("b", 2)]);
  });

  it("is one line for every reader, whatever characters it holds", async () => {
    await run(state("a", 1).replace('"n"', '"\u0085\u2028\u2029"'));
    expect(folder.read("state.jsonl")).toContain('"stream_state":{"\\u0085\\u2028\\u2029":1}');
  });

  it("is stored by the next run if there is no room for it", async () => {
    mkdirSync(folder.inside("state.jsonl.new")); // fails as a full disk does
    expect(await run(record(1) + state("a", 1))).toBe(1);
    expect(shown).toEqual([
      expect.stringMatching(/^sync: cannot store the state of \S+\.part: .*\. Nothing/),
    ]);
    expect(await run()).toBe(1);
    expect(asked).toHaveLength(1);
    rmSync(folder.inside("state.jsonl.new"), { recursive: true });
    expect(await run(record(2))).toBe(0);
    expect(shown[0]).toBe("sync: kept what an interrupted sync wrote: a 1");
    expect(asked.at(-1)).toBe(state("a", 1));
    expect(folder.texts()).toEqual([record(1) + state("a", 1), record(2)]);
  });

  it("of a run that was killed is that of its whole lines", async () => {
    await run(state("a", 1) + state("b", 1));
    const whole = record(1).replace('"n":1', '"n":"Größe 👍"') + state("a", 2) + record(2);
    kill(whole + state("a", 3).slice(0, -2));
    await run();
    expect(asked.at(-1)).toBe(state("a", 2) + state("b", 1));
    expect(folder.texts()[0]).toBe(whole);
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

  it("may be written by hand: for all streams, it stays for those that come later", async () => {
    const since = '{"collected_at":"2026-01-01T00:00:00.000000Z"}\n';
    folder.write("state.jsonl", since);
    await run(state("a", 1));
    await run(state("a", 2));
    expect(asked).toEqual([since, since + state("a", 1)]);
    expect(folder.read("state.jsonl")).toBe(since + state("a", 2));
  });

  it("that cannot be read is refused, and stays as it is", async () => {
    folder.write("state.jsonl", '{"cursor":"PLANTED"}\n');
    expect(await run(record(1))).toBe(2);
    expect(shown).toEqual([
      "sync: The state file (--state) cannot be used: it holds something that is not the state of a stream. Correct state.jsonl, or delete it to read everything again.",
    ]);
    expect(folder.read("state.jsonl")).toBe('{"cursor":"PLANTED"}\n');
    expect(asked).toEqual([]);
  });

  it("that is a link is read once, and then replaced by a file: no file is written through it", async () => {
    folder.write("mine", state("b", 1));
    symlinkSync("mine", folder.inside("state.jsonl"));
    await run(state("a", 1));
    expect(asked).toEqual([state("b", 1)]);
    expect(folder.read("mine")).toBe(state("b", 1));
    expect(folder.read("state.jsonl")).toBe(state("b", 1) + state("a", 1));
    expect(lstatSync(folder.inside("state.jsonl")).mode).toBe(0o100600);
  });
});

const notOurs = "is a link, or not a regular file";
const fifo = (name: string) => execFileSync("mkfifo", [folder.inside(name)]);
/** 600 MB of NUL bytes follow the content. They take no room on the disk. */
function longer(name: string, content: string): void {
  folder.write(name, content);
  truncateSync(folder.inside(name), 600 * 1024 * 1024);
}
const link = (target: string, name: string) => symlinkSync(target, folder.inside(name));

describe("a damaged run is put aside with a warning, and the last good state counts: ", () => {
  const good = record(1) + state("a", 2);
  /** Opening the first two, or reading them whole, would never end. */
  it.each<[what: string, spoil: () => void, reason: string, kept: string]>([
    ["a FIFO", () => fifo(PART), notOurs, ""],
    ["a link to an endless device", () => link("/dev/zero", PART), notOurs, ""],
    ["a link to a file", () => link("../mine", PART), notOurs, ""],
    ["a link to nothing", () => link("nothing", PART), notOurs, ""],
    ["a hard link", () => linkSync(folder.inside("mine"), folder.inside(PART)), notOurs, good],
    ["a folder", () => mkdirSync(folder.inside(PART)), notOurs, ""],
    ["a line without an end", () => longer(PART, good), `is damaged after byte ${good.length}`, good],
    ["NUL bytes", () => kill(`${good}\0\0\n${state("a", 3)}`), "is damaged after byte", good],
    ["half a state", () => kill(`${good}{"type":"STATE"}}\n${state("a", 3)}`), "is damaged after byte", good],
    ["an odd state", () => kill(`${good}{"type":"STATE","state":[]}\n`), "is damaged after byte", good],
  ])("%s", async (_, spoil, reason, kept) => {
    await run(state("a", 1));
    const mine = `${good}half a line of somebody`;
    folder.write("mine", mine);
    spoil();
    const { ino } = lstatSync(folder.inside(PART));
    expect(await run(record(2))).toBe(0);
    const damaged = folder.inside(PART.replace("part", "damaged"));
    expect(shown[0]).toMatch(`sync: cannot keep all of a run: "${folder.inside(PART)}" ${reason}`);
    expect(shown[0]).toMatch(/\. It is now "\S+\.damaged"\. The lines before the damage are kept, /);
    expect(lstatSync(damaged).ino).toBe(ino);
    expect(folder.read("mine")).toBe(mine);
    expect(asked.at(-1)).toBe(state("a", kept === "" ? 1 : 2));
    expect(folder.read(PART.replace(".part", ""))).toBe(kept);

    expect(await run()).toBe(0);
    expect(shown).toEqual([]);
  });
});

it("no run and no damaged run takes the place of another one", async () => {
  const names = ["20260101T000000.000Z.jsonl", "20260101T000000.000Z.jsonl.damaged"];
  kill(record(1));
  for (const name of names) folder.write(`messages/${name}`, record(2));
  await run();
  link("nothing", PART);
  await run();
  for (const name of names) expect(folder.read(`messages/${name}`)).toBe(record(2));
  expect(folder.read("messages/20260101T000000.000Z-.jsonl")).toBe(record(1));
  expect(readlinkSync(folder.inside("messages/20260101T000000.000Z-.jsonl.damaged"))).toBe("nothing");
});

describe("a sync cannot start", () => {
  const missing = (path: string) =>
    `does not exist, or this user (uid ${process.getuid!()}, gid ${process.getgid!()}) may not see it: its path leads to "${path}" and no further.`;
  const giveTarget = "Give a folder, or a file that ends in .sqlite or .db.";
  const create = `This folder ${missing(tmpdir())} Create it. ${giveTarget}`;
  const noKey =
    'There is no key. Set SURVEY_EXPORT_API_KEY, write config.json into "FOLDER", or name another file with --config.';
  const correct = "Correct state.jsonl, or delete it to read everything again.";
  const moveAway = "Move it away, and run again.";
  const stateRefused = `"STATE" ${notOurs}. ${correct}`;
  const lockRefused = `"LOCK" ${notOurs}. ${moveAway}`;
  const remove = (name: string) => () => rmSync(folder.inside(name));
  const KEY = "PLANTED-k3y";
  it.each<[string, () => unknown, Changes, string]>([
    ["without its folder", () => rmSync(folder.path, { recursive: true }), {}, create],
    ["without a configuration", remove("config.json"), {}, noKey],
    [
      "in a file",
      () => {},
      { at: "config.json" },
      `This is a file and not a folder: "FOLDER/config.json". ${giveTarget}`,
    ],
    [
      "next to no folder",
      () => {},
      { at: "no/a.db" },
      `This folder ${missing("FOLDER")} Create it. ${giveTarget}`,
    ],
    ["in a folder that it cannot write", () => folder.write("messages", ""), {}, "cannot use FOLDER: EEXIST"],
    ["without a lock", () => mkdirSync(folder.inside(".lock")), {}, "cannot use FOLDER: EISDIR"],
    [
      "with a link to nothing as its state",
      () => symlinkSync("nothing", folder.inside("state.jsonl")),
      {},
      "cannot use FOLDER: EEXIST",
    ],
    ["with a FIFO as its state", () => fifo("state.jsonl"), {}, stateRefused],
    [
      "with an endless device as its state",
      () => link("/dev/zero", "state.jsonl"),
      {},
      stateRefused.replace("STATE", "/dev/zero"),
    ],
    [
      "with a state of 600 MB",
      () => longer("state.jsonl", ""),
      {},
      `"STATE" is larger than 67,108,864 bytes. ${correct}`,
    ],
    ["with a FIFO as its lock", () => fifo(".lock"), {}, lockRefused],
    ["with a link as its lock", () => link("/dev/zero", ".lock"), {}, lockRefused],
    [
      "with the content of somebody in its lock",
      () => folder.write(".lock", "mine"),
      {},
      `"LOCK" is larger than 0 bytes. ${moveAway}`,
    ],
    [
      "with the key as the path of a configuration, which is not shown",
      () => {},
      { env: { SURVEY_EXPORT_CONFIG: `{"api_key":"${KEY}"}` } },
      `The file of SURVEY_EXPORT_CONFIG ${missing(process.cwd())}`,
    ],
    ["with the key as its folder", () => {}, { at: `/${KEY.repeat(100)}` }, `This folder ${missing("/")}`],
  ])("%s: it says which, and ends with 2", async (_, spoil, changes, words) => {
    spoil();
    expect(await run("", { ...changes, at: resolve(folder.path, changes.at ?? "") })).toBe(2);
    const said = words
      .replace("FOLDER", folder.path)
      .replace("STATE", folder.inside("state.jsonl"))
      .replace("LOCK", folder.inside(".lock"));
    expect(shown).toEqual([expect.stringContaining(`sync: ${said}`)]);
    expect(asked).toEqual([]);
  });

  it("but an empty variable names no file", async () => {
    const env = { SURVEY_EXPORT_CONFIG: "" };
    expect(await run(record(1), { env })).toBe(0);
  });

  it("with a link to nothing as its lock, and creates no file there", async () => {
    link("nothing", ".lock");
    expect(await run()).toBe(2);
    expect(existsSync(folder.inside("nothing"))).toBe(false);
  });
});
