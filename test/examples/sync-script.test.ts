import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const script = path("../../examples/sync.sh");
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
async function start(
  output: string,
  next = "exit 0",
  env: NodeJS.ProcessEnv = {},
  before: readonly string[] = [],
): Promise<Started> {
  const source = join(folder, "source.sh");
  const said = join(folder, "said");
  await writeFile(said, output);
  await writeFile(source, `echo "$*" >>${folder}/asked\ncat ${said}\n${next}\n`);
  return startScript([folder, "/bin/sh", source], env, before);
}

/** Starts the script; `before` is a command that starts it in its turn. */
function startScript(
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  before: readonly string[] = [],
): Started {
  const [program = "", ...rest] = [...before, script, ...words];
  const child = spawn(program, rest, {
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

async function sync(...given: Parameters<typeof start>): Promise<number | null> {
  const child = await start(...given);
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

const kept = async () => (await readFile(join(folder, "state.jsonl"), "utf8")).match(/.*\n/g)?.sort() ?? [];
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

/** A sync that is killed as a whole, when its source has written `output`. */
async function killedSync(output: string, ...given: [env?: NodeJS.ProcessEnv, before?: readonly string[]]) {
  const killed = await start(output, hang(), ...given);
  await written();
  kill(killed, "SIGKILL");
  await once(killed, "exit");
  await rm(join(folder, "written"));
}

test("a first sync that was killed counts too", async () => {
  await killedSync(record(1) + state("a", 1));
  await sync(record(2));
  expect(await lastAsked()).toContain("--state");
  expect(await kept()).toEqual([state("a", 1)]);
});

describe("a state.jsonl that was deleted, so that everything is read again", () => {
  test("after a kill: the killed sync's records are kept, and its states do not bring it back", async () => {
    await sync(state("a", 1) + state("b", 1));
    await killedSync(record(1) + state("a", 2));
    await rm(join(folder, "state.jsonl"));
    const next = await start(record(2) + state("b", 3));
    await once(next, "close");
    expect(next.shown).toContain(
      "sync.sh: keeping what an interrupted sync wrote: 1 a\nsync.sh: there is no state.jsonl, so everything is read again\n",
    );
    expect(await lastAsked()).not.toContain("--state");
    expect(await kept()).toEqual([state("b", 3)]);
    expect(await messages()).toContain(record(1) + state("a", 2));
  });

  test("while a sync runs: its states do not bring it back either", async () => {
    const child = await start(record(1) + state("a", 1), hang());
    await written();
    await rm(join(folder, "state.jsonl"));
    process.kill(child.pid!, "SIGTERM");
    await once(child, "close");
    expect(child.shown).toContain(
      "sync.sh: state.jsonl was deleted during this run: the next run reads everything again\n",
    );
    expect(await sync(record(2))).toBe(0);
    expect(await lastAsked()).not.toContain("--state");
    expect(await kept()).toEqual([]);
  });
});

describe("a state.jsonl that did not come from the source", () => {
  const put = (text: string) => writeFile(join(folder, "state.jsonl"), text);
  const array = JSON.stringify([JSON.parse(state("a", 1)).state, JSON.parse(state("b", 1)).state]);
  const advice = `is not a state as the source writes it, one JSON object a line that begins with {"type":"STATE". docs/operators.md says under "State" how to convert a state of Airbyte. To read everything again, delete the file.\n`;

  test.each([
    ["Airbyte's array", `${array}\n`, "line 1"],
    ["a bare cursor", `${state("a", 1)}{"collected_at":"2026-01-01T00:00:00.000000Z"}\n`, "line 2"],
    ["a byte order mark", `\uFEFF${state("a", 1)}`, "line 1"],
    ["JSON with blanks", state("a", 1).replaceAll(":", ": "), "line 1"],
  ])("is refused before anything starts: %s", async (_, text, line) => {
    await put(text);
    const child = await start(state("a", 2));
    await once(child, "close");
    expect({ code: child.exitCode, shown: child.shown }).toEqual({
      code: 2,
      shown: `sync.sh: ${line} of ${folder}/state.jsonl ${advice}`,
    });
    expect(await readFile(join(folder, "state.jsonl"), "utf8")).toBe(text);
    expect(await exists(join(folder, "asked"))).toBe(false);
  });

  test("is refused without any state", async () => {
    await put(`\n${record(1)}`);
    expect(await call([folder, "true"])).toEqual({
      code: 2,
      shown: `sync.sh: no line of ${folder}/state.jsonl is a state. Delete the file to read everything again.\n`,
    });
  });

  test("is taken where it is the output of a run, with other messages and blank lines", async () => {
    const nameLast = state("b", 1).replace('{"name":"b"}', '{"namespace":null,"name":"b"}');
    await put(`${record(1)}${state("a", 1)}\r\n\n${nameLast}`);
    expect(await sync(state("a", 2) + state("b", 2))).toBe(0);
    expect(await lastAsked()).toContain("--state");
    expect(await kept()).toEqual([state("a", 2), state("b", 2)]);
  });

  test("is taken without its last line end, as an editor may leave it", async () => {
    await put((state("a", 1) + state("b", 1)).trimEnd());
    await sync(record(1) + state("a", 2));
    expect(await kept()).toEqual([state("a", 2), state("b", 1)]);
  });

  const protocol = ["a", "b"].map((stream) => JSON.parse(state(stream, 1)).state);
  const platform = protocol.map(({ stream }) => ({
    streamDescriptor: { ...stream.stream_descriptor, namespace: null },
    streamState: stream.stream_state,
  }));
  test.skipIf(spawnSync("jq", ["--version"]).error).each([
    ["the protocol", protocol],
    ["the platform's settings", platform],
  ])("is taken when it was converted as the operators' page says, from %s", async (_, states) => {
    const page = await readFile(path("../../docs/operators.md"), "utf8");
    const [line = ""] = page.match(/^ *jq .*$/m) ?? [];
    await writeFile(join(folder, "airbyte.json"), JSON.stringify(states));
    execFileSync("sh", ["-c", line], { cwd: folder });
    expect(await sync(record(1))).toBe(0);
    expect(await kept()).toEqual([state("a", 1), state("b", 1)]);
  });
});

/** The shell and the tools of the image's Alpine and of many NAS devices, if they are installed. */
const hasBusybox = !spawnSync("busybox").error;
async function busybox(): Promise<[NodeJS.ProcessEnv, string[]]> {
  const bin = join(folder, "busybox");
  await mkdir(bin);
  const [all, flock] = ["busybox", "flock"].map((name) =>
    execFileSync("which", [name], { encoding: "utf8" }).trim(),
  );
  for (const name of execFileSync(all!, ["--list"], { encoding: "utf8" }).trim().split("\n")) {
    await symlink(all!, join(bin, name));
  }
  if (!(await exists(join(bin, "flock")))) await symlink(flock!, join(bin, "flock"));
  return [{ PATH: bin }, [join(bin, "sh")]];
}

test("no expression begins with ^{, which awk of BusyBox refuses", async () => {
  for (const file of [script, path("../../examples/docker-run/sync.sh")]) {
    expect(await readFile(file, "utf8")).not.toContain("^{");
  }
});

test.skipIf(!hasBusybox)("BusyBox is enough, after a kill too", async () => {
  const [env, shell] = await busybox();
  await killedSync(record(1) + state("a", 1) + record(2).slice(0, 9), env, shell);
  const child = await start(record(3) + state("b", 1), "exit 0", env, shell);
  await once(child, "close");
  expect(child.shown).toMatch(
    /^sync\.sh: keeping what an interrupted sync wrote: 1 a\nsync\.sh: done after \d+ s: 1 a in .*\n$/,
  );
  expect(await kept()).toEqual([state("a", 1), state("b", 1)]);
  expect((await messages()).toSorted()).toEqual([record(1) + state("a", 1), record(3) + state("b", 1)]);
});

describe.each([
  ["the system's tools", "a whole line"],
  ["the system's tools", "half a line"],
  ["BusyBox", "a whole line"],
  ["BusyBox", "half a line"],
])("on a full disk, with %s, after a kill that left %s", (tools, last) => {
  test.skipIf(tools === "BusyBox" && !hasBusybox)("state and messages stay as they were", async () => {
    const [env, shell]: [NodeJS.ProcessEnv, string[]] =
      tools === "BusyBox" ? await busybox() : [{}, ["/bin/sh"]];
    const long = (stream: string, n: number) =>
      state(stream, n).replace("}}}}", `,"s":"${"0".repeat(3000)}"}}}}`);
    await sync(long("a", 1) + long("b", 1));
    const output = record(1) + long("a", 2) + record(2);
    await killedSync(output + (last === "half a line" ? record(3).slice(0, 9) : ""));
    const before = await messages();
    // No file may grow beyond 1 KB, which fails as a full disk does.
    const limit = ["/bin/sh", "-c", `trap "" XFSZ; ulimit -f 2; exec "$0" "$@"`];
    const full = startScript([folder, "true"], env, [...limit, ...shell]);
    await once(full, "close");
    expect(full.exitCode, full.shown).toBe(1);
    expect(full.shown).toContain(`sync.sh: cannot store the state in ${folder}. Make room there`);
    expect(await messages()).toEqual(expect.arrayContaining(before));
    expect(await kept()).toEqual([long("a", 1), long("b", 1)]);
    await sync("", "exit 0", env, shell);
    expect(await messages()).toContain(output);
    expect(await kept()).toEqual([long("a", 2), long("b", 1)]);
  });
});

test("the folder is the one that is named, whatever CDPATH and its first character are", async () => {
  const elsewhere = join(folder, "elsewhere");
  await mkdir(join(elsewhere, "-mine"), { recursive: true });
  await mkdir(join(folder, "-mine"));
  await writeFile(join(folder, "docker"), 'while [ "$1" != --volume ]; do shift; done; echo "$2" >asked\n', {
    mode: 0o755,
  });
  const env = { CDPATH: elsewhere, PATH: `${folder}:${process.env.PATH}` };
  for (const file of [script, path("../../examples/docker-run/sync.sh")]) {
    const { stderr } = spawnSync(file, ["-mine", "true"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
    expect(stderr).toContain(` in ${folder}/-mine/messages/`);
  }
  expect(await lastAsked()).toBe(`${folder}/-mine:${folder}/-mine:ro`);
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

test("a terminal that closes stops the script and the source, whose last words count", async () => {
  await writeFile(join(folder, "last words"), state("a", 2));
  const lastWords = `trap 'kill $!; cat "${folder}/last words"; exit 129' HUP; trap "" TERM`;
  const child = await start(state("a", 1), `sleep 60 & ${lastWords}; touch ${folder}/written; wait`);
  await written();
  kill(child, "SIGHUP");
  await once(child, "close");
  expect(child.exitCode).toBe(129);
  expect(child.shown).toContain("sync.sh: stopped by a signal (exit code 129) after");
  expect(await kept()).toEqual([state("a", 2)]);
});

test.each([
  ["is told", ['trap "" HUP; exec "$0" "$@"'], "1"],
  ["is not told otherwise", ['exec "$0" "$@"'], ""],
])("under nohup the source %s", async (_, [command = ""], told) => {
  const said = `echo "told: $SURVEY_EXPORT_IGNORE_SIGHUP" >>${folder}/asked`;
  await sync("", said, {}, ["/bin/sh", "-c", command]);
  expect(await lastAsked()).toBe(`told: ${told}`.trim());
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

  test("of a failed sync without a state", async () => {
    const child = await start(record(1), "exit 1");
    await once(child, "close");
    expect(child.shown).toMatch(/\nsync\.sh: the next run reads from the start\n$/);
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
