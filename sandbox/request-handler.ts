import type { Choices } from "./choices.ts";
import type { Dataset } from "./data/dataset.ts";
import { applyFault } from "./faults/apply.ts";
import { type FaultOf, isWireFault, type WireFault } from "./faults/kinds.ts";
import type { DueFault, FaultPlan } from "./faults/plan.ts";
import { apply, type EventPlan } from "./faults/plan.ts";
import type { PageCache } from "./http/answer.ts";
import { type Asked, answerTo } from "./http/answer.ts";
import type { LimitEnforcer, Load } from "./http/limits.ts";
import type { ServiceReply } from "./http/reply.ts";
import { errorReply, Refusal, refusalReply, tooManyRequests } from "./http/reply.ts";
import type { Endpoint, ServiceRequest } from "./http/request.ts";
import { isAuthorized, routeOf } from "./http/request.ts";
import { StatsCounter } from "./http/stats.ts";
import type { AnsweredRequest } from "./options.ts";
import type { Clock } from "./time.ts";

/** An answer that is not yet sent. Its request counts as in flight until `release` is called. */
export interface Answer {
  readonly reply: ServiceReply;
  /** The `date` header, or nothing. Kept apart from `reply`, which a cache may hand out again. */
  readonly dateHeader: Readonly<Record<string, string>>;
  /** The fault of the connection with which to send it. */
  readonly wire: WireFault | undefined;
  /** Call it when the last byte leaves or the client has disconnected. Further calls have no effect. */
  release(): void;
}

/** Everything that takes part in answering a request. */
export interface HandlerOptions {
  readonly dataset: Dataset;
  readonly choices: Choices;
  readonly clock: Clock;
  readonly limits: LimitEnforcer;
  readonly faults: FaultPlan;
  readonly events: EventPlan;
  readonly cache: PageCache;
  readonly apiKey: string;
  readonly basePath: string;
  readonly latencyMs: number;
  readonly serviceClockOffsetMs: number;
  readonly onAnswer: ((answered: AnsweredRequest) => void) | undefined;
}

/** One request, parsed, before it is answered. */
interface RequestContext {
  readonly request: ServiceRequest;
  readonly asked: Asked | undefined;
  readonly endpoint: Endpoint | undefined;
  readonly startedAtMs: number;
  /** The counts at the time of the request. It stays in them when they are reset meanwhile. */
  readonly counter: StatsCounter;
  readonly reportMalformed: (problem: string) => void;
  readonly release: () => void;
}

/**
 * Answers requests: counts them, applies the limits, waits for the latency, answers, and applies a fault if one
 * is due. A limit refuses at once. Only requests that the limits admit can meet a fault.
 */
export class RequestHandler {
  readonly #options: HandlerOptions;
  #inFlight = 0;
  counter = new StatsCounter();
  subscription: boolean;

  constructor(options: HandlerOptions, subscription: boolean) {
    this.#options = options;
    this.subscription = subscription;
  }

