import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { STREAMS } from "@survey-export/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../../connector/airbyte/generated/protocol.ts";
import {
  exampleSurveys,
  KEYED_STREAMS,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from "../../../sandbox/index.ts";
import specification from "../../../spec/connection.json" with { type: "json" };
import { type Engine, findEngine, type Run } from "./support/engine.ts";

/** As a careful administrator starts a container: nothing to write to, no rights, someone else's number. */
const strict = ["--read-only", "--cap-drop=all", "--security-opt=no-new-privileges", "--user=4321:4321"];

let engine: Engine;
let settings: string;
const running = new Set<ChildProcessWithoutNullStreams>();
const sandboxes = new Set<Sandbox>();

beforeAll(async () => {
  engine = findEngine();
  engine.build();
  settings = await mkdtemp(join(tmpdir(), "image-"));
  await chmod(settings, 0o755);
});

afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  for (const sandbox of sandboxes) await sandbox.close();
  sandboxes.clear();
});

afterAll(() => settings && rm(settings, { recursive: true, force: true }));

/** Starts a service on this machine, and writes the files that read all of it. */
async function serve(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  sandboxes.add(sandbox);
  const config = {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: sandbox.service.truth.surveyIds(),
  };
  const catalog = { streams: KEYED_STREAMS.map((name) => ({ stream: { name }, sync_mode: "incremental" })) };
  await writeFile(join(settings, "config.txt"), JSON.stringify(config));
  await writeFile(join(settings, "wrong-key.json"), JSON.stringify({ ...config, api_key: "no-such-key" }));
  await writeFile(join(settings, "catalog.json"), JSON.stringify(catalog));
  return sandbox;
}

interface Ended {
  readonly code: number | null;
  readonly lines: string[];
  readonly errors: string;
}

function start(run: Run): {
  child: ChildProcessWithoutNullStreams;
  ended: Promise<Ended>;
  first: Promise<unknown>;
} {
  const child = engine.run({ folders: { "/settings": settings }, ...run });
  running.add(child);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const first = new Promise<void>((resolve) => {
    reader.on("line", (line) => {
      lines.push(line);
      if (line.startsWith('{"type":"RECORD"')) resolve();
    });
  });
  const errors = text(child.stderr);
  const ended = Promise.all([once(child, "close"), once(reader, "close")]).then(async ([[code]]) => {
    running.delete(child);
    return { code, lines, errors: await errors };
  });
  return { child, ended, first };
}

const messages = ({ lines }: Ended): Message[] => lines.map((line) => JSON.parse(line));

/** The two ways in which the image is started: as Docker does, and as Airbyte does on Kubernetes. */
const ways: [string, (args: readonly string[], flags?: readonly string[]) => Run][] = [
  ["by its entry point", (args, flags = strict) => ({ args, flags })],
  [
    "by AIRBYTE_ENTRYPOINT, from another directory",
    (args, flags = strict) => ({
      args: ["-c", `eval "$AIRBYTE_ENTRYPOINT ${args.join(" ")}"`],
      flags: [...flags, "--entrypoint=/bin/sh", "--workdir=/tmp"],
    }),
  ],
];

describe.each(ways)("started %s", (_, way) => {
  test("spec prints the form", async () => {
    const ended = await start(way(["spec"])).ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(messages(ended)).toEqual([
      { type: "SPEC", spec: expect.objectContaining({ connectionSpecification: specification }) },
    ]);
  });

  test("check succeeds with the right key, and fails in a sentence with another", async () => {
    await serve({});
    const right = await start(way(["check", "--config", "/settings/config.txt"])).ended;
    expect(messages(right).filter(({ type }) => type !== "LOG")).toMatchObject([
      { type: "CONNECTION_STATUS", connectionStatus: { status: "SUCCEEDED" } },
    ]);
    expect(right.code).toBe(0);
    const wrong = await start(way(["check", "--config", "/settings/wrong-key.json"])).ended;
    expect(messages(wrong).filter(({ type }) => type !== "LOG")).toMatchObject([
      {
        type: "CONNECTION_STATUS",
        connectionStatus: { status: "FAILED", message: expect.stringMatching(/key/) },
      },
    ]);
    expect(wrong.code).toBe(0);
    expect(wrong.lines.join()).not.toContain("no-such-key");
  });

  test("discover names the streams", async () => {
    const ended = await start(way(["discover", "--config", "/settings/config.txt"])).ended;
    expect(ended.code).toBe(0);
    const [catalog] = messages(ended).filter((message) => message.type === "CATALOG");
    expect(catalog?.catalog.streams.map(({ name }) => name)).toEqual(Object.keys(STREAMS));
  });

  test("read brings every response once", async () => {
    const { service } = await serve({ surveys: exampleSurveys(250, 3, 2) });
    const ended = await start(
      way(["read", "--config", "/settings/config.txt", "--catalog", "/settings/catalog.json"]),
    ).ended;
    expect(ended.code).toBe(0);
    const read = messages(ended).flatMap((message) =>
      message.type === "RECORD" && message.record.stream === "survey_responses"
        ? [message.record.data.uuid]
        : [],
    );
    const there = service.truth
      .surveyIds()
      .flatMap((id) => [...service.truth.responses(id)].map(({ uuid }) => uuid));
    expect(there).toHaveLength(500);
    expect(read.toSorted()).toEqual(there.toSorted());
  });
});

