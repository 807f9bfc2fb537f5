import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { pythonWith } from "../../support/virtual-environment.ts";
import { type Podman, startPodman } from "./support/podman.ts";

vi.setConfig({ testTimeout: 1_200_000 });

const file = fileURLToPath(new URL("../../../examples/compose/compose.yaml", import.meta.url));
const project = `survey-export-${process.pid}`;

let podman: Podman;
let compose: string;

beforeAll(async () => {
  podman = await startPodman();
  compose = join(pythonWith("compose", ["podman-compose==1.6.0"]), "../podman-compose");
});

afterAll(async () => {
  if (compose) await run("down", "--volumes", "--timeout", "5");
  await podman?.close();
});

async function run(...words: readonly string[]) {
  const child = spawn(compose, ["--file", file, "--project-name", project, ...words], {
    env: podman.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]);
  return { code, stdout, log: stdout + stderr };
}

const brought = (log: string): number =>
  Number(/sync: done after \d+ s: .*?(\d+) survey_responses/.exec(log)?.[1]);

test("Compose runs one sync after the other, the second of which brings only what is new", async () => {
  const first = await run("run", "--rm", "-T", "source");
  expect(first.code, first.log).toBe(0);
  const second = await run("run", "--rm", "-T", "source");
  expect(second.code, second.log).toBe(0);
  expect(brought(second.log)).toBeLessThan(brought(first.log) / 10);

  const messages = await run(
    "run",
    "--rm",
    "-T",
    "volume",
    "sh",
    "-c",
    "grep -ch RECORD.*survey_resp /data/messages/*",
  );
  const counts = messages.stdout.trim().split(/\s+/).map(Number);
  expect(counts, messages.log).toEqual([brought(first.log), brought(second.log)]);
});

test("a sync that cannot start ends Compose with its exit code, and the log says why", async () => {
  const missing = "SURVEY_EXPORT_CONFIG=/data/no-such-file.json";
  const { code, log } = await run("run", "--rm", "-T", "-e", missing, "source");
  expect(log).toContain(
    'sync: The configuration does not exist, or this user may not see it (its path leads to "/data" and no further).',
  );
  expect(code).toBe(2);
});
