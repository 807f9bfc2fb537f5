import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { pythonWith } from "../../support/virtual-environment.ts";
import { type Podman, startPodman } from "./support/podman.ts";

vi.setConfig({ testTimeout: 1_200_000 });

const file = join(import.meta.dirname, "../../../examples/compose/compose.yaml");
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

/** Runs podman-compose. @returns its exit code, and all that it wrote */
async function run(...words: readonly string[]) {
  const child = spawn(compose, ["--file", file, "--project-name", project, ...words], { env: podman.env });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const written = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, log: written.join("") };
}
const source = (...words: readonly string[]) => run("run", "--rm", "-T", ...words, "source");
const brought = (log: string): number =>
  Number(/sync: done after \d+ s: .*?(\d+) survey_responses/.exec(log)?.[1]);

test("Compose runs one sync after the other, the second of which brings only what is new", async () => {
  const first = await source();
  expect(first.code, first.log).toBe(0);
  const second = await source();
  expect(second.code, second.log).toBe(0);
  expect(brought(second.log)).toBeLessThan(brought(first.log) / 10);
});

test("a sync that cannot start ends Compose with its exit code, and the log says why", async () => {
  const { code, log } = await source("-e", "SURVEY_EXPORT_CONFIG=/data/no-such-file.json");
  expect(log).toContain('its path leads to "/data" and no further');
  expect(code).toBe(2);
});
