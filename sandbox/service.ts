import { type Choices, STANDARD_CHOICES } from "./choices.ts";
import { stillClock } from "./clock.ts";
import { type CollectedCount, Dataset, type Removal } from "./data/dataset.ts";
import { PERSONAL_DATA, type PersonalValue } from "./data/personal-data.ts";
import type { RespondentInput } from "./data/respondents.ts";
import type { ResponseInput } from "./data/response-input.ts";
import type { SurveySummary } from "./data/survey.ts";
import { type Truth, truthOf } from "./data/truth.ts";
import { type DataEvent, EventPlan } from "./faults/event.ts";
import { type ActiveFault, type Fault, FaultPlan } from "./faults/fault.ts";
import { inProcess } from "./faults/in-process.ts";
import { LimitEnforcer, type Load } from "./http/limits.ts";
import { PageCache } from "./http/page-cache.ts";
import type { ServiceReply, ServiceRequest } from "./http/request-and-reply.ts";
import { type Stats, StatsCounter } from "./http/stats.ts";
import { DEFAULT_API_KEY, exampleSurveys, type ServiceOptions } from "./options.ts";
import { type Answer, RequestHandler } from "./request-handler.ts";
import { resolutionOf } from "./timestamp.ts";

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
  /** The personal data that is planted in the answers; empty without that option. */
  readonly personalData: readonly PersonalValue[];
  /** Answers as a transport does. Rejects with `ConnectionFaultError` if a client would not get the whole answer. */
  handle(request: ServiceRequest, signal?: AbortSignal): Promise<ServiceReply>;
  /** For the server: the answer, and the fault of the connection that is due for it. */
  answer(request: ServiceRequest, signal?: AbortSignal): Promise<Answer>;
  /** Adds responses and returns their UUIDs. Responses made up by count are newer than all others by default. */
  collect(surveyId: string, responses: readonly ResponseInput[] | CollectedCount | number): string[];
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
  const seed = options.seed ?? 1;
  const apiKey = options.apiKey ?? DEFAULT_API_KEY;
  const basePath = options.basePath ?? "/v2";
  const choices: Choices = { ...STANDARD_CHOICES, ...options.choices };
  const clock = options.clock ?? stillClock;
  const timeless = options.clock === undefined ? { perMinute: false as const } : {};
  const limits = options.limits === false ? false : { ...timeless, ...options.limits };
  const surveys = options.surveys ?? exampleSurveys(300, seed);
  const resolutionMicros = choices.precision === "microseconds" ? 1 : resolutionOf(choices.fraction);
  const personalData = options.personalData ?? false;
  const dataset = new Dataset(
    seed,
    surveys,
    options.respondents ?? [],
    resolutionMicros,
    clock.now,
    personalData,
  );
  const faults = new FaultPlan();
  const events = new EventPlan();
  faults.add(options.faults ?? [], clock.now());
  events.add(options.events ?? []);
  const handler = new RequestHandler(
    {
      dataset,
      choices,
      clock,
      limits: new LimitEnforcer(limits, choices.blockMs, choices.refusedCount),
      faults,
      events,
      cache: new PageCache(options.cachePages === true),
      apiKey,
      basePath,
      latencyMs: options.latencyMs ?? 0,
      serviceClockOffsetMs: options.serviceClockOffsetMs ?? 0,
      onAnswer: options.onAnswer,
    },
    options.subscription ?? true,
  );
  const handle = async (request: ServiceRequest, signal?: AbortSignal): Promise<ServiceReply> => {
    const { reply, dateHeader, wire, release } = await handler.answer(request, signal);
    const dated = { ...reply, headers: { ...reply.headers, ...dateHeader } };
    try {
      return wire === undefined ? dated : await inProcess(dated, wire, clock, signal);
    } finally {
      release();
    }
  };
  return {
    apiKey,
    basePath,
    choices,
    personalData: personalData ? PERSONAL_DATA : [],
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
    handle,
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
