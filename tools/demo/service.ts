import { setTimeout as sleep } from "node:timers/promises";
import { companyAnswers, exampleCompany, type Sandbox, startSandbox } from "../../sandbox/index.ts";

/** How long the service takes for each answer: long enough for a read that one can watch, and kill half way. */
export const LATENCY_MS = 80;
/** The limit of the real service. */
export const ALLOWANCE_PER_MINUTE = 1_000;
/** The company's present: its newest response is of the day before. */
const PRESENT_MS = Date.UTC(2026, 8, 29, 9);
const ANSWERS_OF_EACH_SURVEY = 8;
const MINUTE_MS = 60_000;

/** A running service with the company of `docs/questions.md`, and when it was asked. */
export interface Company {
  readonly sandbox: Sandbox;
  /** When each request arrived, in milliseconds since the service started; in the order of the answers. */
  readonly requestsMs: readonly number[];
  /** Milliseconds since the service started. */
  elapsedMs(): number;
  /** Lets people answer every survey. One response of each shows up late, below newer ones. Returns how many. */
  letPeopleAnswer(): number;
  /** Waits, as people do. */
  wait(ms: number): Promise<void>;
}

/** Starts the service on this machine, with the limits of the real one. */
export async function startCompany(latencyMs = LATENCY_MS): Promise<Company> {
  const startedMs = Date.now();
  const requestsMs: number[] = [];
  const company = exampleCompany();
  const sandbox = await startSandbox({
    ...company,
    latencyMs,
    limits: { perMinute: ALLOWANCE_PER_MINUTE },
    serviceClockOffsetMs: PRESENT_MS - startedMs,
    onAnswer: ({ startedAtMs }) => requestsMs.push(startedAtMs - startedMs),
  });
  const { truth } = sandbox.service;
  const newestMs = new Map(truth.surveyIds().map((id) => [id, newestOf(truth.responses(id))]));
  return {
    sandbox,
    requestsMs,
    elapsedMs: () => Date.now() - startedMs,
    letPeopleAnswer: () => {
      for (const [id, newest] of newestMs) {
        const nowMs = PRESENT_MS + Date.now() - startedMs;
        const onTime = Array.from(
          { length: ANSWERS_OF_EACH_SURVEY - 1 },
          (_, place) => nowMs - MINUTE_MS + (place * MINUTE_MS) / ANSWERS_OF_EACH_SURVEY,
        );
        sandbox.service.collect(id, companyAnswers(id, [newest - 2 * MINUTE_MS, ...onTime]));
      }
      return newestMs.size * ANSWERS_OF_EACH_SURVEY;
    },
    wait: (ms) => sleep(ms),
  };
}

function newestOf(responses: Iterable<{ readonly micros: number }>): number {
  let micros = 0;
  for (const response of responses) micros = response.micros;
  return Math.floor(micros / 1_000);
}
