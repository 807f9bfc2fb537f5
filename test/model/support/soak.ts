import type { ChildProcess } from "node:child_process";
import {
  DIALECTS,
  expectedKeys,
  type Fault,
  type FaultName,
  KEYED_STREAMS,
  type Service,
  startSandbox,
} from "../../../sandbox/index.ts";
import type { Ended } from "../../support/bin.ts";
import type { Folder } from "../../support/folder.ts";
import { configOf } from "../../support/sandbox.ts";
import { Replica, syncProgram } from "../../support/sync.ts";

/** Counts over a whole soak. */
export interface Tally {
  syncs: number;
  kills: Record<"SIGKILL" | "SIGTERM" | "closed_stdout", number>;
  slowReaders: number;
  faults: number;
  records: number;
  lost: number;
  repeatsAfterKills: number;
  readonly problems: string[];
}

const SURVEYS = ["1001", "1002", "1003"];
const LOOKBACK_MS = 60_000;
/** No run of the soak may take longer. */
const LONGEST_MS = 240_000;
/**
 * How often somebody answers during a sync. A respondent whose lists end with an empty page costs six requests, and
 * the program sends at most 1,000 a minute: people who come without end would make a long sync a longer one.
 */
const ANSWERS_EACH_SYNC = 40;
/** Passing faults, short enough that many fit into a soak. */
const FAULTS: readonly FaultName[] = [
  ...(["status_429", "status_429_seconds", "status_500", "status_503", "status_200_html"] as const),
  ...(["reset_before_headers", "cut_with_length", "cut_without_length", "no_data"] as const),
  ...(["more_without_link", "page_reversed", "item_without_uuid", "link_absolute", "slow"] as const),
];

/**
 * A service of its own, read by one connection that is disturbed again and again, and then once in peace: after
 * that everything must be there.
 */
export async function round(
  random: () => number,
  folder: Folder,
  untilMs: number,
  tally: Tally,
): Promise<void> {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const between = (low: number, high: number): number => Math.floor(low + random() * (high - low));
  const dialect = pick(DIALECTS);
  const sandbox = await startSandbox({
    seed: between(1, 1e6),
    dialect,
    latencyMs: between(2, 20),
    limits: { perMinute: false },
    surveys: SURVEYS.map((id) => ({
      id,
      responses: {
        seed: between(1, 1e6),
        count: between(50, 700),
        respondents: between(10, 40),
        density: pick(["even", "growing", "bursts", "recent"] as const),
        from: "2024-01-01T00:00:00.000000Z",
        to: "2026-09-30T12:00:00.000000Z",
      },
    })),
  });
  const { service } = sandbox;
  const replica = new Replica();
  const config = configOf(sandbox, {
    lookback_window: "PT1M",
    items_per_page: between(10, 100),
    max_concurrent_requests: between(1, 5),
  });
  const fault = (): Fault => ({
    on: "any",
    nth: Array.from({ length: between(1, 5) }, () => between(1, 100)),
    reply: pick(FAULTS),
  });

  let wasKilled = false;
  const sync = async (disturbance?: Disturbance): Promise<Ended> => {
    tally.syncs++;
    const [repeats, problems] = [replica.repeats, tally.problems.length];
    const ended = await syncProgram(folder, replica, {
      config,
      streams: KEYED_STREAMS,
      onStart: (child) => disturb(child, disturbance, tally.problems),
    });
    tally.records += ended.messages.filter(({ type }) => type === "RECORD").length;
    if (wasKilled) tally.repeatsAfterKills += replica.repeats - repeats;
    if (ended.stderr !== "") tally.problems.push(`stderr: ${ended.stderr.slice(0, 300)}`);
    if (disturbance !== undefined) wasKilled = count(tally, disturbance, ended);
    if (tally.problems.length > problems) tally.problems.push(`The last messages:\n${lastOf(ended)}`);
    return ended;
  };

  for (let syncs = 0; syncs < 7 && Date.now() < untilMs; syncs++) {
    const disturbance = disturbanceFrom(random());
    service.addFaults(...Array.from({ length: between(6, 12) }, fault));
    let answersLeft = ANSWERS_EACH_SYNC;
    const people = setInterval(() => {
      if (answersLeft-- > 0) answerMore(service, pick(SURVEYS), random);
    }, 150);
    await sync(disturbance);
    clearInterval(people);
    service.clearFaults();
  }
  const { code } = await sync();
  if (code !== 0) tally.problems.push(`A sync of a healthy service (${dialect}) ended with code ${code}.`);
  const { malformed, malformedRequests, faults } = service.stats;
  tally.faults += faults;
  if (malformed > 0)
    tally.problems.push(`Malformed requests: ${JSON.stringify(malformedRequests.slice(0, 3))}`);
  for (const [stream, keys] of expectedKeys(service.truth)) {
    const lost = replica.lost(stream, keys);
    tally.lost += lost.length;
    if (lost.length > 0) tally.problems.push(`${stream} (${dialect}) lost ${lost.slice(0, 5).join(", ")} …`);
  }
  await sandbox.close();
}

