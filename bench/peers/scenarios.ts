import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Stats } from "../../sandbox/index.ts";
import { grouped, median } from "../figure.ts";
import { withPageBounds } from "../oracle.ts";
import { bundled, type RemoteSandbox, startRemote } from "../program.ts";
import { FROM, survey } from "../service.ts";
import { type Job, ORACLE, PEERS, type Peer, type Ran } from "./peer.ts";

export interface Result {
  readonly wallSeconds: number;
  readonly requests: number;
  readonly refused: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
  readonly lost: number;
  readonly doubled: number;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Medians of each peer, by its name. */
  readonly results: ReadonlyMap<string, Result>;
}

export interface Sizes {
  readonly responses: number;
  readonly responsesWithPeople: number;
  readonly added: number;
  readonly latencyMs: number;
  readonly rounds: number;
}

const PEOPLE = ["survey_responses", "respondent_responses", "respondent_attributes"];
const ID = "1";
/** Of this survey only the other program in the workspace reads. */
const OTHER_ID = "2";

interface Setting {
  readonly sandbox: RemoteSandbox;
  readonly sizes: Sizes;
  job(more?: Partial<Job>): Job;
}

/** What one peer does in one round; what it delivered in each of its runs. */
type Round = (setting: Setting, peer: Peer) => Promise<readonly Ran[]>;

interface Plan {
  readonly name: string;
  about(sizes: Sizes): string;
  readonly people?: true;
  readonly peers?: readonly Peer[];
  readonly round: Round;
}

const aRun: Round = async ({ job }, peer) => [await peer.run(job())];

/** The state of each peer after a first sync. It fits every sandbox, since the same seed makes the same responses. */
const states = new Map<string, readonly unknown[]>();

const PLANS: readonly Plan[] = [
  {
    name: "first sync",
    about: ({ responses, latencyMs }) =>
      `One survey with ${grouped(responses)} responses, ${latencyMs} ms for each answer`,
    peers: [...PEERS, ORACLE],
    round: ({ sandbox, job }, peer) =>
      withPageBounds(sandbox, ID, async (pageBounds) => [await peer.run(job({ pageBounds }))]),
  },
  {
    name: "first sync with respondents",
    people: true,
    about: ({ responsesWithPeople: count }) =>
      `${grouped(count)} responses of ${grouped(Math.ceil(count / 3))} people, three streams`,
    round: aRun,
  },
  {
    name: "incremental sync",
    about: ({ added }) => `${grouped(added)} responses were added since the sync before`,
    round: async ({ job }, peer) => [await peer.run(job({ state: states.get(peer.name) ?? [] }))],
  },
  {
    name: "kill and resume",
    about: () =>
      "the process is killed when half of the records have come, and started again with its last state",
    round: async ({ job, sizes }, peer) => {
      const killed = await peer.run(job({ killAfter: sizes.responses / 2 }));
      return [killed, await peer.run(job({ state: killed.state }))];
    },
  },
  {
    name: "a workspace with others in it",
    about: () => "Another program uses two of the five requests that the workspace may have under way",
    round: async (setting, peer) => {
      const { url, apiKey } = setting.sandbox;
      const program = fileURLToPath(new URL("neighbour.mjs", import.meta.url));
      const neighbour = spawn(process.execPath, [program, url, apiKey, OTHER_ID], { stdio: "ignore" });
      try {
        return await aRun(setting, peer);
      } finally {
        neighbour.kill();
        await once(neighbour, "exit");
      }
    },
  },
];

/** Runs every scenario, or those that are named, the peers in turn, round by round. */
export async function* measureAll(
  sizes: Sizes,
  names: readonly string[],
  tell: (line: string) => void,
): AsyncGenerator<Scenario> {
  const [program = ""] = await bundled("sandbox");
  const unknown = names.filter((each) => !PLANS.some(({ name }) => name === each));
  if (unknown.length > 0) throw new Error(`There is no scenario ${unknown.join(", ")}.`);
  const plans = names.length === 0 ? PLANS : PLANS.filter(({ name }) => names.includes(name));
  for (const plan of plans) {
    const { peers = PEERS } = plan;
    tell(`${plan.name}: ${plan.about(sizes)}`);
    const runs = new Map<string, Result[]>(peers.map(({ name }) => [name, []]));
    for (let round = 0; round < sizes.rounds; round++) {
      for (const peer of peers) {
        const result = await measureRound(plan, peer, sizes, program);
        runs.get(peer.name)!.push(result);
        tell(`  ${peer.name}: ${result.wallSeconds.toFixed(1)} s, ${result.lost} lost`);
      }
    }
    const results = new Map([...runs].map(([name, all]) => [name, medianOf(all)]));
    yield { name: plan.name, about: plan.about(sizes), results };
  }
}