describe("SIGTERM in the middle of a sync", () => {
  const slow: SandboxOptions = { surveys: exampleSurveys(20_000, 5, 2), latencyMs: 200 };
  const read = "read --config /settings/config.txt --catalog /settings/catalog.json";

  /** Every line is whole, and the last state of each stream comes after its last record. */
  function expectCleanEnd(ended: Ended): void {
    const pending = new Set<string>();
    let states = 0;
    for (const message of messages(ended)) {
      if (message.type === "RECORD") pending.add(message.record.stream);
      if (message.type === "STATE") {
        pending.delete(message.state.stream.stream_descriptor.name);
        states += 1;
      }
    }
    expect(states).toBeGreaterThan(0);
    expect([...pending]).toEqual([]);
  }

  test("ends the first process of a container with 143 within five seconds", async () => {
    await serve(slow);
    const { child, ended, first } = start({ args: read.split(" "), flags: strict });
    await first;
    const asked = Date.now();
    child.kill("SIGTERM");
    const end = await ended;
    expect(Date.now() - asked).toBeLessThan(5000);
    expect(end.code).toBe(143);
    expectCleanEnd(end);
  });

  test("ends it by the signal itself if a shell is the first process", async () => {
    await serve(slow);
    // A shell that waits does not pass signals on, so this one looks for the source and does.
    const pass =
      'for p in /proc/[0-9]*; do case "$(readlink $p/exe)" in */node) kill -TERM $(basename $p);; esac; done';
    const shell = `trap '${pass}' TERM; eval "$AIRBYTE_ENTRYPOINT ${read}" & wait; wait $!; echo "ended with $?" >&2`;
    const { child, ended, first } = start({
      args: ["-c", shell],
      flags: [...strict, "--entrypoint=/bin/sh"],
    });
    await first;
    const asked = Date.now();
    child.kill("SIGTERM");
    const end = await ended;
    expect(Date.now() - asked).toBeLessThan(5000);
    expect(end.errors).toContain("ended with 143");
    expectCleanEnd(end);
  });
});

describe("sync in a folder", () => {
  let data: string;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), "image-sync-"));
    await chmod(data, 0o777); // its owner has another number than the container
  });
  afterEach(() => rm(data, { recursive: true, force: true }));
  const env = ["config.txt", "catalog.json"].map(
    (name) => `--env=SURVEY_EXPORT_${name.split(".")[0]!.toUpperCase()}=/settings/${name}`,
  );
  const startSync = () =>
    start({ args: ["sync", "/data"], flags: [...strict, ...env], writable: { "/data": data } });

  test("keeps its state for the next container", async () => {
    await serve({ surveys: exampleSurveys(250, 3, 2) });
    const first = await startSync().ended;
    expect(first.code, first.errors).toBe(0);
    expect(first.errors).toMatch(
      / sync: done after \d+ s: .*\b500 survey_responses.* in \/data\/messages\//m,
    );
    const second = await startSync().ended;
    expect(second.code, second.errors).toBe(0);
    expect(second.errors).toMatch(/ sync: done after \d+ s: .*\b\d\d? survey_responses/m);
  });

  test("is refused with 75 while another container syncs there, which SIGTERM ends with 143", async () => {
    await serve({ surveys: exampleSurveys(20_000, 5, 2), latencyMs: 200 });
    const { child, ended } = startSync();
    const messages = join(data, "messages");
    while (!existsSync(messages) || readdirSync(messages).length === 0) await sleep(20);
    expect(await startSync().ended).toMatchObject({
      code: 75,
      errors: expect.stringMatching(
        / sync: another sync is running in \/data\. Try again when it has ended\.$/m,
      ),
    });
    child.kill("SIGTERM");
    const end = await ended;
    expect(end.code, end.errors).toBe(143);
    expect(end.errors).toContain("sync: stopped by a signal (exit code 143) after ");
  });
});

test("the image holds the bundle and nothing else of ours, in less than 3 MB", async () => {
  const inside =
    "cd /survey-export && du -sk . | cut -f1 && find . -type f | sort && ls -d /build /app /node_modules";
  const { lines } = await start({ args: ["-c", inside], flags: ["--entrypoint=/bin/sh"] }).ended;
  const [kilobytes, ...files] = lines;
  expect(Number(kilobytes)).toBeLessThan(3 * 1024);
  for (const name of ["source-survey-export.js", "LICENSE", "THIRD-PARTY-LICENSES.txt"])
    expect(files).toContain(`./${name}`);
  expect(
    files.filter(
      (file) =>
        !/^\.\/(package\.json|LICENSE|THIRD-PARTY-LICENSES\.txt|[\w-]+\.js|(chunks|compile-cache)\/[\w./-]+)$/.test(
          file,
        ),
    ),
  ).toEqual([]);
});

test("it starts with the code that was compiled when the image was built", async () => {
  const { errors } = await start({ args: ["spec"], flags: ["--env=NODE_DEBUG_NATIVE=COMPILE_CACHE"] }).ended;
  expect(errors).toMatch(/V8 code cache for ESM .*command-line.* was accepted/);
});

test("it runs as a user who is not root", async () => {
  const { lines } = await start({ args: ["-c", "id -u; id -g"], flags: ["--entrypoint=/bin/sh"] }).ended;
  expect(lines).toEqual(["1000", "1000"]);
});

test("its entry point and AIRBYTE_ENTRYPOINT are the same words, the first of them a path", async () => {
  const dockerfile = await readFile(new URL("../../../Dockerfile", import.meta.url), "utf8");
  const [, entryPoint = "[]"] = /^ENTRYPOINT (.+)$/m.exec(dockerfile) ?? [];
  const { lines } = await start({
    args: ["-c", 'echo "$AIRBYTE_ENTRYPOINT"'],
    flags: ["--entrypoint=/bin/sh"],
  }).ended;
  expect(lines).toEqual([JSON.parse(entryPoint).join(" ")]);
  expect(lines[0]).toMatch(/^\//);
});