/** What an operator does to a run. */
type Disturbance =
  | { readonly kind: "SIGKILL" | "SIGTERM" | "closed_stdout"; readonly afterMs: number }
  /** The reader stops for a while after each piece it took. */
  | { readonly kind: "slow_reader"; readonly pauseMs: number };

function disturbanceFrom(draw: number): Disturbance {
  const afterMs = 250 + ((draw * 7919 * 1000) % 2500);
  if (draw < 0.35) return { kind: "SIGKILL", afterMs };
  if (draw < 0.6) return { kind: "SIGTERM", afterMs };
  if (draw < 0.8) return { kind: "closed_stdout", afterMs };
  // The others are let be, unless the faults make them wait so long that the soak would get to little else.
  if (draw < 0.9) return { kind: "slow_reader", pauseMs: 20 };
  return { kind: "SIGKILL", afterMs: 12_000 };
}

/** Does it to a run that has begun. A run that takes longer than any may is killed, which is a problem. */
function disturb(child: ChildProcess, disturbance: Disturbance | undefined, problems: string[]): void {
  const stdout = child.stdout!;
  const giveUp = (): void => {
    problems.push(`A run (${disturbance?.kind}) did not end within ${LONGEST_MS / 1000} s.`);
    child.kill("SIGKILL");
  };
  const timers = [setTimeout(giveUp, LONGEST_MS)];
  child.once("close", () => timers.forEach(clearTimeout));
  if (disturbance === undefined) return;
  if (disturbance.kind === "slow_reader") {
    stdout.on("data", () => {
      stdout.pause();
      setTimeout(() => stdout.resume(), disturbance.pauseMs);
    });
    return;
  }
  const { kind, afterMs } = disturbance;
  const strike = () => (kind === "closed_stdout" ? stdout.destroy() : child.kill(kind));
  timers.push(setTimeout(strike, afterMs));
}

const lastOf = ({ messages }: Ended): string =>
  messages
    .filter(({ type }) => type !== "RECORD")
    .slice(-12)
    .map((message) => JSON.stringify(message).slice(0, 1000))
    .join("\n");

/** Whether the run was ended early, which is counted; how it ended must fit. */
function count(tally: Tally, { kind }: Disturbance, { code, signal }: Ended): boolean {
  if (kind === "slow_reader") tally.slowReaders++;
  if (kind === "slow_reader" || signal === null) {
    if (code !== 0 && code !== 1)
      tally.problems.push(`A run ended with ${code} (${signal}), disturbed by ${kind}.`);
    return false;
  }
  tally.kills[kind]++;
  const expected = kind === "SIGKILL" ? "SIGKILL" : "SIGTERM";
  if (signal !== expected) tally.problems.push(`A run disturbed by ${kind} ended by ${signal}.`);
  return true;
}

/** Somebody answers: now, or, seen late, up to half the lookback ago. Who is seen late has answered before. */
function answerMore(service: Service, surveyId: string, random: () => number): void {
  if (random() < 0.6) {
    service.collect(surveyId, { count: 1 + Math.floor(random() * 3), now: true });
    return;
  }
  const ms = Math.floor(Date.now() - (random() * LOOKBACK_MS) / 2);
  const known = [...service.truth.respondents(surveyId)];
  const collected_at = new Date(ms).toISOString().replace("Z", "000Z");
  service.collect(surveyId, [{ collected_at, respondent_uuid: known[Math.floor(random() * known.length)]! }]);
}
