import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  exampleSurveys,
  expectedKeys,
  KEYED_STREAMS,
  type Sandbox,
  type SandboxOptions,
} from "../../../sandbox/index.ts";
import { keysIn } from "../../../scripts/table-keys.ts";
import { catalog, type Message, messagesOf, records, states } from "../../support/bin.ts";
import { folderForTest, testFolder } from "../../support/folder.ts";
import { configOf, sandboxForTest } from "../../support/sandbox.ts";
import { buildImage, commandOf, type Run } from "./support/image.ts";

/** The settings are in every container. */
function spawnRun(run: Run): ChildProcessWithoutNullStreams {
  const folders = [`${settings}:/settings:ro`, ...(run.folders ?? [])];
  return spawn(...commandOf({ ...run, folders }));
}

/** As a careful administrator starts a container: nothing to write to, no rights, someone else's number. */
const strict = ["--read-only", "--cap-drop=all", "--security-opt=no-new-privileges", "--user=4321:4321"];
const read = "read --config /settings/config.txt --catalog /settings/catalog.json";
const large: SandboxOptions = { surveys: exampleSurveys(20_000, 5, 2), latencyMs: 200 };

const files = testFolder();
const settings = files.path();
const running = new Set<ChildProcessWithoutNullStreams>();

beforeAll(async () => {
  buildImage();
  await chmod(settings, 0o755);
});

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a service on this machine, and writes the files that read all of it. */
async function serve(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await sandboxForTest(options);
  await files.file("config.txt", configOf(sandbox));
  await files.file("catalog.json", catalog(...KEYED_STREAMS));
  return sandbox;
}

function start(run: Run) {
  const child = spawnRun(run);
  running.add(child);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const firstRecord = new Promise<void>((resolve) => {
    reader.on("line", (line) => {
      lines.push(line);
      if (line.startsWith('{"type":"RECORD"')) resolve();
    });
  });
  const errors = text(child.stderr);
  const ended = Promise.all([once(child, "close"), once(reader, "close")]).then(async ([[code]]) => {
    running.delete(child);
    const messages = (): Message[] => messagesOf(`${lines.join("\n")}\n`);
    return { code, lines, errors: await errors, messages };
  });
  return { child, ended, firstRecord };
}

test.each<[string, Run]>([
  ["by its entry point", { args: read.split(" "), flags: strict }],
  [
    "by AIRBYTE_ENTRYPOINT, from another directory, as Airbyte does on Kubernetes",
    {
      args: ["-c", `eval "$AIRBYTE_ENTRYPOINT ${read}"`],
      flags: [...strict, "--entrypoint=/bin/sh", "--workdir=/tmp"],
    },
  ],
])("read brings every response once, started %s", async (_, run) => {
  const { service } = await serve({ surveys: exampleSurveys(250, 3, 2) });
  const { code, errors, messages } = await start(run).ended;
  expect(code, errors).toBe(0);
  const ids = service.truth.surveyIds();
  const there = ids.flatMap((id) => [...service.truth.responses(id)].map(({ uuid }) => uuid));
  expect(there).toHaveLength(500);
  const delivered = records(messages(), "survey_responses").map(({ uuid }) => uuid);
  expect(delivered.toSorted()).toEqual(there.toSorted());
});

// A shell that waits does not pass signals on, so this one looks for the source and does.
const pass =
  'for p in /proc/[0-9]*; do case "$(readlink $p/exe)" in */node) kill -TERM $(basename $p);; esac; done';
const shell = `trap '${pass}' TERM; eval "$AIRBYTE_ENTRYPOINT ${read}" & wait; wait $!; exit $?`;
test.each<[string, Run]>([
  ["the source", { args: read.split(" "), flags: strict }],
  ["a shell", { args: ["-c", shell], flags: [...strict, "--entrypoint=/bin/sh"] }],
])("SIGTERM ends a sync with 143 and its last states, with %s as the first process", async (_, run) => {
  await serve(large);
  const { child, ended, firstRecord } = start(run);
  await firstRecord;
  child.kill("SIGTERM");
  const { code, errors, messages } = await ended;
  expect(code, errors).toBe(143);
  let delivered = 0;
  for (const name of KEYED_STREAMS) {
    const counted = states(messages(), name).reduce(
      (sum, { sourceStats }) => sum + sourceStats.recordCount,
      0,
    );
    expect(counted, name).toBe(records(messages(), name).length);
    delivered += counted;
  }
  expect(delivered).toBeGreaterThan(0);
});

