import { Dataset } from "./data/dataset.ts";
import { exampleSurveys } from "./data/example-surveys.ts";
import type { RespondentInput } from "./data/respondents.ts";
import type { SurveyOptions } from "./data/survey.ts";
import { DIALECTS, type Dialect, type DialectName } from "./dialects.ts";
import { applyFault } from "./faults/apply.ts";
import { isWireFault, type WireFault } from "./faults/kinds.ts";
import { type DueFault, type Fault, FaultPlan } from "./faults/plan.ts";
import { LimitEnforcer, type Limits } from "./http/limits.ts";
import { type Page, pageOf } from "./http/page.ts";
import { errorReply, JSON_HEADERS, Refusal, type ServiceReply } from "./http/reply.ts";
import {
  BASE_PATH,
  type Endpoint,
  isAuthorized,
  type Route,
  readQuery,
  routeOf,
  type ServiceRequest,
} from "./http/request.ts";
import { increase, noStats, reportMalformed, type Stats } from "./http/stats.ts";
import { type Clock, stillClock } from "./time.ts";

/** An answer that is not yet sent. Its request counts as in flight until `release` is called. */
export interface Answer {
  readonly reply: ServiceReply;
  /** Kept apart from `reply`, which a cache may hand out again. */
  readonly date: string;
  /** The fault of the connection with which to send it. */
  readonly wire: WireFault | undefined;
  /** Call it when the last byte leaves or the client has disconnected. Further calls have no effect. */
  release(): void;
}

/** One request and its outcome, as `onAnswer` gets it when the answer is ready. */
export interface AnsweredRequest {
  readonly url: string;
  readonly endpoint: Endpoint | undefined;
  /** 0 if a fault of the connection left none. */
  readonly status: number;
  readonly fault: string | undefined;
  /** Milliseconds of the service's clock. */
  readonly startedAtMs: number;
}

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

/** One request, parsed, before it is answered. */
interface Asked {
  readonly request: ServiceRequest;
  /** Below the base URL, as it was written. */
  readonly path: string;
  readonly query: string;
  readonly route: Route | undefined;
  readonly startedAtMs: number;
  /** The counts at the time of the request. It stays in them when they are reset meanwhile. */
  readonly stats: Stats;
  readonly report: (problem: string) => void;
  readonly release: () => void;
}

/** A page as an answer, with its number of items. */
interface PageReply {
  readonly reply: ServiceReply;
  readonly items: number;
}

/**
 * Answers requests: counts them, applies the limits, waits for the latency, answers, and applies a fault if one
 * is due. A limit refuses at once. Only requests that the limits admit can meet a fault.
 */
export class RequestHandler {
  readonly dataset: Dataset;
  readonly clock: Clock;
  readonly limits: LimitEnforcer;
  readonly faults = new FaultPlan();
  readonly apiKey: string;
  readonly #dialect: Dialect;
  readonly #options: ServiceOptions;
  /** Pages by URL, as of one version of the data. The same object each time, so that the sender can keep its bytes. */
  readonly #cache = new Map<string, PageReply>();
  #cachedVersion = -1;
  #inFlight = 0;
  stats = noStats();
  hasSubscription: boolean;

