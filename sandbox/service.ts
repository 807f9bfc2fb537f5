import { type Choices, STANDARD_CHOICES } from "./choices.ts";
import { type Collected, Dataset, type Removal } from "./data/dataset.ts";
import type { RespondentInput } from "./data/respondents.ts";
import type { SurveySummary } from "./data/survey.ts";
import { type Truth, truthOf } from "./data/truth.ts";
import { inProcess } from "./faults/apply.ts";
import { type ActiveFault, type DataEvent, EventPlan, type Fault, FaultPlan } from "./faults/plan.ts";
import { PageCache } from "./http/answer.ts";
import { LimitEnforcer, type Load } from "./http/limits.ts";
import type { ServiceReply } from "./http/reply.ts";
import type { ServiceRequest } from "./http/request.ts";
import { type Stats, StatsCounter } from "./http/stats.ts";
import { exampleSurveys, type ServiceOptions } from "./options.ts";
import { type Answer, type HandlerOptions, RequestHandler } from "./request-handler.ts";
import { resolutionOf, stillClock } from "./time.ts";

/** The survey service without a socket. The same options, clock and requests give the same answers. */
export interface Service {
  readonly apiKey: string;
  readonly basePath: string;
  readonly choices: Choices;
  readonly truth: Truth;
  readonly stats: Stats;
  /** The limits, and how much of them is in use now. */
  readonly load: Load;
  /** The faults that can still happen. */
  readonly activeFaults: readonly ActiveFault[];
  /** All surveys, each in a few words. Fast, also for millions of responses. */
  readonly surveys: readonly SurveySummary[];
  /** Answers as a transport does. Rejects with `ConnectionFaultError` if a client would not get the whole answer. */
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
  addEvents(...events: readonly DataEvent[]): void;
  clearEvents(): void;
  resetStats(): void;
  /** From now on the account's plan includes API access, or does not. */
  setSubscription(active: boolean): void;
}

/** Creates a service. Throws a sentence if the options make no sense. */
export function createService(options: ServiceOptions = {}): Service {
  const parts = partsOf(options);
  const { dataset, choices, clock, faults, events, apiKey, basePath } = parts;
  const handler = new RequestHandler(parts, options.subscription ?? true);
  return {
    apiKey,
    basePath,
    choices,
    truth: truthOf(dataset, choices.fraction),
    get stats() {
      return handler.counter.read();
    },
    get load() {
      return handler.load();
    },
    get activeFaults() {
      return faults.active(clock.now());
    },
    get surveys() {
      return dataset.surveys().map((survey) => survey.summary(choices.fraction));
    },
    answer: (request, signal) => handler.answer(request, signal),
    async handle(request, signal) {
      const { reply, dateHeader, wire, release } = await handler.answer(request, signal);
      const dated = { ...reply, headers: { ...reply.headers, ...dateHeader } };
      try {
        return wire === undefined ? dated : await inProcess(dated, wire, clock, signal);
      } finally {
        release();
      }
    },
    collect: (surveyId, responses) =>
      dataset.collect(surveyId, typeof responses === "number" ? { count: responses } : responses),
    remove: (removal) => dataset.remove(removal),
    describe: (respondent) => dataset.describe(respondent),
    addFaults: (...added) => faults.add(added, clock.now()),
    clearFaults: (name) => faults.clear(name),
    addEvents: (...added) => events.add(added),
    clearEvents: () => events.clear(),
    resetStats: () => {
      handler.counter = new StatsCounter();
    },
    setSubscription: (active) => {
      handler.subscription = active;
    },
  };
}

/** What takes part in answering, with the defaults of the options. */
function partsOf(options: ServiceOptions): HandlerOptions {
  const { seed = 1, clock = stillClock, personalData = false, respondents = [] } = options;
  const choices: Choices = { ...STANDARD_CHOICES, ...options.choices };
  const timeless = options.clock === undefined ? { perMinute: false as const } : {};
  const limits = options.limits === false ? false : { ...timeless, ...options.limits };
  const resolutionMicros = choices.precision === "microseconds" ? 1 : resolutionOf(choices.fraction);
  const rules = { seed, resolutionMicros, personalData };
  const [faults, events] = [new FaultPlan(), new EventPlan()];
  faults.add(options.faults ?? [], clock.now());
  events.add(options.events ?? []);
  return {
    dataset: new Dataset(options.surveys ?? exampleSurveys(300, seed), respondents, rules, clock.now),
    choices,
    clock,
    limits: new LimitEnforcer(limits, choices.blockMs, choices.refusedCount),
    faults,
    events,
    cache: new PageCache(options.cachePages === true),
    apiKey: options.apiKey ?? "sandbox-key-4f1c",
    basePath: options.basePath ?? "/v2",
    latencyMs: options.latencyMs ?? 0,
    serviceClockOffsetMs: options.serviceClockOffsetMs ?? 0,
    onAnswer: options.onAnswer,
  };
}
