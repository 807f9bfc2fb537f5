/**
 * `npm run bench:peers [-- --quick --write]`: the same job by our source, by the manifest and by a sequential reader, on
 * the same sandbox. It is run when that part of README.md is written anew.
 */
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { DEFAULT_LIMITS } from "@survey-export/core";
import type { Stats } from "../sandbox/index.ts";
import { pythonWith } from "../test/support/virtual-environment.ts";
import { grouped, machine, markdown, median } from "./figure.ts";
import { oracleOf } from "./oracle.ts";
import { at, catalogOf, node, optionsOf, run, SHIPPED } from "./program.ts";
import { FROM, type RemoteSandbox, survey, withSandbox } from "./sandbox.ts";
import { writePart } from "./written-part.ts";

const flag = { type: "boolean" } as const;
const { quick, write } = parseArgs({ options: { quick: flag, write: flag } }).values;
const COUNT = quick ? 1000 : 20_000;
const ADDED = quick ? 50 : 200;
const ROUNDS = quick ? 1 : 3;
const LATENCY_MS = 30;
const PACKAGES = ["airbyte-cdk==7.39.1"]; // the environment of the manifest's own tests
const ID = "1";

/** The command of a reader, which resumes from these states. */
type Reader = (sandbox: RemoteSandbox, state: readonly unknown[]) => string[] | Promise<string[]>;

/** The command line that Airbyte gives a program. */
function readOf(sandbox: RemoteSandbox, state: readonly unknown[]): string[] {
  const config = {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: [ID],
    start_date: FROM,
    requests_per_minute: DEFAULT_LIMITS.requestsPerMinute,
  };
  const catalog = catalogOf("survey_responses");
  return ["read", ...optionsOf({ config, catalog, ...(state.length > 0 && { state }) })];
}

const READERS: Readonly<Record<string, Reader>> = {
  "our source": (...job) => node(SHIPPED, ...readOf(...job)),
  "the manifest under Airbyte's CDK": (...job) => [
    join(dirname(pythonWith("manifest", PACKAGES)), "source-declarative-manifest"),
    ...[...readOf(...job), "--manifest-path", at("../manifest/manifest.yaml")],
  ],
  "a sequential reader": ({ url, apiKey }) => node(at("programs/sequential.mjs"), url, apiKey, ID),
};
/** The physical limit of a first sync. */
const oracle: Reader = (sandbox) => oracleOf(sandbox, ID);

/** What a run used, and the responses and the last states that it delivered. */
async function runReader(
  reader: Reader,
  sandbox: RemoteSandbox,
  before: readonly unknown[],
  killAfter?: number,
) {
  const ran = await run(await reader(sandbox, before), { keepsOutput: true, killAfter });
  const messages = ran.lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const states = messages.flatMap(({ state }) => state ?? []);
  return {
    ...ran,
    uuids: messages.flatMap(({ record }): string[] => (record ? [record.data.uuid] : [])),
    state: states.slice(-1).map((state) => ({ type: "STREAM", ...state })),
  };
}

interface Scenario {
  readonly title: string;
  readonly about: string;
  /** Before what is measured, the reader reads everything, and then so many responses are added. */
  readonly added?: number;
  /** The reader is killed after so many records, and started again with its last state. */
  readonly killAfter?: number;
}
const SCENARIOS: readonly Scenario[] = [
  { title: "First sync", about: `${grouped(COUNT)} responses, ${LATENCY_MS} ms for each answer` },
  {
    title: "Incremental",
    about: `${grouped(ADDED)} responses were added since the sync before`,
    added: ADDED,
  },
  {
    title: "Kill and resume",
    about: "killed halfway, and started again with its last state",
    killAfter: COUNT / 2,
  },
];

/** Seconds, requests, seconds of CPU, and how many of the responses that had to come were lost. */
type Result = readonly [number, number, number, number];

function measureRound({ added, killAfter }: Scenario, reader: Reader): Promise<Result> {
  return withSandbox({ surveys: [survey(ID, COUNT)], latencyMs: LATENCY_MS }, async (sandbox) => {
    let state: readonly unknown[] = [];
    if (added !== undefined) {
      ({ state } = await runReader(reader, sandbox, []));
      await sandbox.control("POST", `/sandbox/collect?survey_id=${ID}&count=${added}`);
    }
    await sandbox.control("DELETE", "/sandbox/stats");
    const ran = [await runReader(reader, sandbox, state, killAfter)];
    if (killAfter !== undefined) ran.push(await runReader(reader, sandbox, ran[0]!.state));
    const { requests } = await sandbox.control<Stats>("GET", "/sandbox/stats");
    const truth = await sandbox.control<{ uuid: string }[]>("GET", `/sandbox/truth?survey_id=${ID}`);
    const came = new Set(ran.flatMap(({ uuids }) => uuids));
    return [
      ran.reduce((sum, { tookMs }) => sum + tookMs / 1000, 0),
      requests,
      ran.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      truth.slice(-(added ?? COUNT)).filter(({ uuid }) => !came.has(uuid)).length,
    ];
  });
}

const rows: string[][] = [];
let ofOracle = "";
for (const scenario of SCENARIOS) {
  const readers = Object.entries(READERS);
  if (scenario === SCENARIOS[0]) readers.push(["the oracle", oracle]);
  const results = readers.map((): Result[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, [name, reader]] of readers.entries()) {
      const result = await measureRound(scenario, reader);
      results[place]!.push(result);
      process.stderr.write(`${scenario.title}: ${name}: ${result[0].toFixed(1)} s, ${result[3]} lost\n`);
    }
  }
  const cells = results.map((rounds) => {
    const of = (what: 0 | 1 | 2 | 3): number => median(rounds.map((result) => result[what]));
    return `${of(0).toFixed(1)} s, ${grouped(of(1))}, ${of(2).toFixed(1)} s, ${grouped(of(3))}`;
  });
  ofOracle = cells[3] ?? ofOracle;
  rows.push([scenario.title, ...cells.slice(0, 3)]);
}
const part = `Written by \`npm run bench:peers -- --write\` on ${new Date().toISOString().slice(0, 10)}${quick ? " (quick run)" : ""}.

${machine()}. ${PACKAGES.join(", ")}.

Time with the start of the program, requests, CPU, records lost. Medians of ${ROUNDS} rounds in turn. The sequential reader keeps no state.

${markdown(["job", ...Object.keys(READERS)], rows)}

${SCENARIOS.map(({ title, about }) => `- **${title}**: ${about}.`).join("\n")}

First sync of an oracle that knows all page bounds: ${ofOracle}.
`;
process.stdout.write(part);
if (write) await writePart("peers", part);
