import { type Choices, standard } from "./choices.ts";
import { stillClock } from "./clock.ts";
import type { GivenResponse } from "./data/given.ts";
import type { GivenRespondent } from "./data/people.ts";
import { type Truth, truthOf } from "./data/truth.ts";
import { type CollectedCount, type Removal, World } from "./data/world.ts";
import { apply, type DataEvent, EventPlan } from "./faults/event.ts";
import { type Fault, FaultPlan } from "./faults/fault.ts";
import { inProcess } from "./faults/in-process.ts";
import { isWireFault, type WireFault } from "./faults/reply.ts";
import { spoil } from "./faults/spoil.ts";
import { type Asked, answerTo } from "./http/answer.ts";
import { isAuthorized } from "./http/authorization.ts";
import type { ServiceReply, ServiceRequest } from "./http/exchange.ts";
import { Gate } from "./http/limits.ts";
import { PageCache } from "./http/page-cache.ts";
import { Refusal, refusalReply } from "./http/refusal.ts";
import { routeOf } from "./http/route.ts";
import { type Stats, Tally } from "./http/stats.ts";
import { defaultApiKey, exampleSurveys, type ServiceOptions } from "./options.ts";

/** An answer on its way: the socket may still have to break it, and counts as busy until it is out. */
export interface Answer {
  readonly reply: ServiceReply;
  readonly wire: WireFault | undefined;
  /** To be called once, when the last byte leaves or the client has gone. */
  release(): void;
}

/** The survey service without a socket. Deterministic for its options, its clock and the requests it gets. */
export interface Service {
  readonly apiKey: string;
  readonly basePath: string;
  readonly choices: Choices;
  readonly truth: Truth;
  readonly stats: Stats;
  /** Answers as a transport would: rejects with `NoWholeAnswer` where a client would get no whole answer. */
  handle(request: ServiceRequest, signal?: AbortSignal): Promise<ServiceReply>;
  /** For sockets: the answer and what is to go wrong with it on the wire. */
  answer(request: ServiceRequest, signal?: AbortSignal): Promise<Answer>;
  /** Adds responses, later than all others unless they say otherwise; returns their uuids. */
  collect(surveyId: string, responses: readonly GivenResponse[] | CollectedCount | number): string[];
  /** Takes data away; returns how many of the named things were there. */
  remove(removal: Removal): number;
  /** Gives a person other attributes. */
  describe(respondent: GivenRespondent): void;
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
  const choices: Choices = { ...standard, ...options.choices };
  const clock = options.clock ?? stillClock;
  const timeless = options.clock === undefined ? { perMinute: false as const } : {};
  const limits = options.limits === false ? false : { ...timeless, ...options.limits };
  const world = new World(
    seed,
    options.surveys ?? exampleSurveys(300, seed),
    options.respondents ?? [],
    choices.fraction,
  );
  const truth = truthOf(world, choices.fraction);
  const gate = new Gate(limits, choices.blockMs, choices.refusedCount);
  const faults = new FaultPlan();
  const events = new EventPlan();
  const cache = new PageCache(options.cachePages === true);
  let tally = new Tally();
  let subscription = options.subscription ?? true;
  let inFlight = 0;
  faults.add(options.faults ?? []);
  events.add(options.events ?? []);

  function admit(nowMs: number): void {
    const admission = gate.admit(nowMs, inFlight);
    if (admission.admitted) return;
    if (admission.tooMany === "concurrent") tally.tooManyConcurrent += 1;
    if (admission.tooMany === "perMinute") tally.tooManyPerMinute += 1;
    const waitMs = admission.againAtMs - nowMs;
    const headers: Record<string, string> = {};
    if (choices.retryAfter === "seconds")
      headers["retry-after"] = String(Math.max(1, Math.ceil(waitMs / 1_000)));
    if (choices.retryAfter === "date") {
      const atMs = Math.ceil((admission.againAtMs + 1) / 1_000) * 1_000;
      headers["retry-after"] = new Date(atMs).toUTCString();
    }
    throw new Refusal("tooManyRequests", "Too many requests. Wait before you send the next one.", headers);
  }

