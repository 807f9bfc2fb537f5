/**
 * `npm run bench:peers [-- --quick --write]`: the same job by our source, by the manifest and by a sequential reader, on
 * the same sandbox. It is run when the page `peers.md` is written anew.
 */
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { DEFAULT_LIMITS } from "@survey-export/core";
import type { Stats } from "../sandbox/index.ts";
import { pythonWith } from "../test/support/virtual-environment.ts";
import { grouped, machine, markdown, median } from "./figure.ts";
import { oracleOf } from "./oracle.ts";
import { at, catalogOf, node, optionsOf, type RemoteSandbox, run, SHIPPED, withSandbox } from "./program.ts";
import { FROM, survey } from "./service.ts";

const flag = { type: "boolean" } as const;
const { quick, write } = parseArgs({ options: { quick: flag, write: flag } }).values;
const COUNT = quick ? 1000 : 20_000;
const COUNT_WITH_PEOPLE = quick ? 60 : 900;
const ADDED = quick ? 50 : 200;
const ROUNDS = quick ? 1 : 3;
const LATENCY_MS = 30;
const PACKAGES = ["airbyte==0.71.3", "airbyte-cdk==7.39.1"];
/** Of the survey that all read, and of the one that only the other program in the workspace reads. */
const [ID, OTHER_ID] = ["1", "2"];

interface Job {
  readonly sandbox: RemoteSandbox;
  readonly streams: readonly string[];
  readonly state: readonly unknown[];
}
/** The command of a reader for a job. */
type Reader = (job: Job) => string[] | Promise<string[]>;

/** The command line that Airbyte gives a program. */
function readOf({ sandbox, streams, state }: Job): string[] {
  const config = {
    ...{ base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: [ID], start_date: FROM },
    requests_per_minute: DEFAULT_LIMITS.requestsPerMinute,
  };
  const contents = { config, catalog: catalogOf(...streams), ...(state.length > 0 && { state }) };
  return ["read", ...optionsOf(contents)];
}

const READERS: Readonly<Record<string, Reader>> = {
  "our source": (job) => node(SHIPPED, ...readOf(job)),
  "the manifest under Airbyte's CDK": (job) => [
    join(dirname(pythonWith("manifest", PACKAGES)), "source-declarative-manifest"),
    ...[...readOf(job), "--manifest-path", at("../manifest/manifest.yaml")],
  ],
  "a sequential reader": ({ sandbox: { url, apiKey }, streams }) =>
    node(at("programs/sequential.mjs"), url, apiKey, ID, ...(streams.length > 1 ? ["people"] : [])),
};
/** The physical limit of a first sync. */
const oracle: Reader = ({ sandbox }) => oracleOf(sandbox, ID);

/** What a run used, and the keys and the last states that it delivered. */
async function runReader(reader: Reader, job: Job, killAfter?: number) {
  const ran = await run(await reader(job), { keepsOutput: true, killAfter });
  const messages = ran.lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const states = messages.flatMap(({ state }) => state ?? []);
  const last = new Map(
    states.map((state) => [state.stream.stream_descriptor.name, { type: "STREAM", ...state }]),
  );
  return {
    ...ran,
    keys: messages.flatMap(({ record }) => (record ? [keyOf(record)] : [])),
    state: [...last.values()],
  };
}
type ReaderRan = Awaited<ReturnType<typeof runReader>>;

const keyOf = ({ stream, data }: { stream: string; data: Record<string, unknown> }): string =>
  stream === "respondent_attributes"
    ? `${stream} ${data.respondent_uuid} ${data.id}`
    : `${stream} ${data.uuid}`;

interface Scenario {
  readonly title: string;
  readonly about: string;
  readonly people?: true;
  /** Before what is measured. Returns the state to resume from. */
  readonly prepare?: (reader: Reader, job: Job) => Promise<readonly unknown[]>;
  /** What one reader does in one round. */
  readonly round?: (reader: Reader, job: Job) => Promise<readonly ReaderRan[]>;
}