async function measureRound(plan: Plan, peer: Peer, sizes: Sizes, program: string): Promise<Result> {
  const count = plan.people ? sizes.responsesWithPeople : sizes.responses;
  const sandbox = await startRemote(program, {
    surveys: [survey(ID, count), survey(OTHER_ID, 100)],
    latencyMs: sizes.latencyMs,
  });
  const job = (more: Partial<Job> = {}): Job => ({
    ...{ url: sandbox.url, apiKey: sandbox.apiKey, surveyId: ID, startDate: FROM, state: [] },
    streams: plan.people ? PEOPLE : ["survey_responses"],
    ...more,
  });
  try {
    if (plan.name === "incremental sync") {
      if (!states.has(peer.name)) states.set(peer.name, (await peer.run(job())).state);
      await sandbox.control("POST", `/sandbox/collect?survey_id=${ID}&count=${sizes.added}`);
    }
    await sandbox.control("DELETE", "/sandbox/stats");
    const ran = await plan.round({ sandbox, sizes, job }, peer);
    const stats = await sandbox.control<Stats>("GET", "/sandbox/stats");
    const requests = stats.requests - (stats.byPath[`/v2/surveys/${OTHER_ID}/responses`] ?? 0);
    const keys = ran.flatMap((one) => one.keys);
    const distinct = new Set(keys);
    const wanted = await truth(sandbox, plan, sizes);
    return {
      wallSeconds: sum(ran, "wallSeconds"),
      cpuSeconds: sum(ran, "cpuSeconds"),
      peakMegabytes: Math.max(...ran.map((one) => one.peakMegabytes)),
      requests,
      refused: stats.byStatus[429] ?? 0,
      lost: wanted.filter((key) => !distinct.has(key)).length,
      doubled: keys.length - distinct.size,
    };
  } finally {
    await sandbox.close();
  }
}

const sum = (ran: readonly Ran[], what: "wallSeconds" | "cpuSeconds"): number =>
  ran.reduce((total, one) => total + one[what], 0);

/** The keys that have to come; in an incremental sync only those of what was added. */
async function truth(sandbox: RemoteSandbox, plan: Plan, sizes: Sizes): Promise<string[]> {
  const all = await sandbox.control<{ uuid: string; respondent_uuid: string }[]>(
    "GET",
    `/sandbox/truth?survey_id=${ID}`,
  );
  const responses = plan.name === "incremental sync" ? all.slice(-sizes.added) : all;
  const keys = responses.map(({ uuid }) => `survey_responses ${uuid}`);
  if (!plan.people) return keys;
  const people = [...new Set(all.map((response) => response.respondent_uuid))];
  const attributes = await Promise.all(
    people.map(async (uuid) => {
      const path = `/sandbox/attributes?respondent_uuid=${uuid}`;
      const held = await sandbox.control<{ id: number }[]>("GET", path);
      return held.map(({ id }) => `respondent_attributes ${uuid} ${id}`);
    }),
  );
  return [...keys, ...all.map(({ uuid }) => `respondent_responses ${uuid}`), ...attributes.flat()];
}

function medianOf(all: readonly Result[]): Result {
  const of = (name: keyof Result): number => median(all.map((result) => result[name]));
  return {
    wallSeconds: of("wallSeconds"),
    requests: of("requests"),
    refused: of("refused"),
    cpuSeconds: of("cpuSeconds"),
    peakMegabytes: of("peakMegabytes"),
    lost: of("lost"),
    doubled: of("doubled"),
  };
}