  function trueReply(
    request: ServiceRequest,
    asked: Asked | undefined,
    complain: (problem: string) => void,
  ): ServiceReply {
    if ((request.method ?? "GET") !== "GET") {
      complain(`The method ${request.method} is not GET.`);
      throw new Refusal("wrongMethod", "Only GET is answered here.");
    }
    if (!isAuthorized(request.headers.authorization, apiKey, complain)) {
      tally.unauthorized += 1;
      const missing = request.headers.authorization === undefined;
      throw new Refusal(missing ? "missingKey" : "wrongKey", "The API key is missing or not valid.");
    }
    if (!subscription) throw new Refusal("noSubscription", "The plan does not include API access.");
    if (asked === undefined) {
      complain("The path is not one of the interface.");
      throw new Refusal("unknownPath", "There is nothing here.");
    }
    const cached = cache.find(request.url, world.version);
    const found = cached ?? cache.keep(request.url, world.version, answerTo(asked, world, choices, complain));
    tally.items += found.items;
    return found.reply;
  }

  async function answer(request: ServiceRequest, signal?: AbortSignal): Promise<Answer> {
    const startedAtMs = clock.now();
    const counted = tally;
    const [path = "", query = ""] = splitOnce(request.url, "?");
    const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
    const route = below === undefined ? undefined : routeOf(below, choices);
    inFlight += 1;
    counted.started(path, startedAtMs, inFlight);
    if (route !== undefined) counted.routed(route.endpoint);
    let released = false;
    const release = (): void => {
      if (!released) inFlight -= 1;
      released = true;
    };
    let complained = false;
    const complain = (problem: string): void => {
      if (!complained) counted.complained(request.url, problem);
      complained = true;
    };
    const told = (reply: ServiceReply, wire: WireFault | undefined, fault: string | undefined): Answer => {
      const status = wire === undefined || wire.kind === "cut" ? reply.status : 0;
      counted.answered(status);
      options.onAnswer?.({ url: request.url, endpoint: route?.endpoint, status, fault, startedAtMs });
      for (const change of events.answered(route?.endpoint)) apply(world, change);
      return { reply, wire, release };
    };
    const refused = (thrown: unknown): ServiceReply => {
      if (!(thrown instanceof Refusal)) throw thrown;
      return refusalReply(thrown, choices);
    };

    try {
      try {
        admit(startedAtMs);
      } catch (thrown) {
        return told(refused(thrown), undefined, undefined);
      }
      const due = faults.next(route?.endpoint, request.url);
      if (due !== undefined) counted.faulted(due.name);
      const extraMs = due?.reply.kind === "delay" ? due.reply.ms : 0;
      const waitMs = (options.latencyMs ?? 0) + extraMs;
      if (waitMs > 0) await clock.sleep(waitMs, signal);
      else await undefined;
      let reply: ServiceReply;
      try {
        const asked = route && below !== undefined ? { route, path: below, query } : undefined;
        reply = trueReply(request, asked, complain);
      } catch (thrown) {
        reply = refused(thrown);
      }
      if (due === undefined) return told(reply, undefined, undefined);
      if (isWireFault(due.reply)) return told(reply, due.reply, due.name);
      const self = below === undefined ? request.url : request.url.slice(basePath.length);
      const error = (status: number): ServiceReply => ({
        ...refusalReply(new Refusal("tooManyRequests", "The service is not well.", {}), choices),
        status,
      });
      const spoiled = spoil(reply, due.reply, { self, url: request.url, nowMs: clock.now(), error });
      return told(spoiled, undefined, due.name);
    } catch (thrown) {
      release();
      throw thrown;
    }
  }

  return {
    apiKey,
    basePath,
    choices,
    truth,
    get stats() {
      return tally.read();
    },
    answer,
    handle: async (request, signal) => {
      const { reply, wire, release } = await answer(request, signal);
      try {
        return wire === undefined ? reply : await inProcess(reply, wire, clock, signal);
      } finally {
        release();
      }
    },
    collect: (surveyId, responses) =>
      world.collect(surveyId, typeof responses === "number" ? { count: responses } : responses),
    remove: (removal) => world.remove(removal),
    describe: (respondent) => world.describe(respondent),
    addFaults: (...added) => faults.add(added),
    clearFaults: () => faults.clear(),
    addEvents: (...added) => events.add(added),
    clearEvents: () => events.clear(),
    resetStats: () => {
      tally = new Tally();
    },
    setSubscription: (active) => {
      subscription = active;
    },
  };
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