describe("sync in a mounted folder", () => {
  let data: string;
  beforeEach(async () => {
    data = folderForTest().path();
    await chmod(data, 0o777); // its owner has another number than the container
  });
  const config = "--env=SURVEY_EXPORT_CONFIG=/settings/config.txt";
  const streams = ["--streams", KEYED_STREAMS.join(",")];
  const startSync = (...flags: string[]) => {
    const args = ["sync", "/data/surveys.sqlite", ...streams];
    return start({ args, flags: [...strict, config, ...flags], folders: [`${data}:/data`] });
  };
  const file = () => join(data, "surveys.sqlite");

  test("says as which user it runs if it may not write there", async () => {
    await serve({ surveys: exampleSurveys(5, 3, 1) });
    await chmod(data, 0o755);
    const { code, errors } = await startSync().ended;
    expect(code).toBe(2);
    expect(errors).toContain(
      'sync: The folder must be readable and writable for this user (uid 4321, gid 4321): "/data". Change its owner or its rights, or run as its owner (docker run --user).',
    );
  });

  test("keeps rows and state for the next container", async () => {
    const { service } = await serve({ surveys: exampleSurveys(250, 3, 2) });
    const asThisUser = `--user=${process.getuid!()}:${process.getgid!()}`; // the file is for its owner alone
    const first = await startSync(asThisUser).ended;
    expect(first.code, first.errors).toBe(0);
    service.collect(service.truth.surveyIds()[0]!, { count: 2, now: true });
    const second = await startSync(asThisUser).ended;
    expect(second.code, second.errors).toBe(0);
    expect(second.errors).toMatch(/ INFO Read in .*\bsurvey_responses 2, .* in "\/data\/surveys\.sqlite"$/m);
    const found = keysIn(file());
    for (const [stream, keys] of expectedKeys(service.truth)) expect(found.get(stream), stream).toEqual(keys);
  });

  test("is refused with 75 while another container syncs there, which SIGTERM ends with 143", async () => {
    await serve(large);
    const { child, ended } = startSync();
    while (!existsSync(file())) await sleep(20);
    const refused = await startSync().ended;
    expect(refused.code, refused.errors).toBe(75);
    child.kill("SIGTERM");
    const end = await ended;
    expect(end.code, end.errors).toBe(143);
    expect(end.errors).toContain(" INFO Stopped before the end, after ");
  });
});

describe("the image", () => {
  const inShell = (command: string) =>
    start({ args: ["-c", command], flags: ["--entrypoint=/bin/sh"] }).ended;

  test("holds the bundle and nothing else of ours, in less than 3 MB", async () => {
    const { lines } = await inShell(
      "cd /survey-export && du -sk . | cut -f1 && find . -type f | sort && ls -d /build /app /node_modules",
    );
    const [kilobytes, ...files] = lines;
    expect(Number(kilobytes)).toBeLessThan(3 * 1024);
    const named = ["source-survey-export.js", "LICENSE", "THIRD-PARTY-LICENSES.txt", "package.json"];
    expect(files).toEqual(expect.arrayContaining(named.map((name) => `./${name}`)));
    expect(
      files.filter((file) => !/^\.\/((chunks|compile-cache)\/.+|[\w-]+\.(js|json|txt)|LICENSE)$/.test(file)),
    ).toEqual([]);
  });

  test("starts with the code that was compiled when it was built", async () => {
    const { errors } = await start({ args: ["spec"], flags: ["--env=NODE_DEBUG_NATIVE=COMPILE_CACHE"] })
      .ended;
    expect(errors).toMatch(/V8 code cache for ESM .*command-line.* was accepted/);
  });

  test("runs as a user who is not root", async () => {
    expect((await inShell("id -u; id -g")).lines).toEqual(["1000", "1000"]);
  });
});
