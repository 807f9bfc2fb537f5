import type { Choices } from "./choices.ts";
import type { Clock } from "./clock.ts";
import type { World } from "./data/world.ts";
import { apply, type EventPlan } from "./faults/event.ts";
import type { DueFault, FaultPlan } from "./faults/fault.ts";
import { type DateHeaderFault, isWireFault, type WireFault } from "./faults/reply.ts";
import { spoil } from "./faults/spoil.ts";
import { type Asked, answerTo } from "./http/answer.ts";
import { isAuthorized } from "./http/authorization.ts";
import type { Endpoint, ServiceReply, ServiceRequest } from "./http/exchange.ts";
import type { Gate } from "./http/limits.ts";
import type { PageCache } from "./http/page-cache.ts";
import { errorReply, Refusal, refusalReply } from "./http/refusal.ts";
import { routeOf } from "./http/route.ts";
import { Tally } from "./http/stats.ts";
import { tooMany } from "./http/too-many.ts";
import type { AnsweredRequest } from "./options.ts";

/** An answer on its way: the socket may still have to break it, and it counts as unanswered until it is out. */
export interface Answer {
  readonly reply: ServiceReply;
  /** The `date` header, or nothing. Kept apart from `reply`, which a cache may hand out again. */
  readonly dateHeader: Readonly<Record<string, string>>;
  readonly wire: WireFault | undefined;
  /** To be called when the last byte leaves or the client has gone; calling it again does nothing. */
  release(): void;
}

/** All that a request passes on its way to an answer. */
export interface House {
  readonly world: World;
  readonly choices: Choices;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly faults: FaultPlan;
  readonly events: EventPlan;
  readonly cache: PageCache;
  readonly apiKey: string;
  readonly basePath: string;
  readonly latencyMs: number;
  readonly serviceClockOffsetMs: number;
  readonly onAnswer: ((answered: AnsweredRequest) => void) | undefined;
}

/** One request, as far as it is understood before anything is decided. */
interface Visit {
  readonly request: ServiceRequest;
  readonly asked: Asked | undefined;
  readonly endpoint: Endpoint | undefined;
  readonly startedAtMs: number;
  /** The counts of the moment it came: it stays in them when they are reset meanwhile. */
  readonly tally: Tally;
  readonly complain: (problem: string) => void;
  readonly release: () => void;
}

/**
 * Takes requests in and sees them answered: counted, held against the limits, delayed, answered truly,
 * spoiled if a fault is due. A limit refuses at once; a fault is due only for what the limits let in.
 */
export class Reception {
  readonly #house: House;
  #inFlight = 0;
  tally = new Tally();
  subscription: boolean;

  constructor(house: House, subscription: boolean) {
    this.#house = house;
    this.subscription = subscription;
  }

  /** The answer to one request. Rejects only when the signal ends the wait for it. */
  async answer(request: ServiceRequest, signal?: AbortSignal): Promise<Answer> {
    const { gate, choices, clock, faults, latencyMs } = this.#house;
    const visit = this.#receive(request);
    const { startedAtMs, tally } = visit;
    const admission = gate.admit(startedAtMs, this.#inFlight);
    if (!admission.admitted) {
      if (admission.tooMany === "concurrent") tally.tooManyConcurrent += 1;
      if (admission.tooMany === "perMinute") tally.tooManyPerMinute += 1;
      return this.#tell(visit, refusalReply(tooMany(admission, startedAtMs, choices), choices));
    }
    const due = faults.next(visit.endpoint, request.url, startedAtMs);
    if (due !== undefined) tally.faulted(due.name);
    const waitMs = latencyMs + (due?.reply.kind === "delay" ? due.reply.ms : 0);
    try {
      // Even an answer that takes no time comes later than the question, so that those asked at once meet.
      await (waitMs > 0 ? clock.sleep(waitMs, signal) : undefined);
      const reply = this.#trueReply(visit);
      return due === undefined ? this.#tell(visit, reply) : this.#tellSpoiled(visit, reply, due);
    } catch (thrown) {
      visit.release();
      throw thrown;
    }
  }

  #receive(request: ServiceRequest): Visit {
    const { clock, basePath, choices } = this.#house;
    const { tally } = this;
    const startedAtMs = clock.now();
    const [path, query] = splitOnce(request.url, "?");
    const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
    const route = below === undefined ? undefined : routeOf(below, choices);
    const asked = below === undefined || route === undefined ? undefined : { route, path: below, query };
    let [complained, released] = [false, false];
    const complain = (problem: string): void => {
      if (!complained) tally.complained(request.url, problem);
      complained = true;
    };
    const release = (): void => {
      if (!released) this.#inFlight -= 1;
      released = true;
    };
    this.#inFlight += 1;
    tally.started(path, startedAtMs, this.#inFlight);
    if (route !== undefined) tally.routed(route.endpoint);
    return { request, asked, endpoint: route?.endpoint, startedAtMs, tally, complain, release };
  }

  #trueReply(visit: Visit): ServiceReply {
    const { world, choices, cache, faults, basePath } = this.#house;
    const { url } = visit.request;
    try {
      const asked = this.#understand(visit);
      const found =
        cache.find(url, world.version) ??
        cache.keep(url, world.version, answerTo(asked, world, choices, visit.complain));
      visit.tally.items += found.items;
      if (found.link !== undefined) {
        faults.linked(`${basePath}${found.link.startsWith("/") ? "" : "/"}${found.link}`);
      }
      return found.reply;
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return refusalReply(thrown, choices);
    }
  }

