import { createClient, type Host, readStreams, STREAMS } from "@survey-export/core";
import { createService } from "../sandbox/index.ts";
import { createSimulatedClock } from "../test/model/support/clock.ts";
import { ORIGIN, simulatedHost } from "../test/model/support/host.ts";
import { type Figure, grouped, percent, type Row } from "./figure.ts";
import { bundled, type RemoteSandbox, startRemote } from "./program.ts";
import { ALLOWED, CONFIGURED, survey } from "./service.ts";

const TARGET = 0.99;
const LATENCY_MS = 100;
const WINDOW_MS = 180_000;

interface Starts {
  readonly startsMs: readonly number[];
  readonly refused: number;
}

/**
 * A strict service, which refuses the 1001st start within 60 seconds and the 6th at once. The share is three minutes
 * over the time from the first start to the first that the configured rate does not allow in three minutes. An ideal
 * reader makes that start after exactly three minutes.
 */
export const allowance: Figure = {
  name: "allowance",
  about: "share of the configured requests a minute that is used, and 429s met",
  async measure(size) {
    const measured = [
      size === "full"
        ? resultOf(CONFIGURED, "real", await overSocket(CONFIGURED))
        : resultOf(CONFIGURED, "simulated", await simulated(CONFIGURED)),
      resultOf(ALLOWED, "simulated", await simulated(ALLOWED)),
    ];
    return { rows: measured.map(({ row }) => row), notes: measured.map(({ note }) => note) };
  },
};

/** The starts that the configured rate allows in the window. */
const startsIn = (requestsPerMinute: number): number => (requestsPerMinute * WINDOW_MS) / 60_000;

function resultOf(
  requestsPerMinute: number,
  kind: Row["kind"],
  { startsMs, refused }: Starts,
): { row: Row; note: string } {
  const starts = startsIn(requestsPerMinute);
  const tookMs = startsMs[starts]! - startsMs[0]!;
  const share = WINDOW_MS / tookMs;
  const how = kind === "real" ? "over a real socket" : "simulated clock";
  return {
    row: {
      figure: `share of the configured ${requestsPerMinute} requests a minute used in ${WINDOW_MS / 60_000} minutes, and 429s met`,
      target: `≥ ${TARGET * 100} %, 0`,
      measured: `${percent(share)}, ${refused}`,
      met: share >= TARGET && refused === 0,
      kind,
    },
    note: `allowance, ${requestsPerMinute} a minute: request ${grouped(starts + 1)} started ${(tookMs / 1000).toFixed(2)} s after the first; the service answers after ${LATENCY_MS} ms, ${how}`,
  };
}

/** Pages enough for more than the window. */
const large = survey("1", 400_000, { content: "little" });

async function simulated(requestsPerMinute: number): Promise<Starts> {
  const clock = createSimulatedClock();
  const startsMs: number[] = [];
  const sandbox = createService({
    surveys: [large],
    latencyMs: LATENCY_MS,
    clock,
    onAnswer: ({ startedAtMs }) => startsMs.push(startedAtMs),
  });
  await readOn(simulatedHost(sandbox, clock), `${ORIGIN}/v2`, requestsPerMinute);
  return { startsMs: startsMs.sort((one, other) => one - other), refused: sandbox.stats.byStatus[429] ?? 0 };
}

async function overSocket(requestsPerMinute: number): Promise<Starts> {
  const { machineClock } = await import("../connector/node/clock.ts");
  const { createTransport } = await import("../connector/node/transport.ts");
  const [program = ""] = await bundled("sandbox");
  const sandbox: RemoteSandbox = await startRemote(program, { surveys: [large], latencyMs: LATENCY_MS });
  const host = { clock: machineClock, transport: createTransport(sandbox), log: () => {} };
  await readOn(host, sandbox.url, requestsPerMinute);
  const { byStatus } = await sandbox.control<{ byStatus: Record<string, number> }>("GET", "/sandbox/stats");
  const startsMs = [...(await sandbox.close())].sort((one, other) => one - other);
  return { startsMs, refused: byStatus[429] ?? 0 };
}

/** Reads until a few more requests were made than the configured rate allows in the window. */
async function readOn(host: Host, baseUrl: string, requestsPerMinute: number): Promise<void> {
  const client = createClient(host, { baseUrl, requestsPerMinute });
  const streams = new Map([[STREAMS.survey_responses, undefined]]);
  for await (const event of readStreams(client, { surveyIds: [large.id], respondentUuids: [], streams })) {
    if (event.type === "failure") throw event.error;
    if (client.counts.requests > startsIn(requestsPerMinute) + 5) break;
  }
}
