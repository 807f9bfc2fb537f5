import {
  type Client,
  type Clock,
  createClient,
  type Message,
  render,
  type StreamName,
  type StreamState,
} from "@survey-export/core";
import { createTransport } from "../../../connector/node/transport.ts";
import {
  createService,
  expectedKeys,
  type Service as Sandbox,
  type ServiceOptions,
} from "../../../sandbox/index.ts";
import { createSimulatedClock } from "../../support/clock.ts";
import { clientOf, simulatedHost } from "../../support/host.ts";
import { sandboxForTest, surveyOf } from "../../support/sandbox.ts";
import { Replica, syncInProcess } from "../../support/sync.ts";

/** How many responses a survey has, and how many a page. */
export const COUNT = 60;
export const SIZE = 10;
export const survey = (id: string) => surveyOf(id, COUNT, { to: "2025-06-01T00:00:00.000000Z" });

/** A sandbox with a client, in process or over a socket, and what its syncs delivered. */
export interface Reached {
  readonly client: Client;
  /** For a sync that has nothing to wait out, if the machine's time is that of `client`: never short of time. */
  readonly patient?: Client;
  readonly sandbox: Sandbox;
  readonly warnings: readonly string[];
  readonly replica: Replica;
}

/** In simulated time. */
export function inProcess(options: ServiceOptions = {}): Reached {
  const clock = createSimulatedClock();
  const sandbox = createService({ clock, latencyMs: 50, surveys: [survey("s1")], ...options });
  const host = simulatedHost(sandbox, clock);
  return { client: clientOf(host), sandbox, warnings: host.logged, replica: new Replica() };
}

/** So many times as fast as the machine's, so that a real socket's faults are waited out in a moment. */
const hastyClock = (haste: number): Clock => ({
  now: () => Date.now(),
  monotonicMs: () => performance.now() * haste,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms / haste);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
});

/** Until the running test is over. `haste`: how many times as fast as ours the time of its syncs passes. */
export async function overSocket(timeoutMs: number, haste: number): Promise<Reached> {
  const { url, apiKey, service: sandbox } = await sandboxForTest({ surveys: [survey("s1")] });
  const warnings: string[] = [];
  const transport = createTransport({ apiKey, timeoutMs });
  const log = (level: string, message: Message): void => void warnings.push(`${level} ${render(message)}`);
  const clientAt = (clock: Clock): Client => createClient({ clock, log, transport }, { baseUrl: url });
  const clients = { client: clientAt(hastyClock(haste)), patient: clientAt(hastyClock(1)) };
  return { ...clients, sandbox, warnings, replica: new Replica() };
}

interface SandboxSync {
  readonly surveyIds?: readonly string[];
  readonly streams?: readonly StreamName[];
  readonly inOrder?: boolean;
  readonly onWaiting?: () => void;
}

/** One sync, from the state of the sync before. */
export async function sync({ client, replica }: Reached, options: SandboxSync = {}) {
  const { surveyIds = ["s1"], streams = ["survey_responses"], inOrder = false, onWaiting } = options;
  const told = await syncInProcess(client, replica, {
    surveyIds,
    streams,
    respondentUuids: [],
    itemsPerPage: SIZE,
    inOrder,
    lookbackMs: 600_000,
    onEvent: (event) => {
      if (event.type === "waiting") onWaiting?.();
      return undefined;
    },
  });
  return { ...told, codes: [...new Set(told.failures.map(({ code }) => code))] };
}

/** What `survey_responses` lacks. */
export const lost = ({ replica, sandbox }: Reached, surveyIds = ["s1"]): string[] =>
  replica.lost(
    "survey_responses",
    expectedKeys(sandbox.truth, ({ survey_id }) => surveyIds.includes(survey_id)).get("survey_responses")!,
  );
/** Whether the state says that all of the survey was delivered. */
export const isWhole = ({ replica }: Reached): boolean => {
  const { surveys } = replica.state("survey_responses") as StreamState;
  return surveys.s1?.length === 1 && surveys.s1[0]![0] === null;
};
