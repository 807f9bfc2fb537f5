import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { BIN, catalog, createFolder, messagesOf, records, runBin, states } from "./bin.ts";

const COUNT = 20_000;
let folder: Awaited<ReturnType<typeof createFolder>>;
let sandbox: Sandbox;
let words: string[];

beforeAll(async () => {
  folder = await createFolder();
  sandbox = await startSandbox({
    latencyMs: 5,
    surveys: [
      {
        id: "a",
        responses: {
          seed: 1,
          count: COUNT,
          density: "even",
          from: "2025-01-01T00:00:00.000000Z",
          to: "2026-09-30T00:00:00.000000Z",
          respondents: 500,
        },
      },
    ],
  });
  const config = { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: ["a"] };
  words = [
    ...["read", "--config", await folder.file("config.json", config)],
    ...["--catalog", await folder.file("catalog.json", catalog(["survey_responses"]))],
  ];
});
afterAll(async () => {
  await sandbox.close();
  await folder.remove();
});
beforeEach(() => sandbox.service.resetStats());

describe("an early end", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "by %s tells the last state and then ends by the signal itself",
    async (signal) => {
      let sent = false;
      const ended = await runBin(words, {
        onOutput: (child, soFar) => {
          if (!sent && soFar.includes('"type":"RECORD"')) sent = child.kill(signal);
        },
      });
      expect([ended.code, ended.signal]).toEqual([null, signal]);
      const { messages, stdout } = ended;
      expect(stdout.endsWith("\n")).toBe(true);
      const delivered = records(messages, "survey_responses");
      expect(delivered.length).toBeLessThan(COUNT);
      const counted = states(messages, "survey_responses").reduce(
        (sum, { sourceStats }) => sum + sourceStats.recordCount,
        0,
      );
      expect(counted).toBe(delivered.length);
      expect(messages.slice(-2).map(({ type }) => type)).toContain("LOG");
    },
  );

  it("with a reader that goes away stops asking", async () => {
    const child = spawn(process.execPath, [BIN, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (text) => {
      errors += text;
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code, signal] = await once(child, "close");
    expect([code, signal]).toEqual([null, "SIGTERM"]);
    expect(errors).toBe("");
    expect(sandbox.service.stats.requests).toBeLessThan(COUNT / 100);
  });

  it("with a reader that does not read waits, asks for no more than a few pages, and loses nothing", async () => {
    const child = spawn(process.execPath, [BIN, ...words], { stdio: ["ignore", "pipe", "inherit"] });
    let asked = -1;
    while (sandbox.service.stats.requests === 0 || sandbox.service.stats.requests !== asked) {
      asked = sandbox.service.stats.requests;
      await sleep(400);
    }
    expect(asked).toBeLessThan(20);
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    expect(records(messagesOf(text), "survey_responses")).toHaveLength(COUNT);
  });

  it("can be forced on a program whose reader has stopped reading", async () => {
    const child = spawn(process.execPath, [BIN, ...words], { stdio: ["ignore", "pipe", "inherit"] });
    while (sandbox.service.stats.requests < 3) await sleep(20);
    child.kill("SIGTERM");
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGTERM");
    child.stdout.destroy();
  });
});
