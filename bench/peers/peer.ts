import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { pythonWith } from "../../test/support/virtual-environment.ts";
import { catalogOf, optionsOf, withFiles } from "../program.ts";
import { CONFIGURED } from "../service.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
export const PACKAGES = ["airbyte==0.71.3", "airbyte-cdk==7.39.1"];

export interface Job {
  readonly url: string;
  readonly apiKey: string;
  readonly surveyId: string;
  readonly streams: readonly string[];
  readonly startDate: string;
  readonly state: readonly unknown[];
  /** The process is killed once it has written this many records. */
  readonly killAfter?: number;
  /** The file of page bounds, for the program that knows them. */
  readonly pageBounds?: string;
}

export interface Ran {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
  /** Of each record its stream and key, in the order they came. */
  readonly keys: readonly string[];
  readonly state: readonly unknown[];
}

export interface Peer {
  readonly name: string;
  run(job: Job): Promise<Ran>;
}

export const PEERS: readonly Peer[] = [
  {
    name: "our source",
    run: (job) =>
      runAirbyte(job, (args) => [process.execPath, path("../../dist/source-survey-export.js"), ...args]),
  },
  {
    name: "the manifest under Airbyte's CDK",
    run: (job) =>
      runAirbyte(job, (args) => [
        join(dirname(pythonWith("manifest", PACKAGES)), "source-declarative-manifest"),
        ...args,
        "--manifest-path",
        path("../../manifest/manifest.yaml"),
      ]),
  },
  {
    name: "a sequential reader",
    run: (job) => {
      const people = job.streams.length > 1 ? ["people"] : [];
      return measured(
        [process.execPath, path("sequential.mjs"), job.url, job.apiKey, job.surveyId, ...people],
        job.killAfter,
      );
    },
  },
];

/** The physical limit of a first sync. */
export const ORACLE: Peer = {
  name: "an oracle that knows all page bounds",
  run: ({ url, apiKey, pageBounds = "" }) =>
    measured([process.execPath, path("oracle.mjs"), url, apiKey, pageBounds]),
};

/** A program with Airbyte's command line. */
async function runAirbyte(job: Job, command: (args: readonly string[]) => string[]): Promise<Ran> {
  const { url, apiKey, surveyId, startDate, state } = job;
  const config = {
    ...{ base_url: url, api_key: apiKey, survey_ids: [surveyId], start_date: startDate },
    requests_per_minute: CONFIGURED,
  };
  const contents = { config, catalog: catalogOf(job.streams), ...(state.length > 0 && { state }) };
  return withFiles((file) => measured(command(["read", ...optionsOf(file, contents)]), job.killAfter));
}

interface Message {
  readonly type: string;
  readonly record?: { readonly stream: string; readonly data: Readonly<Record<string, unknown>> };
  readonly state?: { readonly stream: { readonly stream_descriptor: { readonly name: string } } };
}

/** Runs a program to its end, or to the kill. Throws when it fails by itself. */
async function measured(command: readonly string[], killAfter = Number.POSITIVE_INFINITY): Promise<Ran> {
  const beganMs = performance.now();
  const child: ChildProcess = spawn("python3", [path("measure.py"), ...command], {
    stdio: ["ignore", "pipe", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  const report = createInterface({ input: child.stdio[3] as Readable })[Symbol.asyncIterator]();
  const pid = Number((await report.next()).value);
  const keys: string[] = [];
  const state = new Map<string, unknown>();
  let killed = false;
  for await (const line of createInterface({ input: child.stdout! })) {
    // The last line of a process that was killed may be cut.
    if (!line.endsWith("}")) continue;
    const message = JSON.parse(line) as Message;
    if (message.record) keys.push(keyOf(message.record));
    if (message.state)
      state.set(message.state.stream.stream_descriptor.name, { type: "STREAM", ...message.state });
    if (keys.length >= killAfter && !killed) {
      killed = true;
      process.kill(pid, "SIGKILL");
    }
  }
  const { code, ...usage } = JSON.parse(String((await report.next()).value)) as {
    code: number;
    cpuSeconds: number;
    peakMegabytes: number;
  };
  await ended;
  if (code !== 0 && !killed) throw new Error(`${command.join(" ")} ended with ${code}.`);
  return { wallSeconds: (performance.now() - beganMs) / 1000, ...usage, keys, state: [...state.values()] };
}

function keyOf({ stream, data }: NonNullable<Message["record"]>): string {
  return stream === "respondent_attributes"
    ? `${stream} ${data.respondent_uuid} ${data.id}`
    : `${stream} ${data.uuid}`;
}
