import { type Choices, STANDARD_CHOICES } from "./choices.ts";
import { stillClock } from "./clock.ts";
import type { ResponseInput } from "./data/given.ts";
import type { RespondentInput } from "./data/people.ts";
import { type Truth, truthOf } from "./data/truth.ts";
import { type CollectedCount, type Removal, World } from "./data/world.ts";
import { type DataEvent, EventPlan } from "./faults/event.ts";
import { type Fault, FaultPlan } from "./faults/fault.ts";
import { inProcess } from "./faults/in-process.ts";
import type { ServiceReply, ServiceRequest } from "./http/exchange.ts";
import { Gate } from "./http/limits.ts";
import { PageCache } from "./http/page-cache.ts";
import { type Stats, Tally } from "./http/stats.ts";
import { grain } from "./moment.ts";
import { defaultApiKey, exampleSurveys, type ServiceOptions } from "./options.ts";
import { type Answer, Reception } from "./reception.ts";

/** The survey service without a socket. Deterministic for its options, its clock and the requests it gets. */
export interface Service {
  readonly apiKey: string;
  readonly basePath: string;
  readonly choices: Choices;
  readonly truth: Truth;
  readonly stats: Stats;
  /** Answers as a transport would: rejects with `ConnectionFaultError` where a client would get no whole answer. */
  handle(request: ServiceRequest, signal?: AbortSignal): Promise<ServiceReply>;
  /** For sockets: the answer and what is to go wrong with it on the wire. */
  answer(request: ServiceRequest, signal?: AbortSignal): Promise<Answer>;
  /** Adds responses, later than all others unless they say otherwise; returns their uuids. */
  collect(surveyId: string, responses: readonly ResponseInput[] | CollectedCount | number): string[];
  /** Takes data away; returns how many of the named things were there. */
  remove(removal: Removal): number;
  /** Gives a person other attributes. */
  describe(respondent: RespondentInput): void;
  addFaults(...faults: readonly Fault[]): void;
  clearFaults(): void;
  addEvents(...events: readonly DataEvent[]): void;
  clearEvents(): void;
  resetStats(): void;
  /** From now on the account's plan includes the interface, or does not. */
  setSubscription(active: boolean): void;
}

/** Makes a service. Throws a sentence when the options cannot be meant. */
export function createService(options: ServiceOptions = {}): Service {
  const seed = options.seed ?? 1;
  const apiKey = options.apiKey ?? defaultApiKey;
  const basePath = options.basePath ?? "/v2";
  const choices: Choices = { ...STANDARD_CHOICES, ...options.choices };
  const clock = options.clock ?? stillClock;
  const timeless = options.clock === undefined ? { perMinute: false as const } : {};
  const limits = options.limits === false ? false : { ...timeless, ...options.limits };
  const surveys = options.surveys ?? exampleSurveys(300, seed);
  const grainMicros = choices.precision === "microseconds" ? 1 : grain(choices.fraction);
  const world = new World(seed, surveys, options.respondents ?? [], grainMicros, clock.now);
  const faults = new FaultPlan();
  const events = new EventPlan();
  faults.add(options.faults ?? [], clock.now());
  events.add(options.events ?? []);
  const reception = new Reception(
    {
      world,
      choices,
      clock,
      gate: new Gate(limits, choices.blockMs, choices.refusedCount),
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
    const { reply, dateHeader, wire, release } = await reception.answer(request, signal);
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
    truth: truthOf(world, choices.fraction),
    get stats() {
      return reception.tally.read();
    },
    answer: (request, signal) => reception.answer(request, signal),
    handle,
    collect: (surveyId, responses) =>
      world.collect(surveyId, typeof responses === "number" ? { count: responses } : responses),
    remove: (removal) => world.remove(removal),
    describe: (respondent) => world.describe(respondent),
    addFaults: (...added) => faults.add(added, clock.now()),
    clearFaults: () => faults.clear(),
    addEvents: (...added) => events.add(added),
    clearEvents: () => events.clear(),
    resetStats: () => {
      reception.tally = new Tally();
    },
    setSubscription: (active) => {
      reception.subscription = active;
    },
  };
}
