import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Density, type SandboxOptions, type SurveyOptions, startSandbox } from "../sandbox/index.ts";

export const DENSITIES: readonly Density[] = ["even", "growing", "steep", "old", "bursts", "burst", "recent"];
/** Years of responses; the oldest lies near the start. */
export const FROM = "2023-03-01T00:00:00.000000Z";
const TO = "2026-09-30T12:00:00.000000Z";

interface Layout {
  readonly density: Density;
  readonly content: "full" | "little";
  readonly respondents: number;
}

/** One survey of the sandbox. `little`: responses without answers, if only the pages count. */
export function survey(
  id: string,
  count: number,
  {
    density = "even",
    content = "full",
    respondents = Math.max(1, Math.ceil(count / 3)),
  }: Partial<Layout> = {},
): SurveyOptions {
  const seed = 7000 + Number(id);
  return { id, content, responses: { seed, count, density, from: FROM, to: TO, respondents } };
}

/** So many surveys. Their ids are 1, 2, 3 and so on. */
export const surveys = (count: number, one: (id: string) => SurveyOptions): SurveyOptions[] =>
  Array.from({ length: count }, (_, place) => one(String(place + 1)));

/** A sandbox in a process of its own. */
export interface RemoteSandbox {
  readonly url: string;
  readonly apiKey: string;
  /** Asks a control route of the sandbox. */
  control<T>(method: string, path: string): Promise<T>;
}

/** Gives `use` a sandbox with these options, which must be JSON, in a process of its own. */
export async function withSandbox<T>(
  options: SandboxOptions,
  use: (sandbox: RemoteSandbox) => Promise<T>,
): Promise<T> {
  const program = ["--max-old-space-size=4096", fileURLToPath(import.meta.url)];
  const child = spawn(process.execPath, program, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  child.stdin.write(`${JSON.stringify(options)}\n`);
  try {
    const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    if (first.done) throw new Error("The sandbox did not start.");
    const { url, apiKey } = JSON.parse(first.value) as { url: string; apiKey: string };
    const control = async <T>(method: string, path: string): Promise<T> =>
      (await fetch(new URL(path, url), { method })).json() as Promise<T>;
    return await use({ url, apiKey, control });
  } finally {
    child.stdin.end();
    await ended;
  }
}

// As a process: its options are the first line of its input, in JSON, and it ends when its input does.
if (import.meta.main) {
  const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const { url, apiKey, close } = await startSandbox(JSON.parse(String((await input.next()).value)));
  process.stdout.write(`${JSON.stringify({ url, apiKey })}\n`);
  await input.next();
  await close();
}
