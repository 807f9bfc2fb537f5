import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { pythonWith } from "../../test/support/virtual-environment.ts";
import { oracleOf } from "../oracle.ts";
import { catalogOf, optionsOf, type RemoteSandbox, SHIPPED } from "../program.ts";
import { CONFIGURED, FROM } from "../service.ts";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
export const PACKAGES = ["airbyte==0.71.3", "airbyte-cdk==7.39.1"];
/** Of the survey that all read. */
export const ID = "1";

export interface Job {
  readonly sandbox: RemoteSandbox;
  readonly streams: readonly string[];
  readonly state?: readonly unknown[];
  /** The process is killed once it has written this many records. */
  readonly killAfter?: number;
}

export interface Ran {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Of each record its stream and key, in the order they came. */
  readonly keys: readonly string[];
  readonly state: readonly unknown[];
}

export type Peer = (job: Job) => Promise<Ran>;

export const PEERS: Readonly<Record<string, Peer>> = {
  "our source": (job) => runAirbyte(job, (words) => [process.execPath, SHIPPED, ...words]),
  "the manifest under Airbyte's CDK": (job) =>
    runAirbyte(job, (words) => [
      join(dirname(pythonWith("manifest", PACKAGES)), "source-declarative-manifest"),
      ...[...words, "--manifest-path", path("../../manifest/manifest.yaml")],
    ]),
  "a sequential reader": ({ sandbox: { url, apiKey }, streams, killAfter }) => {
    const people = streams.length > 1 ? ["people"] : [];
    return measured([process.execPath, path("sequential.mjs"), url, apiKey, ID, ...people], killAfter);
  },
};

/** The physical limit of a first sync. */
export const oracle: Peer = async ({ sandbox }) =>
  measured([process.execPath, ...(await oracleOf(sandbox, ID))]);

/** A program with Airbyte's command line. */
function runAirbyte(job: Job, command: (words: readonly string[]) => string[]): Promise<Ran> {
  const { sandbox, streams, state = [], killAfter } = job;
  const config = {
    ...{ base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: [ID], start_date: FROM },
    requests_per_minute: CONFIGURED,
  };
  const contents = { config, catalog: catalogOf(...streams), ...(state.length > 0 && { state }) };
  return measured(command(["read", ...optionsOf(contents)]), killAfter);
}

/** Runs a program to its end, or to the kill. Throws when it fails by itself. */
async function measured(command: readonly string[], killAfter = Number.POSITIVE_INFINITY): Promise<Ran> {
  const beganMs = performance.now();
  const child = spawn("python3", [path("measure.py"), ...command], {
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
    const { record, state: after } = JSON.parse(line);
    if (record) keys.push(keyOf(record));
    if (after) state.set(after.stream.stream_descriptor.name, { type: "STREAM", ...after });
    if (keys.length >= killAfter && !killed) killed = process.kill(pid, "SIGKILL");
  }
  const { code, cpuSeconds } = JSON.parse(String((await report.next()).value));
  await ended;
  if (code !== 0 && !killed) throw new Error(`${command.join(" ")} ended with ${code}.`);
  return { wallSeconds: (performance.now() - beganMs) / 1000, cpuSeconds, keys, state: [...state.values()] };
}

const keyOf = ({ stream, data }: { stream: string; data: Record<string, unknown> }): string =>
  stream === "respondent_attributes"
    ? `${stream} ${data.respondent_uuid} ${data.id}`
    : `${stream} ${data.uuid}`;
