import { createClient, type Host, readStreams, STREAMS } from "@survey-export/core";
import { createService } from "../sandbox/index.ts";
import { createSimulatedClock } from "../test/simulation/clock.ts";
import { ORIGIN, simulatedHost } from "../test/simulation/host.ts";
import type { Figure } from "./figure.ts";
import { bundled, type RemoteSandbox, startRemote } from "./program.ts";
import { survey } from "./survey.ts";

const TARGET = 0.99;
const ALLOWED = 1000;
const LATENCY_MS = 100;
const WINDOW_MS = 180_000;
/** What is allowed in the window. The request after these could start when the window is over, and not before. */
const REQUESTS = (ALLOWED * WINDOW_MS) / 60_000;

interface Starts {
  readonly startsMs: readonly number[];
  readonly refused: number;
}

/**
 * A strict service, which refuses the 1001st start within 60 seconds and the 6th at once, read as shipped. The share
 * is three minutes over the time from the first start to the 3001st, which an ideal reader makes after three minutes.
 */
export const allowance: Figure = {
  name: "allowance",
  about: "share of the allowed 1000 requests a minute that is used, and 429s met",
  async measure(size) {
    const { startsMs, refused } = size === "full" ? await overSocket() : await simulated();
    const tookMs = startsMs[REQUESTS]! - startsMs[0]!;
    const share = WINDOW_MS / tookMs;
    return {
      rows: [
        {
          figure: `share of ${ALLOWED} requests a minute used in ${WINDOW_MS / 60_000} minutes, and 429s met`,
          target: `≥ ${TARGET * 100} %, 0`,
          measured: `${(share * 100).toFixed(1)} %, ${refused}`,
          met: share >= TARGET && refused === 0,
          kind: size === "full" ? "real" : "simulated",
        },
      ],
      notes: [
        `allowance: the ${(REQUESTS + 1).toLocaleString("en")}st request started ${(tookMs / 1000).toFixed(2)} s after the first; the service answers after ${LATENCY_MS} ms${size === "full" ? ", over a real socket" : "; simulated clock, the full run takes a real socket and three minutes"}`,
      ],
    };
  },
};

/** Pages enough for more than the window. */
const large = survey("1", 400_000, { content: "little" });

async function simulated(): Promise<Starts> {
  const clock = createSimulatedClock();
  const startsMs: number[] = [];
  const sandbox = createService({
    surveys: [large],
    latencyMs: LATENCY_MS,
    clock,
    onAnswer: ({ startedAtMs }) => startsMs.push(startedAtMs),
  });
  await readOn(simulatedHost(sandbox, clock), `${ORIGIN}/v2`);
  return { startsMs: startsMs.sort((one, other) => one - other), refused: sandbox.stats.byStatus[429] ?? 0 };
}

async function overSocket(): Promise<Starts> {
  const { machineClock } = await import("../connector/node/clock.ts");
  const { createTransport } = await import("../connector/node/transport.ts");
  const [program = ""] = await bundled("sandbox");
  const sandbox: RemoteSandbox = await startRemote(program, { surveys: [large], latencyMs: LATENCY_MS });
  const host = { clock: machineClock, transport: createTransport(sandbox), log: () => {} };
  await readOn(host, sandbox.url);
  const { byStatus } = await sandbox.control<{ byStatus: Record<string, number> }>("GET", "/sandbox/stats");
  const startsMs = [...(await sandbox.close())].sort((one, other) => one - other);
  return { startsMs, refused: byStatus[429] ?? 0 };
}

/** Reads until a few more requests were made than the window allows. */
async function readOn(host: Host, baseUrl: string): Promise<void> {
  const client = createClient(host, { baseUrl });
  const streams = new Map([[STREAMS.survey_responses, undefined]]);
  for await (const event of readStreams(client, { surveyIds: [large.id], respondentUuids: [], streams })) {
    if (event.type === "failure") throw event.error;
    if (client.counts.requests > REQUESTS + 5) break;
  }
}
