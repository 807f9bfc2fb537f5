import type { Collected, Removal } from "./data/dataset.ts";
import type { SurveyType } from "./data/record.ts";
import type { RespondentInput } from "./data/respondents.ts";
import { type Truth, truthOf } from "./data/truth.ts";
import { firstHalf } from "./faults/apply.ts";
import type { ActiveFault, Fault } from "./faults/plan.ts";
import type { Load } from "./http/limits.ts";
import type { ServiceReply } from "./http/reply.ts";
import type { ServiceRequest } from "./http/request.ts";
import { noStats, type Stats } from "./http/stats.ts";
import { type Answer, RequestHandler, type ServiceOptions } from "./request-handler.ts";
import type { Clock } from "./time.ts";

/** A survey in a few words. */
export interface SurveySummary {
  readonly id: string;
  readonly type: SurveyType;
  readonly name: string;
  /** How many responses it has. */
  readonly count: number;
}

/** The survey service without a socket. The same options, clock and requests give the same answers. */
export interface Service {
  readonly apiKey: string;
  readonly truth: Truth;
  readonly stats: Stats;
  /** The limits, and how much of them is in use now. */
  readonly load: Load;
  /** The faults that can still happen. */
  readonly activeFaults: readonly ActiveFault[];
  readonly surveys: readonly SurveySummary[];
  /** Answers as a transport does. Rejects if a client would not get the whole answer. */
  handle(request: ServiceRequest, signal?: AbortSignal): Promise<ServiceReply>;
  /** For the server: the answer, and the fault of the connection that is due for it. */
  answer(request: ServiceRequest, signal?: AbortSignal): Promise<Answer>;
  /** Adds responses and returns their UUIDs. Responses made up by count are newer than all others by default. */
  collect(surveyId: string, responses: Collected | number): string[];
  /** Removes data. Returns how many of the named things existed. */
  remove(removal: Removal): number;
  /** Replaces a respondent's attributes. */
  describe(respondent: RespondentInput): void;
  addFaults(...faults: readonly Fault[]): void;
  /** Removes the faults of this name, or all of them. */
  clearFaults(name?: string): void;
  resetStats(): void;
  /** From now on the account's plan includes API access, or does not. */
  setSubscription(active: boolean): void;
}

/** Creates a service. Throws a sentence if the options make no sense. */
export function createService(options: ServiceOptions = {}): Service {
  const handler = new RequestHandler(options);
  const { dataset, clock, faults, apiKey, limits } = handler;
  return {
    apiKey,
    truth: truthOf(dataset),
    get stats() {
      return structuredClone(handler.stats);
    },
    get load() {
      return limits.load(clock.now(), handler.inFlight);
    },
    get activeFaults() {
      return faults.active(clock.now());
    },
    get surveys() {
      return dataset
        .surveys()
        .map(({ id, type, name, responses }) => ({ id, type, name, count: responses.length }));
    },
    answer: (request, signal) => handler.answer(request, signal),
    async handle(request, signal) {
      const answer = await handler.answer(request, signal);
      try {
        return await received(answer, clock, signal);
      } finally {
        answer.release();
      }
    },
    collect: (surveyId, responses) =>
      dataset.collect(surveyId, typeof responses === "number" ? { count: responses } : responses),
    remove: (removal) => dataset.remove(removal),
    describe: (respondent) => dataset.describe(respondent),
    addFaults: (...added) => faults.add(added, clock.now()),
    clearFaults: (name) => faults.clear(name),
    resetStats: () => {
      handler.stats = noStats();
    },
    setSubscription: (active) => {
      handler.hasSubscription = active;
    },
  };
}

const SILENCE_MS = 30_000;

/**
 * What a caller in process gets. A fault of the connection rejects, as with a transport that checks lengths, limits
 * sizes and has a time limit. One resolves: a body that ends early without a sign of it.
 */
async function received(
  { reply, date, wire }: Answer,
  clock: Clock,
  signal?: AbortSignal,
): Promise<ServiceReply> {
  const dated = { ...reply, headers: { ...reply.headers, date } };
  if (wire === undefined) return dated;
  if (wire.kind === "cut" && wire.announcedBy === "nothing") return { ...dated, body: firstHalf(reply.body) };
  if (wire.kind === "silence") await clock.sleep(SILENCE_MS, signal);
  throw new Error(`The connection failed: ${wire.kind}.`);
}
