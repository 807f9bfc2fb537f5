import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exampleSurveys, type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { BIN } from "../command-line/bin.ts";
import { createFolderOfService, type FolderOfService } from "../sync-folder/folder.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
let sandbox: Sandbox;
let folder: string;
let running: ChildProcess | undefined;
/** What the script that runs has written to stderr, which is what an operator sees. */
let shown: string;

let folder: FolderOfService;
beforeEach(async () => {
  folder = await createFolderOfService(300);
});
afterEach(() => folder.remove());

test("the example syncs in its folder, and passes on SURVEY_EXPORT_KEEP_RUNS and the exit code", async () => {
  mkdirSync(folder.inside("messages"));
  folder.write("messages/20260101T000000.000Z.jsonl", '{"type":"RECORD","record":{"stream":"a"}}\n');
  const fine = await folder.run({
    command: [script, folder.path],
    env: { ...env, SURVEY_EXPORT_KEEP_RUNS: "1" },
  });
  expect(fine.code, fine.shown).toBe(0);
  expect(fine.shown).toMatch(/^sync: done after \d+ s: 300 survey_responses in /m);
  expect(folder.names()).toHaveLength(1);
  folder.write("config.json", { ...folder.config, api_key: "no-such-key" });
  expect((await folder.run({ command: [script, folder.path], env })).code).toBe(1);
});

afterEach(async () => {
  kill("SIGKILL");
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

/** The script and all it started are a process group of their own. */
function kill(signal: NodeJS.Signals): void {
  if (running !== undefined && running.exitCode === null && running.signalCode === null) {
    process.kill(-running.pid!, signal);
  }
}

/** The example as it is, with the process in place of the image. */
function start(): ChildProcess {
  const env = {
    PATH: `${path("../stand-in")}:${dirname(process.execPath)}:${process.env.PATH}`,
    SURVEY_EXPORT_BIN: BIN,
  };
  running = spawn(path("../../examples/docker-run/sync.sh"), [folder], {
    detached: true,
    env,
    stdio: ["ignore", "inherit", "pipe"],
  });
  shown = "";
  running.stderr!.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  return running;
}

async function sync(): Promise<number | null> {
  const [code] = await once(start(), "close");
  return code;
}

/** The keys of the records that the runs so far wrote, run by run. */
async function written(): Promise<string[][]> {
  const names = (await readdir(join(folder, "messages"))).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, "messages", name), "utf8")));
  return texts.map((text) =>
    text.split("\n").flatMap((line) => {
      if (!line.startsWith('{"type":"RECORD"')) return [];
      const { stream, data } = JSON.parse(line).record;
      return [stream === "survey_responses" ? data.uuid : `${data.respondent_uuid} ${data.id}`];
    }),
  );
}

function truth(): string[] {
  const { truth } = sandbox.service;
  const ids = truth.surveyIds();
  const people = new Set(ids.flatMap((id) => [...truth.respondents(id)]));
  return [
    ...ids.flatMap((id) => [...truth.responses(id)].map(({ uuid }) => uuid)),
    ...[...people].flatMap((uuid) => (truth.attributes(uuid) ?? []).map(({ id }) => `${uuid} ${id}`)),
  ].toSorted();
}

/** How many responses lie behind the states that the first run has written so far. */
async function withState(): Promise<number> {
  const files = await readdir(join(folder, "messages")).catch(() => []);
  // Before the run, the script creates a file there to see whether it can, and removes it.
  const [name] = files.filter((file) => file.includes(".jsonl")).toSorted();
  const text = name === undefined ? "" : await readFile(join(folder, "messages", name), "utf8");
  const states = text.matchAll(/^\{"type":"STATE".*"name":"survey_responses".*"recordCount":(\d+)/gm);
  return [...states].reduce((sum, [, count]) => sum + Number(count), 0);
}

test("a sync that was killed goes on from its last state, and in the end nothing is missing", async () => {
  // The service falls silent in mid-sync, so that the kill comes there however fast the machine is.
  const silentFrom = Array.from({ length: 100 }, (_, at) => 16 + at);
  sandbox.service.addFaults({ on: "survey_responses", nth: silentFrom, reply: "silence" });
  start();
  while ((await withState()) < 500) await new Promise((resolve) => setTimeout(resolve, 5));
  kill("SIGKILL");
  await once(running!, "exit");
  const before = await withState();
  sandbox.service.clearFaults();
  expect(await sync()).toBe(0);
  const [killed, second] = await written();
  const responses = (keys: readonly string[]) => keys.filter((key) => !key.includes(" ")).length;
  expect(responses(killed!)).toBeGreaterThanOrEqual(before);
  expect(responses(second!)).toBeLessThanOrEqual(3000 - before + 100); // and what lies at the edges
  expect([...new Set([...killed!, ...second!])].toSorted()).toEqual(truth());
});

test("a second sync brings only what is new", async () => {
  expect(await sync()).toBe(0);
  sandbox.service.resetStats();
  const [survey] = sandbox.service.truth.surveyIds();
  sandbox.service.collect(survey!, { count: 3 });
  expect(await sync()).toBe(0);
  const [first, second] = await written();
  expect([...new Set([...first!, ...second!])].toSorted()).toEqual(truth());
  expect(second!.length).toBeLessThan(100);
});

test("with a wrong key the operator's log says so, and does not say the key", async () => {
  const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
  await writeFile(join(folder, "config.json"), JSON.stringify({ ...config, api_key: "no-such-key" }));
  expect(await sync()).toBe(1);
  expect(shown).toMatch(/^ERROR (survey_responses: )?The service does not accept the API key/m);
  expect(shown).toMatch(/^sync\.sh: failed \(exit code 1\) after \d+ s: no records in /m);
  expect(shown).not.toContain("no-such-key");
});

test("a healthy sync ends with its counts in the operator's log", async () => {
  expect(await sync()).toBe(0);
  expect(shown).toMatch(/^sync\.sh: done after \d+ s: (\d+ \w+, )?3000 survey_responses/m);
});