  /** The limits, and how much of them is in use now. */
  load(): Load {
    const { limits, clock } = this.#options;
    return limits.load(clock.now(), this.#inFlight);
  }

  /** The answer to one request. Rejects only if the signal aborts it. */
  async answer(request: ServiceRequest, signal?: AbortSignal): Promise<Answer> {
    const { limits, choices, clock, faults, latencyMs } = this.#options;
    const context = this.#register(request);
    const { startedAtMs, counter } = context;
    const admission = limits.admit(startedAtMs, this.#inFlight);
    if (!admission.admitted) {
      if (admission.exceeded === "concurrent") counter.tooManyConcurrent += 1;
      if (admission.exceeded === "perMinute") counter.tooManyPerMinute += 1;
      return this.#finish(context, tooManyRequests(admission, startedAtMs, choices));
    }
    const due = faults.next(context.endpoint, request.url, startedAtMs);
    if (due !== undefined) counter.faulted(due.name);
    const waitMs = latencyMs + (due?.reply.kind === "delay" ? due.reply.ms : 0);
    try {
      // An answer without latency is asynchronous too, so that requests sent at once overlap.
      await (waitMs > 0 ? clock.sleep(waitMs, signal) : undefined);
      const reply = this.#trueReply(context);
      return due === undefined ? this.#finish(context, reply) : this.#finishWithFault(context, reply, due);
    } catch (thrown) {
      context.release();
      throw thrown;
    }
  }

  #register(request: ServiceRequest): RequestContext {
    const { clock, basePath } = this.#options;
    const { counter } = this;
    const startedAtMs = clock.now();
    const [path, query] = splitOnce(request.url, "?");
    const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
    const route = below === undefined ? undefined : routeOf(below);
    const asked = below === undefined || route === undefined ? undefined : { route, path: below, query };
    let [reported, released] = [false, false];
    const reportMalformed = (problem: string): void => {
      if (!reported) counter.reported(request.url, problem);
      reported = true;
    };
    const release = (): void => {
      if (!released) this.#inFlight -= 1;
      released = true;
    };
    this.#inFlight += 1;
    counter.started(path, startedAtMs, this.#inFlight);
    if (route !== undefined) counter.routed(route.endpoint);
    return { request, asked, endpoint: route?.endpoint, startedAtMs, counter, reportMalformed, release };
  }

  #trueReply(context: RequestContext): ServiceReply {
    const { dataset, choices, cache, faults, basePath } = this.#options;
    const { url } = context.request;
    try {
      const asked = this.#understand(context);
      const found =
        cache.find(url, dataset.version) ??
        cache.keep(url, dataset.version, answerTo(asked, dataset, choices, context.reportMalformed));
      context.counter.items += found.items;
      if (found.link !== undefined) {
        faults.linked(`${basePath}${found.link.startsWith("/") ? "" : "/"}${found.link}`);
      }
      return found.reply;
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return refusalReply(thrown, choices);
    }
  }

  /** The parsed request, if it is allowed; throws a `Refusal` if not. */
  #understand({ request, asked, reportMalformed, counter }: RequestContext): Asked {
    const { method = "GET", headers } = request;
    if (method !== "GET") {
      reportMalformed(`The method ${method} is not GET.`);
      throw new Refusal("wrongMethod", "Only GET is answered here.");
    }
    if (!isAuthorized(headers.authorization, this.#options.apiKey, reportMalformed)) {
      counter.unauthorized += 1;
      const reason = headers.authorization === undefined ? "missingKey" : "wrongKey";
      throw new Refusal(reason, "The API key is missing or not valid.");
    }
    if (!this.subscription) throw new Refusal("noSubscription", "The plan does not include API access.");
    if (asked === undefined) {
      reportMalformed("The path is not in the API.");
      throw new Refusal("unknownPath", "There is nothing here.");
    }
    return asked;
  }

  #finishWithFault(context: RequestContext, reply: ServiceReply, { name, reply: fault }: DueFault): Answer {
    const { basePath, choices, clock, dataset } = this.#options;
    if (isWireFault(fault)) return this.#finish(context, reply, name, fault);
    const { url, headers } = context.request;
    const self = context.asked === undefined ? url : url.slice(basePath.length);
    const error = (status: number): ServiceReply => errorReply(status, "The service is not well.", choices);
    const asked =
      context.asked?.route.endpoint === "survey_responses" ? context.asked.route.survey : undefined;
    const otherSurvey = dataset.surveys().find(({ id }) => id !== asked)?.id ?? "another";
    const key = String(headers.authorization ?? "").replace(/^Basic /, "");
    const faulty = applyFault(reply, fault, { self, url, nowMs: clock.now(), key, otherSurvey, error });
    const answer = this.#finish(context, faulty, name);
    return fault.kind === "date_header" ? { ...answer, dateHeader: this.#dateHeader(fault) } : answer;
  }

  #finish(context: RequestContext, reply: ServiceReply, fault?: string, wire?: WireFault): Answer {
    const { events, dataset, onAnswer } = this.#options;
    const { request, endpoint, startedAtMs, release } = context;
    const status = isAnswered(wire) ? reply.status : 0;
    context.counter.answered(status);
    onAnswer?.({ url: request.url, endpoint, status, fault, startedAtMs });
    for (const change of events.answered(endpoint)) apply(dataset, change);
    return { reply, dateHeader: this.#dateHeader(), wire, release };
  }

  /** The present of the service's own clock in whole seconds, as an IMF-fixdate. */
  #dateHeader({
    offsetMs = 0,
    value,
  }: Partial<FaultOf<"date_header">> = {}): Readonly<Record<string, string>> {
    const { clock, choices, serviceClockOffsetMs } = this.#options;
    if (choices.dateHeader === "absent" || value === null) return {};
    return { date: value ?? new Date(clock.now() + serviceClockOffsetMs + offsetMs).toUTCString() };
  }
}

/** Whether a client gets a status, in process as over a socket. */
const isAnswered = (wire: WireFault | undefined): boolean => wire === undefined || wire.kind === "cut";

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