const SCENARIOS: readonly Scenario[] = [
  {
    title: "First sync",
    about: `${grouped(COUNT)} responses, ${LATENCY_MS} ms for each answer`,
  },
  {
    title: "With respondents",
    about: `a first sync of ${grouped(COUNT_WITH_PEOPLE)} responses of ${grouped(COUNT_WITH_PEOPLE / 3)} people, three streams`,
    people: true,
  },
  {
    title: "Incremental",
    about: `${grouped(ADDED)} responses were added since the sync before`,
    async prepare(reader, job) {
      const { state } = await runReader(reader, job);
      await job.sandbox.control("POST", `/sandbox/collect?survey_id=${ID}&count=${ADDED}`);
      return state;
    },
  },
  {
    title: "Kill and resume",
    about: "killed halfway, and started again with its last state",
    async round(reader, job) {
      const killed = await runReader(reader, job, COUNT / 2);
      return [killed, await runReader(reader, { ...job, state: killed.state })];
    },
  },
  {
    title: "With others",
    about: "another program uses two of the five requests at once",
    async round(reader, job) {
      const ended = new AbortController();
      const others = [ask(job.sandbox, ended.signal), ask(job.sandbox, ended.signal)];
      const ran = await runReader(reader, job);
      ended.abort();
      await Promise.all(others);
      return [ran];
    },
  },
];

/** One page after another of the other survey. */
async function ask({ url, apiKey }: RemoteSandbox, ended: AbortSignal): Promise<void> {
  const headers = { authorization: `Basic ${apiKey}` };
  while (!ended.aborted) {
    const answer = await fetch(`${url}/surveys/${OTHER_ID}/responses?items_per_page=1`, { headers });
    await answer.arrayBuffer();
    await sleep(answer.status === 429 ? 1000 : 100);
  }
}

/** Seconds, requests, seconds of CPU, and how many records were lost. */
type Result = readonly [number, number, number, number];

function measureRound(scenario: Scenario, reader: Reader): Promise<Result> {
  const count = scenario.people ? COUNT_WITH_PEOPLE : COUNT;
  const all = [survey(ID, count), survey(OTHER_ID, 100)];
  return withSandbox({ surveys: all, latencyMs: LATENCY_MS }, async (sandbox) => {
    const people = ["respondent_responses", "respondent_attributes"];
    const job: Job = {
      sandbox,
      streams: ["survey_responses", ...(scenario.people ? people : [])],
      state: [],
    };
    const state = (await scenario.prepare?.(reader, job)) ?? [];
    await sandbox.control("DELETE", "/sandbox/stats");
    const ran = (await scenario.round?.(reader, job)) ?? [await runReader(reader, { ...job, state })];
    const { requests, byPath } = await sandbox.control<Stats>("GET", "/sandbox/stats");
    const came = new Set(ran.flatMap(({ keys }) => keys));
    return [
      ran.reduce((sum, { tookMs }) => sum + tookMs / 1000, 0),
      requests - (byPath[`/v2/surveys/${OTHER_ID}/responses`] ?? 0),
      ran.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      (await truth(sandbox, scenario)).filter((key) => !came.has(key)).length,
    ];
  });
}

/** The keys that have to come; after a sync before, only those of what was added. */
async function truth({ control }: RemoteSandbox, { people, prepare }: Scenario): Promise<string[]> {
  const path = `/sandbox/truth?survey_id=${ID}`;
  const all = await control<{ uuid: string; respondent_uuid: string }[]>("GET", path);
  const keys = all.slice(prepare ? -ADDED : 0).map(({ uuid }) => `survey_responses ${uuid}`);
  if (!people) return keys;
  for (const respondent of new Set(all.map(({ respondent_uuid }) => respondent_uuid))) {
    const path = `/sandbox/attributes?respondent_uuid=${respondent}`;
    const held = await control<{ id: number }[]>("GET", path);
    keys.push(...held.map(({ id }) => `respondent_attributes ${respondent} ${id}`));
  }
  return [...keys, ...all.map(({ uuid }) => `respondent_responses ${uuid}`)];
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
const page = `# Peers, side by side

Written by \`npm run bench:peers -- --write\` on ${new Date().toISOString().slice(0, 10)}${quick ? " (quick run)" : ""}.

${machine()}. ${PACKAGES.join(", ")}.

Time with the start of the program, requests, CPU, records lost. Medians of ${ROUNDS} rounds in turn. The sequential reader keeps no state.

${markdown(["job", ...Object.keys(READERS)], rows)}

${SCENARIOS.map(({ title, about }) => `- **${title}**: ${about}.`).join("\n")}

First sync of an oracle that knows all page bounds: ${ofOracle}.
`;
process.stdout.write(page);
if (write) await writeFile(at("peers.md"), page);