  /** What is asked for, by somebody who may ask. */
  #understand({ request, asked, complain, tally }: Visit): Asked {
    const { method = "GET", headers } = request;
    if (method !== "GET") {
      complain(`The method ${method} is not GET.`);
      throw new Refusal("wrongMethod", "Only GET is answered here.");
    }
    if (!isAuthorized(headers.authorization, this.#house.apiKey, complain)) {
      tally.unauthorized += 1;
      const reason = headers.authorization === undefined ? "missingKey" : "wrongKey";
      throw new Refusal(reason, "The API key is missing or not valid.");
    }
    if (!this.subscription) throw new Refusal("noSubscription", "The plan does not include API access.");
    if (asked === undefined) {
      complain("The path is not one of the interface.");
      throw new Refusal("unknownPath", "There is nothing here.");
    }
    return asked;
  }

  #tellSpoiled(visit: Visit, reply: ServiceReply, { name, reply: fault }: DueFault): Answer {
    const { basePath, choices, clock, world } = this.#house;
    if (isWireFault(fault)) return this.#tell(visit, reply, name, fault);
    const { url, headers } = visit.request;
    const self = visit.asked === undefined ? url : url.slice(basePath.length);
    const error = (status: number): ServiceReply => errorReply(status, "The service is not well.", choices);
    const asked = visit.asked?.route.endpoint === "survey_responses" ? visit.asked.route.survey : undefined;
    const otherSurvey = world.surveys().find(({ id }) => id !== asked)?.id ?? "another";
    const key = String(headers.authorization ?? "").replace(/^Basic /, "");
    const spoiled = spoil(reply, fault, { self, url, nowMs: clock.now(), key, otherSurvey, error });
    const answer = this.#tell(visit, spoiled, name);
    return fault.kind === "date_header" ? { ...answer, dateHeader: this.#dateHeader(fault) } : answer;
  }

  #tell(visit: Visit, reply: ServiceReply, fault?: string, wire?: WireFault): Answer {
    const { events, world, onAnswer } = this.#house;
    const { request, endpoint, startedAtMs, release } = visit;
    const status = wire === undefined || wire.kind === "cut" ? reply.status : 0;
    visit.tally.answered(status);
    onAnswer?.({ url: request.url, endpoint, status, fault, startedAtMs });
    for (const change of events.answered(endpoint)) apply(world, change);
    return { reply, dateHeader: this.#dateHeader(), wire, release };
  }

  /** The present of the service's own clock in whole seconds, as an IMF-fixdate. */
  #dateHeader({ offsetMs = 0, value }: Partial<DateHeaderFault> = {}): Readonly<Record<string, string>> {
    const { clock, choices, serviceClockOffsetMs } = this.#house;
    if (choices.dateHeader === "absent" || value === null) return {};
    return { date: value ?? new Date(clock.now() + serviceClockOffsetMs + offsetMs).toUTCString() };
  }
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
