import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import {
  BIN,
  catalog,
  type Message,
  messagesOf,
  records,
  runBin,
  signalAtFirstRecord,
  states,
  statuses,
} from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, surveyOf, testSandbox } from "../../support/sandbox.ts";
import { serverForTest } from "../../support/server.ts";

const COUNT = 20_000;
const folder = testFolder();
const sandbox = await testSandbox({ latencyMs: 5, surveys: [surveyOf("a", COUNT, { respondents: 500 })] });
const words = await folder.words("read", {
  config: configOf(sandbox),
  catalog: catalog("survey_responses"),
});
beforeEach(() => sandbox.service.resetStats());

/**
 * Starts the program. Nobody reads its output yet. `ended` is its code and its signal. It listens from the start: on a busy
 * machine the program may end while the test waits for something else, and Node tells each end only once.
 */
function start(args: readonly string[] = words) {
  const child = spawn(process.execPath, [BIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  return { child, ended: once(child, "close") };
}

/** Of `survey_responses`: how many records came, and how many the states count. */
const counts = (messages: readonly Message[]): number[] => [
  records(messages, "survey_responses").length,
  states(messages, "survey_responses").reduce((sum, { sourceStats }) => sum + sourceStats.recordCount, 0),
];

/**
 * Resolves once the source asks for nothing more, because nobody reads what it wrote. On a busy machine it is also silent
 * while it starts, or waits for its turn. So our end of the pipe has to be full, and the silence has to last twice as long as
 * the source needed until then.
 */
async function standstill(child: ChildProcessByStdio<null, Readable, Readable>): Promise<void> {
  const { stdout } = child;
  // If nobody listens to a stream, Node drops what is in it when the program ends.
  stdout.on("readable", () => {});
  const start = performance.now();
  while (stdout.readableLength < stdout.readableHighWaterMark) {
    expect(child.exitCode ?? child.signalCode, "the source has ended").toBeNull();
    await sleep(20);
  }
  const silenceMs = 2 * (performance.now() - start);
  const { service } = sandbox;
  for (let asked = -1; asked !== service.stats.requests; ) {
    asked = service.stats.requests;
    await sleep(silenceMs);
  }
}

describe("an early end", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "by %s tells the last state and then ends by the signal itself",
    async (signal) => {
      const ended = await runBin(words, signalAtFirstRecord(signal));
      expect(ended).toMatchObject({ code: null, signal });
      const { messages, stdout } = ended;
      expect(stdout.endsWith("\n")).toBe(true);
      const [delivered, counted] = counts(messages);
      expect(delivered).toBeLessThan(COUNT);
      expect(counted).toBe(delivered);
      expect(messages.slice(-2).map(({ type }) => type)).toContain("LOG");
    },
  );

  it("does not come by SIGHUP if SURVEY_EXPORT_IGNORE_SIGHUP says so, as under nohup", async () => {
    const env = { SURVEY_EXPORT_IGNORE_SIGHUP: "1" };
    const { code } = await runBin(words, { env, ...signalAtFirstRecord("SIGHUP") });
    expect(code).toBe(0);
  });

  it("with a reader that goes away stops asking", async () => {
    const { child, ended } = start();
    const errors = text(child.stderr);
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code, signal] = await ended;
    expect({ code, signal }).toEqual({ code: null, signal: "SIGTERM" });
    expect(await errors).toBe("");
    expect(sandbox.service.stats.requests).toBeLessThan(COUNT / 100);
  });

  it("with a reader that does not read waits, asks for no more than a few pages, and loses nothing", async () => {
    const { child, ended } = start();
    await standstill(child);
    expect(sandbox.service.stats.requests).toBeLessThan(20);
    const output = text(child.stdout);
    const [code] = await ended;
    expect(code).toBe(0);
    expect(records(messagesOf(await output), "survey_responses")).toHaveLength(COUNT);
  });

  it("waits until a slow reader of a full pipe has taken the last state and INCOMPLETE", async () => {
    const { child, ended } = start();
    await standstill(child);
    child.kill("SIGTERM");
    await sleep(4000); // the reader is still busy
    const output = text(child.stdout);
    const [code, signal] = await ended;
    expect({ code, signal }).toEqual({ code: null, signal: "SIGTERM" });
    const messages = messagesOf(await output);
    expect(statuses(messages, "survey_responses").at(-1)).toBe("INCOMPLETE");
    const [delivered, counted] = counts(messages);
    expect(delivered).toBeGreaterThan(0);
    expect(counted).toBe(delivered);
  });

  it("comes at once by the same signal again, though the reader has stopped reading", async () => {
    const { child } = start();
    const exited = once(child, "exit"); // "close" waits for a reader
    await standstill(child);
    child.kill("SIGTERM");
    await sleep(200);
    expect(child.exitCode ?? child.signalCode).toBeNull();
    child.kill("SIGTERM");
    const [, signal] = await exited;
    expect(signal).toBe("SIGTERM");
    child.stdout.destroy();
  });

  it("of a check by Ctrl-C comes at once, though the service is silent", async () => {
    const silent = await serverForTest(() => {});
    const config = { base_url: `${silent.origin}/v2`, api_key: "k3y-of-nobody", survey_ids: ["a"] };
    const check = ["check", "--config", await folder.file("silent.json", config)];
    const { child, ended } = start(check);
    await silent.firstRequest;
    child.kill("SIGINT");
    const [code, signal] = await ended;
    expect({ code, signal }).toEqual({ code: null, signal: "SIGINT" });
  });
});

it.runIf(existsSync("/dev/full"))("a full disk ends the run with a sentence", async () => {
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [BIN, ...words], { stdio: ["ignore", full, "pipe"] });
  const said = text(child.stderr!);
  const [code] = await once(child, "close");
  closeSync(full);
  expect(code).toBe(1);
  expect(await said).toBe(
    "source-survey-export: standard output cannot be written: ENOSPC: no space left on device, write. Make room, and run again with the last state that was written.\n",
  );
});

describe("the null device as standard output", () => {
  const [, ...files] = words;
  const calls = [["spec"], ["check", ...files.slice(0, 2)], ["catalog"], words];
  it.each(calls)("lets %s do its work, also if it is open for both directions", async (...call) => {
    const { status, stderr } = await ignored([process.execPath, BIN, ...call]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const shell = `"$0" "$@" >/dev/null`;
    expect(await ignored(["/bin/sh", "-c", shell, process.execPath, BIN, ...call])).toEqual({
      status,
      stderr,
    });
    expect(sandbox.service.stats.requests > 0).toBe(call[0] === "check" || call[0] === "read");
  });
});

/** Runs a program whose input and output are the null device, as health checks and cron's wrappers do. */
async function ignored([program = "", ...args]: readonly string[]) {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  const stderr = text(child.stderr);
  const [status] = await once(child, "close");
  return { status, stderr: await stderr };
}
