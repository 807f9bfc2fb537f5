/**
 * `npm run bench:peers [-- --quick --write]`: the same job by our source, by the manifest and by a sequential reader, on
 * the same sandbox. It is run when the page `peers.md` is written anew.
 */
import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Stats } from "../../sandbox/index.ts";
import { grouped, machine, markdown, median } from "../figure.ts";
import { type RemoteSandbox, withSandbox } from "../program.ts";
import { survey } from "../service.ts";
import { ID, type Job, oracle, PACKAGES, PEERS, type Peer, type Ran } from "./peer.ts";

const flag = { type: "boolean" } as const;
const { quick, write } = parseArgs({ options: { quick: flag, write: flag } }).values;
const COUNT = quick ? 1000 : 20_000;
const COUNT_WITH_PEOPLE = quick ? 60 : 900;
const ADDED = quick ? 50 : 200;
const ROUNDS = quick ? 1 : 3;
const LATENCY_MS = 30;
/** Of this survey only the other program in the workspace reads. */
const OTHER_ID = "2";

interface Scenario {
  readonly title: string;
  readonly about: string;
  readonly people?: true;
  /** Before what is measured. Returns the state to go on from. */
  readonly prepare?: (peer: Peer, job: Job) => Promise<readonly unknown[]>;
  /** What one peer does in one round; what it delivered in each of its runs. */
  readonly round: (peer: Peer, job: Job) => Promise<readonly Ran[]>;
}

const aRun: Scenario["round"] = async (peer, job) => [await peer(job)];

const SCENARIOS: readonly Scenario[] = [
  {
    title: "First sync",
    about: `One survey with ${grouped(COUNT)} responses, ${LATENCY_MS} ms for each answer.`,
    round: aRun,
  },
  {
    title: "First sync with respondents",
    about: `${grouped(COUNT_WITH_PEOPLE)} responses of ${grouped(COUNT_WITH_PEOPLE / 3)} people, three streams.`,
    people: true,
    round: aRun,
  },
  {
    title: "Incremental sync",
    about: `${grouped(ADDED)} responses were added since the sync before.`,
    async prepare(peer, job) {
      const { state } = await peer(job);
      await job.sandbox.control("POST", `/sandbox/collect?survey_id=${ID}&count=${ADDED}`);
      return state;
    },
    round: aRun,
  },
  {
    title: "Kill and resume",
    about: "The process is killed when half of the records have come, and started again with its last state.",
    async round(peer, job) {
      const killed = await peer({ ...job, killAfter: COUNT / 2 });
      return [killed, await peer({ ...job, state: killed.state })];
    },
  },
  {
    title: "A workspace with others in it",
    about: "Another program uses two of the five requests that the workspace may have under way.",
    async round(peer, job) {
      const ended = new AbortController();
      const others = [ask(job.sandbox, ended.signal), ask(job.sandbox, ended.signal)];
      const ran = await aRun(peer, job);
      ended.abort();
      await Promise.all(others);
      return ran;
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

function measureRound(scenario: Scenario, peer: Peer): Promise<Result> {
  const count = scenario.people ? COUNT_WITH_PEOPLE : COUNT;
  const all = [survey(ID, count), survey(OTHER_ID, 100)];
  return withSandbox({ surveys: all, latencyMs: LATENCY_MS }, async (sandbox) => {
    const people = ["respondent_responses", "respondent_attributes"];
    const job: Job = { sandbox, streams: ["survey_responses", ...(scenario.people ? people : [])] };
    const state = (await scenario.prepare?.(peer, job)) ?? [];
    await sandbox.control("DELETE", "/sandbox/stats");
    const ran = await scenario.round(peer, { ...job, state });
    const { requests, byPath } = await sandbox.control<Stats>("GET", "/sandbox/stats");
    const came = new Set(ran.flatMap(({ keys }) => keys));
    const wanted = await truth(sandbox, scenario);
    return [
      ran.reduce((sum, { wallSeconds }) => sum + wallSeconds, 0),
      requests - (byPath[`/v2/surveys/${OTHER_ID}/responses`] ?? 0),
      ran.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      wanted.filter((key) => !came.has(key)).length,
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

const sections: string[] = [];
for (const scenario of SCENARIOS) {
  const peers = Object.entries(PEERS);
  if (scenario === SCENARIOS[0]) peers.push(["an oracle that knows all page bounds", oracle]);
  const results = peers.map((): Result[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, [name, peer]] of peers.entries()) {
      const result = await measureRound(scenario, peer);
      results[place]!.push(result);
      process.stderr.write(`${scenario.title}: ${name}: ${result[0].toFixed(1)} s, ${result[3]} lost\n`);
    }
  }
  const rows = peers.map(([name], place) => {
    const of = (what: 0 | 1 | 2 | 3): number => median(results[place]!.map((result) => result[what]));
    return [name, `${of(0).toFixed(1)} s`, grouped(of(1)), `${of(2).toFixed(1)} s`, grouped(of(3))];
  });
  const table = markdown(["reader", "time", "requests", "CPU", "lost"], rows);
  sections.push(`## ${scenario.title}\n\n${scenario.about}\n\n${table}\n`);
}
const page = `# Peers, side by side

Written by \`npm run bench:peers -- --write\` on ${new Date().toISOString().slice(0, 10)}${quick ? " (quick run)" : ""}.

${machine()}. ${PACKAGES.join(", ")}.

Medians of ${ROUNDS} rounds in turn. Times include the start of the program. "Lost": the service holds it and it was not delivered. The sequential reader keeps no state.

${sections.join("\n")}`;
process.stdout.write(page);
if (write) await writeFile(new URL("../peers.md", import.meta.url), page);
