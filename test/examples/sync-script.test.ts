import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../examples/sync.sh", import.meta.url));
const record = (n: number) => `{"type":"RECORD","record":{"stream":"a","data":{"n":${n}},"emitted_at":1}}\n`;
const state = (stream: string, n: number) =>
  `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"${stream}"},"stream_state":{"n":${n}}}}}\n`;

let folder: string;
const running = new Set<ChildProcess>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sync-script-"));
});

afterEach(async () => {
  for (const child of running) kill(child, "SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** The script and what it started, which are a process group of their own. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
}

/** Starts a sync whose source writes its arguments down, writes `output`, and then does `next`. */
async function start(output: string, next = "exit 0"): Promise<ChildProcess> {
  const source = join(folder, "source.sh");
  const said = join(folder, "said");
  await writeFile(said, output);
  await writeFile(source, `echo "$*" >>${folder}/asked\ncat ${said}\n${next}\n`);
  const child = spawn(script, [folder, "/bin/sh", source], { detached: true, stdio: "ignore" });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

async function sync(output: string, next?: string): Promise<number | null> {
  const child = await start(output, next);
  await once(child, "exit");
  return child.exitCode;
}

/** Says that all is written, then stays. */
const hang = (seconds = 60) => `touch ${folder}/written; sleep ${seconds}`;

async function written(): Promise<void> {
  while (!(await readdir(folder)).includes("written")) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function messages(): Promise<string[]> {
  const names = (await readdir(join(folder, "messages"))).sort();
  return Promise.all(names.map((name) => readFile(join(folder, "messages", name), "utf8")));
}

const kept = async () => (await readFile(join(folder, "state.jsonl"), "utf8")).split(/(?<=\n)/).sort();
const lastAsked = async () => (await readFile(join(folder, "asked"), "utf8")).trimEnd().split("\n").at(-1);

test("a first sync is given no state, the next one the last state of each stream", async () => {
  expect(await sync(record(1) + state("a", 1) + state("b", 1) + state("a", 2) + record(2))).toBe(0);
  expect(await lastAsked()).toBe(`read --config ${folder}/config.json --catalog ${folder}/catalog.json`);
  expect(await kept()).toEqual([state("a", 2), state("b", 1)]);
  await sync(state("b", 2));
  expect(await lastAsked()).toBe(
    `read --config ${folder}/config.json --catalog ${folder}/catalog.json --state ${folder}/state.jsonl`,
  );
  expect(await kept()).toEqual([state("a", 2), state("b", 2)]);
});

test("a run without a state leaves the state as it was", async () => {
  await sync(state("a", 1));
  await sync(record(1));
  expect(await kept()).toEqual([state("a", 1)]);
});

test("a failed run is reported, and what it wrote is kept", async () => {
  expect(await sync(record(1) + state("a", 1), "exit 1")).toBe(1);
  expect(await kept()).toEqual([state("a", 1)]);
  expect(await messages()).toEqual([record(1) + state("a", 1)]);
});

test("after a kill the next run takes over the whole lines, and goes on from the last whole state", async () => {
  await sync(state("a", 1) + state("b", 1));
  const killed = await start(record(1) + state("a", 2) + record(2) + state("a", 3).slice(0, -2), hang());
  await written();
  kill(killed, "SIGKILL");
  await once(killed, "exit");
  expect(await kept()).toEqual([state("a", 1), state("b", 1)]);
  await sync(record(3));
  expect(await kept()).toEqual([state("a", 2), state("b", 1)]);
  expect((await messages()).sort()).toEqual(
    [state("a", 1) + state("b", 1), record(1) + state("a", 2) + record(2), record(3)].sort(),
  );
  expect(await lastAsked()).toContain("--state");
});

test("SIGTERM reaches the source, whose last words and exit code count", async () => {
  await writeFile(join(folder, "last words"), state("a", 2));
  const wait = `sleep 60 & trap 'kill $!; cat "${folder}/last words"; exit 143' TERM; touch ${folder}/written; wait`;
  const child = await start(state("a", 1), wait);
  await written();
  process.kill(child.pid!, "SIGTERM");
  await once(child, "exit");
  expect(child.exitCode).toBe(143);
  expect(await kept()).toEqual([state("a", 2)]);
});

test("two at once in one folder are refused, and the first is not disturbed", async () => {
  const first = await start(state("a", 1), hang(0.5));
  await written();
  const second = spawn(script, [folder, "true"], { stdio: "ignore" });
  await once(second, "exit");
  expect(second.exitCode).toBe(75);
  await once(first, "exit");
  expect(first.exitCode).toBe(0);
  expect(await kept()).toEqual([state("a", 1)]);
});
