import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

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

interface Started extends ChildProcess {
  /** What the script has shown so far. */
  shown: string;
}

/** Starts a sync whose source writes its arguments down, writes `output`, and then does `next`. */
async function start(output: string, next = "exit 0", env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const source = join(folder, "source.sh");
  const said = join(folder, "said");
  await writeFile(said, output);
  await writeFile(source, `echo "$*" >>${folder}/asked\ncat ${said}\n${next}\n`);
  return startScript([folder, "/bin/sh", source], env);
}

function startScript(words: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const child = spawn(script, words, {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  const started = Object.assign(child, { shown: "" });
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    started.shown += text;
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return started;
}

async function sync(output: string, next?: string, env?: NodeJS.ProcessEnv): Promise<number | null> {
  const child = await start(output, next, env);
  await once(child, "exit");
  return child.exitCode;
}

/** A call that ends by itself: its exit code and what it showed. */
async function call(...given: Parameters<typeof startScript>) {
  const child = startScript(...given);
  await once(child, "close");
  return { code: child.exitCode, shown: child.shown };
}

/** Says that all is written, then stays. */
const hang = (seconds = 60) => `touch ${folder}/written; exec sleep ${seconds}`;

const written = () => until(() => exists(join(folder, "written")));

async function messages(): Promise<string[]> {
  const names = (await readdir(join(folder, "messages"))).sort();
  return Promise.all(names.map((name) => readFile(join(folder, "messages", name), "utf8")));
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
};

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

test("where the state cannot be stored, it says so, and the next run stores it first", async () => {
  await mkdir(join(folder, "state.jsonl.new")); // as good as a full disk
  const child = await start(record(1) + state("a", 1));
  await once(child, "close");
  expect(child.exitCode).toBe(1);
  expect(child.shown).toContain(
    `sync.sh: cannot store the state in ${folder}. Make room there, or mend its rights. Nothing is lost`,
  );
  await rm(join(folder, "state.jsonl.new"), { recursive: true });
  const next = await start(record(2));
  await once(next, "close");
  expect(next.shown).toContain("sync.sh: keeping what an interrupted sync wrote: 1 a\n");
  expect(await lastAsked()).toContain("--state");
  expect(await kept()).toEqual([state("a", 1)]);
  expect((await messages()).toSorted()).toEqual([record(1) + state("a", 1), record(2)].toSorted());
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
  expect(await call([folder, "true"])).toEqual({
    code: 75,
    shown: `sync.sh: another sync is running in ${folder}. Try again when it has ended.\n`,
  });
  await once(first, "exit");
  expect(first.exitCode).toBe(0);
  expect(await kept()).toEqual([state("a", 1)]);
});

describe("what the operator's log shows", () => {
  const withoutTime = (shown: string) =>
    shown.replace(/after \d+ s/, "after N s").replace(/\d{8}T\d{6}Z-\d+/, "TIME");

  test("of a sync that is done: one line", async () => {
    const child = await start(record(1) + record(2) + state("a", 1));
    await once(child, "close");
    expect(withoutTime(child.shown)).toBe(`sync.sh: done after N s: 2 a in ${folder}/messages/TIME.jsonl\n`);
  });

  test("of a failed sync: what the source says, and how it ended", async () => {
    const said = 'echo "$SURVEY_EXPORT_STDERR: the key is wrong" >&2; exit 1';
    const child = await start(record(1) + state("a", 1), said);
    await once(child, "close");
    expect(child.exitCode).toBe(1);
    expect(withoutTime(child.shown)).toBe(
      [
        "1: the key is wrong",
        `sync.sh: failed (exit code 1) after N s: 1 a in ${folder}/messages/TIME.jsonl`,
        "sync.sh: the next run goes on from the last state",
        "",
      ].join("\n"),
    );
  });

  test("of a sync that was stopped", async () => {
    const child = await start(state("a", 1), hang());
    await written();
    process.kill(child.pid!, "SIGTERM");
    await once(child, "close");
    expect(child.shown).toMatch(
      /^sync\.sh: stopped by a signal \(exit code 143\) after \d+ s: no records in /m,
    );
  });

  test("of a source that died without a word", async () => {
    const child = await start("", "kill -KILL $$");
    await once(child, "close");
    expect(child.exitCode).toBe(137);
    expect(child.shown).toMatch(
      /^sync\.sh: killed \(exit code 137: often too little memory\) after \d+ s: no records in /m,
    );
  });

  test("where it cannot begin: a sentence", async () => {
    expect(await call(["/no/such/folder", "true"])).toEqual({
      code: 2,
      shown:
        "sync.sh: the folder /no/such/folder does not exist. Create it, with config.json and catalog.json in it.\n",
    });
    expect(await call([folder, "no-such-program"])).toEqual({
      code: 2,
      shown: "sync.sh: the program no-such-program was not found. Install it, or add its folder to PATH.\n",
    });
    expect(await call([folder, "npx", "source-survey-export"])).toEqual({
      code: 2,
      shown:
        "sync.sh: npx cannot be stopped safely. Run: npm install --global source-survey-export, then: sync.sh FOLDER source-survey-export\n",
    });
    expect(await call([folder, "/usr/bin/npm", "start"])).toMatchObject({ code: 2 });
    const missing = join(folder, "dist/source-survey-export.js");
    expect(await call([folder, "node", missing])).toEqual({
      code: 2,
      shown: `sync.sh: ${missing} does not exist. In a checkout, run: npm ci\n`,
    });
    expect(await call([folder, "true"], { SURVEY_EXPORT_KEEP_RUNS: "0" })).toEqual({
      code: 2,
      shown: 'sync.sh: SURVEY_EXPORT_KEEP_RUNS is "0". It must be a whole number of at least 1, or unset.\n',
    });
    await rm(join(folder, "messages"), { recursive: true, force: true });
    await writeFile(join(folder, "messages"), "a file, so that nothing can be written into it");
    expect(await call([folder, "true"])).toEqual({
      code: 2,
      shown: `sync.sh: cannot write to ${folder} as user ${process.getuid!()}. The folder must be writable and belong to this user.\n`,
    });
  });
});

test("a source that was left running by a SIGKILL of the script alone is stopped by the next run", async () => {
  const lastWords = `trap 'kill $!; cat "${folder}/last words"; touch ${folder}/stopped; exit 143' TERM`;
  await writeFile(join(folder, "last words"), state("a", 2));
  const killed = await start(state("a", 1), `sleep 60 & ${lastWords}; touch ${folder}/written; wait`);
  await written();
  await until(async () =>
    (await readFile(join(folder, ".lock"), "utf8")).startsWith(`${hostname()} ${killed.pid} `),
  );
  process.kill(killed.pid!, "SIGKILL");
  await once(killed, "exit");
  expect(await exists(join(folder, "stopped"))).toBe(false);

  const next = await start(record(1));
  await once(next, "close");
  expect(next.exitCode, next.shown).toBe(0);
  expect(next.shown).toContain("sync.sh: stopping the source that a killed sync left running (process ");
  expect(await exists(join(folder, "stopped"))).toBe(true);
  expect((await messages()).toSorted()).toEqual([record(1), state("a", 1) + state("a", 2)].toSorted());
  expect(await kept()).toEqual([state("a", 2)]);
});

describe("on a machine without flock", () => {
  const tools = [
    "sh",
    "awk",
    "cat",
    "cut",
    "date",
    "grep",
    "head",
    "id",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "sleep",
    "sort",
  ];

  /** A PATH on which there are the tools that every Unix has, and these. */
  async function pathWith(...more: readonly string[]): Promise<NodeJS.ProcessEnv> {
    const bin = join(folder, "bin");
    await mkdir(bin);
    for (const name of [...tools, "tail", "touch", "true", "uname", "wc", ...more]) {
      await symlink(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name));
    }
    return { PATH: bin };
  }

  test("perl locks in its place", async () => {
    const env = await pathWith("perl");
    const first = await start(state("a", 1), hang(), env);
    await written();
    expect(await call([folder, "true"], env)).toMatchObject({ code: 75 });
    process.kill(first.pid!, "SIGKILL");
    await once(first, "exit");
    expect(await sync(state("a", 2), "exit 0", env)).toBe(0);
    expect(await kept()).toEqual([state("a", 2)]);
  });

  test("without perl too, it says what is missing", async () => {
    expect(await call([folder, "true"], await pathWith())).toEqual({
      code: 2,
      shown:
        "sync.sh: needs flock or perl to make sure that only one sync runs at a time. Install one of them.\n",
    });
  });
});

test("with SURVEY_EXPORT_KEEP_RUNS the last runs that brought records are kept, and the state whole", async () => {
  await mkdir(join(folder, "messages"));
  const old = (second: number) => join(folder, "messages", `20260101T00000${second}Z-1.jsonl`);
  for (const second of [1, 2, 3]) await writeFile(old(second), record(second));
  await writeFile(old(4), state("a", 4)); // brought no records, and so does not count
  await writeFile(join(folder, "state.jsonl"), state("a", 4) + state("b", 1));
  expect(await sync(record(5) + state("a", 5), "exit 1", { SURVEY_EXPORT_KEEP_RUNS: "2" })).toBe(1);
  expect(await messages()).toEqual([record(3), state("a", 4), record(5) + state("a", 5)]);
  expect(await kept()).toEqual([state("a", 5), state("b", 1)]);
  await sync(record(6));
  expect(await messages()).toHaveLength(4);
});
