import { type Collected, Dataset, type Removal } from "./data/dataset.ts";
import { exampleSurveys } from "./data/example-surveys.ts";
import type { RespondentInput } from "./data/respondents.ts";
import type { SurveyOptions, SurveySummary } from "./data/survey.ts";
import { type Truth, truthOf } from "./data/truth.ts";
import { DIALECTS, type DialectName } from "./dialects.ts";
import { firstHalf } from "./faults/apply.ts";
import { type ActiveFault, type Fault, FaultPlan } from "./faults/plan.ts";
import { LimitEnforcer, type Limits, type Load } from "./http/limits.ts";
import type { ServiceReply } from "./http/reply.ts";
import type { ServiceRequest } from "./http/request.ts";
import { noStats, type Stats } from "./http/stats.ts";
import { type Answer, type AnsweredRequest, type HandlerOptions, RequestHandler } from "./request-handler.ts";
import { type Clock, stillClock } from "./time.ts";

/** The options of a service. All are optional. */
export interface ServiceOptions {
  /** Surveys and respondents; default: four small generated surveys. */
  readonly surveys?: readonly SurveyOptions[];
  readonly respondents?: readonly RespondentInput[];
  /** The same seed generates the same data. Default 1. */
  readonly seed?: number;
  readonly apiKey?: string;
  /** False: the account has no plan that includes API access. Default true. */
  readonly subscription?: boolean;
  readonly dialect?: DialectName;
  /**
   * Default 5 at once and 1000 a minute, for requests of every kind. Without a `clock`, time stands still for a
   * service in process. It then has no limit per minute unless this option names one.
   */
  readonly limits?: Limits | false;
  /** How long each answer takes, in milliseconds of the clock; a refusal by a limit comes at once. */
  readonly latencyMs?: number;
  readonly faults?: readonly Fault[];
  /**
   * Plants known addresses, names and phone numbers in every response, survey and respondent, wherever such data
   * may be in reality. `PERSONAL_DATA` lists them. Default false.
   */
  readonly personalData?: boolean;
  readonly clock?: Clock;
  /** How far the `Date` header is ahead of `clock`, in milliseconds. Limits and data follow `clock`. Default 0. */
  readonly serviceClockOffsetMs?: number;
  /** Keeps rendered pages until the data changes. For measuring clients. */
  readonly cachePages?: boolean;
  readonly onAnswer?: (answered: AnsweredRequest) => void;
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
  const parts = partsOf(options);
  const { dataset, clock, faults, apiKey, limits } = parts;
  const handler = new RequestHandler(parts, options.subscription ?? true);
  faults.add(options.faults ?? [], clock.now());
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
      return dataset.surveys().map((survey) => survey.summary());
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

/** What takes part in answering, with the defaults of the options. */
function partsOf(options: ServiceOptions): HandlerOptions {
  const { seed = 1, clock = stillClock, personalData: hasPersonalData = false, respondents = [] } = options;
  const timeless = options.clock === undefined ? { perMinute: false as const } : {};
  const surveys = options.surveys ?? exampleSurveys(300, seed);
  return {
    dataset: new Dataset(surveys, respondents, { seed, hasPersonalData }, clock.now),
    dialect: DIALECTS[options.dialect ?? "as_documented"],
    clock,
    limits: new LimitEnforcer(options.limits === false ? false : { ...timeless, ...options.limits }),
    faults: new FaultPlan(),
    apiKey: options.apiKey ?? "sandbox-key-4f1c",
    latencyMs: options.latencyMs ?? 0,
    serviceClockOffsetMs: options.serviceClockOffsetMs ?? 0,
    cachesPages: options.cachePages === true,
    onAnswer: options.onAnswer ?? (() => {}),
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
