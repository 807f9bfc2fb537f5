import { SERVICE_LIMITS } from "@survey-export/core";
import { type Figure, grouped, median, row, type Size } from "./figure.ts";
import { BARE, bundled, fileOf, isRecord, node, type Ran, readShipped, run } from "./program.ts";
import { FROM, type RemoteSandbox, survey, withSandbox } from "./sandbox.ts";
import { firstSync, ofDensities } from "./simulated.ts";

const ID = "1";
const LATENCY_MS = 30;
const SIZES: Readonly<Record<Size, { few: number; many: number; rounds: number }>> = {
  full: { few: 1000, many: 20_000, rounds: 11 },
  quick: { few: 1000, many: 20_000, rounds: 5 },
  tiny: { few: 300, many: 500, rounds: 1 },
};

/** How near a first sync comes to a program that knows all page bounds before it starts, and reads five at once. */
export const oracle: Figure = {
  name: "oracle",
  about: "round trips and time of a first sync / of a program that knows all page bounds beforehand",
  async measure(size) {
    const { few, many, rounds } = SIZES[size];
    const trips = [];
    for (const count of [few, many]) {
      const fewest = Math.ceil(count / 100 / 5);
      const all = await ofDensities(count, async (one) => (await firstSync(one, count)).roundTrips / fewest);
      trips.push(all.reduce((sum, ratio) => sum + ratio) / all.length);
    }
    const ratios = await timeRatios(many, rounds);
    const trip = `round trips / an oracle's, ${grouped(few)}; ${grouped(many)} responses`;
    const title = `time / an oracle's, ${grouped(many)} responses, ${LATENCY_MS} ms`;
    return [row("roundTrips", trip, trips), row("time", title, [median(ratios)])];
  },
};

/**
 * Our time over the oracle's, each that of a whole process, in turn. The service has rendered its pages in the round
 * before the first, so that its own work hides neither program's.
 */
function timeRatios(count: number, rounds: number): Promise<number[]> {
  const options = {
    surveys: [survey(ID, count)],
    latencyMs: LATENCY_MS,
    cachePages: true,
    limits: { perMinute: false } as const,
  };
  const settings = { start_date: FROM, requests_per_minute: SERVICE_LIMITS.requestsPerMinute };
  return withSandbox(options, async (sandbox) => {
    const words = await oracleOf(sandbox, ID, (await bundled()).bare);
    const ratios: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const oracleMs = timeOf(await run(words, { keepsOutput: true }), count);
      ratios.push(timeOf(await readShipped(sandbox, [ID], settings), count) / oracleMs);
    }
    return ratios.slice(1);
  });
}

/** Throws if not every record came. */
function timeOf({ tookMs, lines }: Ran, count: number): number {
  const uuids = new Set(lines.filter(isRecord).map((line) => /"uuid":"([^"]+)"/.exec(line)![1]));
  if (uuids.size !== count) throw new Error(`${uuids.size} of ${count} records came.`);
  return tookMs;
}

/**
 * The command of the bare `program`, which knows the path of each page of a survey's list beforehand. A page begins with the
 * first response of its timestamp, so none is omitted.
 */
export async function oracleOf(sandbox: RemoteSandbox, surveyId: string, program = BARE): Promise<string[]> {
  const { url, apiKey, control } = sandbox;
  const truth = await control<{ collected_at: string }[]>("GET", `/sandbox/truth?survey_id=${surveyId}`);
  const newestFirst = truth
    .map(({ collected_at }) => collected_at)
    .sort()
    .reverse();
  const paths: string[] = [];
  for (let first = 0; first < newestFirst.length; first += 100) {
    while (first > 0 && newestFirst[first - 1] === newestFirst[first]) first--;
    const start = encodeURIComponent(newestFirst[first]!);
    paths.push(`/surveys/${surveyId}/responses?items_per_page=100&start=${start}`);
  }
  return node(program, url, apiKey, "survey_responses", "--pages", fileOf(paths.join("\n")));
}