  /** Throws a sentence if the options make no sense. */
  constructor(options: ServiceOptions) {
    const { seed = 1, clock = stillClock, personalData: hasPersonalData = false, respondents = [] } = options;
    const surveys = options.surveys ?? exampleSurveys(300, seed);
    const timeless = options.clock === undefined ? { perMinute: false as const } : {};
    this.#options = options;
    this.#dialect = DIALECTS[options.dialect ?? "as_documented"];
    this.clock = clock;
    this.dataset = new Dataset(surveys, respondents, { seed, hasPersonalData }, clock.now);
    this.limits = new LimitEnforcer(options.limits === false ? false : { ...timeless, ...options.limits });
    this.faults.add(options.faults ?? [], clock.now());
    this.apiKey = options.apiKey ?? "sandbox-key-4f1c";
    this.hasSubscription = options.subscription ?? true;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The answer to one request. Rejects only if the signal aborts it. */
  async answer(request: ServiceRequest, signal?: AbortSignal): Promise<Answer> {
    const { limits, clock, faults } = this;
    const { latencyMs = 0 } = this.#options;
    const asked = this.#register(request);
    const exceeded = limits.admit(asked.startedAtMs, this.#inFlight);
    if (exceeded !== undefined) {
      asked.stats[exceeded.limit === "concurrent" ? "tooManyConcurrent" : "tooManyPerMinute"] += 1;
      const message = "Too many requests. Wait before you send the next one.";
      return this.#finish(asked, errorReply(429, message, exceeded.waitSeconds));
    }
    const { startsInLastMinute } = limits.load(asked.startedAtMs, this.#inFlight);
    asked.stats.maxStartsPerMinute = Math.max(asked.stats.maxStartsPerMinute, startsInLastMinute);
    const due = faults.next(asked.route?.endpoint, request.url, asked.startedAtMs);
    if (due !== undefined) asked.stats.faults += 1;
    const waitMs = latencyMs + (due?.reply.kind === "delay" ? due.reply.ms : 0);
    try {
      // An answer without latency is asynchronous too, so that requests sent at once overlap.
      await (waitMs > 0 ? clock.sleep(waitMs, signal) : undefined);
      return this.#finish(asked, this.#trueReply(asked), due);
    } catch (thrown) {
      asked.release();
      throw thrown;
    }
  }

  #register(request: ServiceRequest): Asked {
    const { stats } = this;
    const startedAtMs = this.clock.now();
    const [whole = "", query = ""] = request.url.split(/\?(.*)/s);
    const path = whole.startsWith(`${BASE_PATH}/`) ? whole.slice(BASE_PATH.length) : "";
    const route = routeOf(path);
    let [isReported, isReleased] = [false, false];
    const report = (problem: string): void => {
      if (!isReported) reportMalformed(stats, request.url, problem);
      isReported = true;
    };
    const release = (): void => {
      if (!isReleased) this.#inFlight -= 1;
      isReleased = true;
    };
    this.#inFlight += 1;
    stats.requests += 1;
    stats.maxConcurrent = Math.max(stats.maxConcurrent, this.#inFlight);
    increase(stats.byPath, whole);
    if (route !== undefined) increase(stats.byEndpoint, route.endpoint);
    return { request, path, query, route, startedAtMs, stats, report, release };
  }

  #trueReply(asked: Asked): ServiceReply {
    try {
      const { reply, items } = this.#page(asked, this.#allowed(asked));
      asked.stats.items += items;
      return reply;
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return errorReply(thrown.status, thrown.message);
    }
  }

  /** The route of a request that is allowed; throws a `Refusal` if it is not. */
  #allowed({ request: { method = "GET", headers }, route, report }: Asked): Route {
    if (method !== "GET") {
      report(`The method ${method} is not GET.`);
      throw new Refusal(405, "Only GET is answered here.");
    }
    if (!isAuthorized(headers.authorization, this.apiKey, report)) {
      throw new Refusal(401, "The API key is missing or not valid.");
    }
    if (!this.hasSubscription) throw new Refusal(402, "The plan does not include API access.");
    if (route === undefined) {
      report("The path is not in the API.");
      throw new Refusal(404, "There is nothing here.");
    }
    return route;
  }

  #page({ path, query, report }: Asked, route: Route): PageReply {
    const { dataset } = this;
    if (this.#cachedVersion !== dataset.version) this.#cache.clear();
    this.#cachedVersion = dataset.version;
    const url = `${path}?${query}`;
    const known = this.#cache.get(url);
    if (known !== undefined) return known;
    const parsed = readQuery(query, route.endpoint, this.#dialect, report);
    const page: Page = pageOf({ route, path, query: parsed }, dataset, this.#dialect);
    const made = { reply: { status: 200, headers: JSON_HEADERS, body: page.body }, items: page.items };
    if (this.#options.cachePages) this.#cache.set(url, made);
    return made;
  }

  #finish(asked: Asked, reply: ServiceReply, due?: DueFault): Answer {
    const { serviceClockOffsetMs = 0, onAnswer } = this.#options;
    const fault = due?.reply;
    const wire = fault !== undefined && isWireFault(fault) ? fault : undefined;
    const sent =
      fault === undefined || isWireFault(fault) ? reply : applyFault(reply, fault, this.#contextOf(asked));
    const status = wire === undefined || wire.kind === "cut" ? sent.status : 0;
    const { request, route, startedAtMs, release } = asked;
    increase(asked.stats.byStatus, status);
    onAnswer?.({ url: request.url, endpoint: route?.endpoint, status, fault: due?.name, startedAtMs });
    const offsetMs = fault?.kind === "date_header" ? fault.offsetMs : 0;
    const date = new Date(this.clock.now() + serviceClockOffsetMs + offsetMs).toUTCString();
    return { reply: sent, date, wire, release };
  }

  #contextOf({ request: { url, headers }, path, query, route }: Asked) {
    return {
      self: path === "" ? url : `${path}${query === "" ? "" : `?${query}`}`,
      url,
      nowMs: this.clock.now(),
      key: String(headers.authorization ?? "").replace(/^Basic /, ""),
      otherSurvey: this.dataset.surveys().find(({ id }) => id !== route?.id)?.id ?? "another",
    };
  }
}
