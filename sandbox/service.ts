import { type Collected, Dataset, type Removal } from "./data/dataset.ts";
import { exampleSurveys } from "./data/example-surveys.ts";
import type { RespondentInput } from "./data/respondents.ts";
import type { SurveyOptions, SurveySettings } from "./data/survey.ts";
import { type Truth, truthOf } from "./data/truth.ts";
import type { Dialect } from "./dialects.ts";
import { applyFault, type FaultContext, firstHalf } from "./faults/apply.ts";
import { type FaultReply, isWireFault, type WireFault } from "./faults/kinds.ts";
import { type ActiveFault, type Fault, FaultPlan } from "./faults/plan.ts";
import { LimitEnforcer, type Limits, type Load } from "./http/limits.ts";
import { bodyOf } from "./http/page.ts";
import {
  BASE_PATH,
  errorReply,
  jsonReply,
  Refusal,
  type Route,
  readQuery,
  routeOf,
  type ServiceReply,
  type ServiceRequest,
} from "./http/request.ts";
import { increase, noStats, type Stats } from "./http/stats.ts";
import { type Clock, stillClock } from "./time.ts";

/** The options of a service. All are optional. */
export interface ServiceOptions {
  /** Surveys and respondents; default: small generated surveys. */
  readonly surveys?: readonly SurveyOptions[];
  readonly respondents?: readonly RespondentInput[];
  /** The same seed generates the same data. Default 1. */
  readonly seed?: number;
  readonly apiKey?: string;
  readonly dialect?: Dialect;
  /**
   * Default 5 at once and 1000 a minute, for requests of every kind. Without a `clock`, time stands still for a
   * service in process. It then has no limit per minute unless this option names one.
   */
  readonly limits?: Limits | false;
  /** How long each answer takes, in milliseconds of the clock; a refusal by a limit comes at once. */
  readonly latencyMs?: number;
  readonly faults?: readonly Fault[];
  readonly clock?: Clock;
  /** Keeps rendered pages until the data changes. For measuring clients. */
  readonly cachePages?: boolean;
  readonly onAnswer?: (answered: AnsweredRequest) => void;
}

/** A request that got its answer, or whose client left before that. */
export interface AnsweredRequest {
  /** Path and query below the origin. */
  readonly url: string;
  /** Status 0: a fault of the connection without a status, or no answer. */
  readonly status: number;
  /** The name or the kind of the fault that was applied. */
  readonly fault: string | undefined;
  readonly startedAtMs: number;
}

/** An answer that is not yet sent. Its request counts as in flight until `release` is called. */
export interface Answer {
  readonly reply: ServiceReply;
  /** The `Date` header. */
  readonly date: string;
  /** The fault of the connection with which to send it. */
  readonly wire: WireFault | undefined;
  readonly release: () => void;
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
  readonly release: () => void;
}

/** How long a caller in process waits for an answer that does not come. */
const SILENCE_MS = 30_000;

/** The survey service without a socket. The same options, clock and requests give the same answers. */
export class Service {
  readonly apiKey: string;
  readonly truth: Truth;
  readonly #options: ServiceOptions;
  readonly #clock: Clock;
  readonly #dialect: Dialect;
  readonly #dataset: Dataset;
  readonly #limits: LimitEnforcer;
  readonly #faults = new FaultPlan();
  /** Pages by URL, as of one version of the data. The same object each time, so that the sender can keep its bytes. */
  readonly #cache = new Map<string, { readonly reply: ServiceReply; readonly items: number }>();
  #cachedVersion = -1;
  #stats = noStats();

  /** Throws a sentence if the options make no sense. */
  constructor(options: ServiceOptions) {
    const { seed = 1, clock = stillClock, respondents = [] } = options;
    const surveys = options.surveys ?? exampleSurveys(300, seed);
    this.#options = options;
    this.#clock = clock;
    this.#dialect = options.dialect ?? "as_recorded";
    this.#dataset = new Dataset(surveys, respondents, seed, clock.now);
    this.truth = truthOf(this.#dataset);
    const timeless = options.clock === undefined ? { perMinute: false as const } : {};
    const limits =
      options.limits === false ? { concurrent: false as const, perMinute: false as const } : options.limits;
    this.#limits = new LimitEnforcer({ ...timeless, ...limits });
    this.addFaults(...(options.faults ?? []));
    this.apiKey = options.apiKey ?? "sandbox-key-4f1c";
  }

  get stats(): Stats {
    return structuredClone(this.#stats);
  }

  /** The limits, and how much of them is in use now. */
  get load(): Load {
    return this.#limits.load(this.#clock.now());
  }

  /** The faults that can still happen. */
  get activeFaults(): readonly ActiveFault[] {
    return this.#faults.active(this.#clock.now());
  }

  /** The surveys, with how many responses each has. */
  get surveys() {
    return this.#dataset
      .surveys()
      .map(({ record: { id, type, name, responses } }) => ({ id, type, name, count: responses }));
  }

  /** Adds a survey, created now unless it says when. Throws a sentence if there is one with its id. */
  addSurvey(options: SurveyOptions): void {
    this.#dataset.addSurvey(options);
  }

  /** Renames, disables or archives a survey. Throws a sentence if there is none with this id. */
  changeSurvey(id: string, change: Partial<SurveySettings>): void {
    this.#dataset.changeSurvey(id, change);
  }

  /** Adds responses and returns their UUIDs. Responses made up by count are newer than all others by default. */
  collect(surveyId: string, responses: Collected | number): string[] {
    return this.#dataset.collect(surveyId, typeof responses === "number" ? { count: responses } : responses);
  }

  /**
   * Shows so many more answers of each response that is still being given, by default all. Its UUID and timestamp stay.
   * Returns how many responses that are.
   */
  grow(answers = Infinity): number {
    return this.#dataset.grow(answers);
  }

  /** Removes data. Returns how many of the named things existed. */
  remove(removal: Removal): number {
    return this.#dataset.remove(removal);
  }

  /** Replaces a respondent's attributes. */
  describe(respondent: RespondentInput): void {
    this.#dataset.describe(respondent);
  }

  /** Throws a sentence, and adds none, if the name or the kind of a fault is unknown. */
  addFaults(...faults: readonly Fault[]): void {
    this.#faults.add(faults, this.#clock.now());
  }

  /** Removes the faults of this name, or all of them. */
  clearFaults(name?: string): void {
    this.#faults.clear(name);
  }

  resetStats(): void {
    this.#stats = noStats();
  }

  /**
   * Answers as a transport does that checks lengths, limits sizes and has a time limit: a fault of the connection
   * rejects. One resolves: a body that ends early without a sign of it.
   */
  async handle(request: ServiceRequest, signal?: AbortSignal): Promise<ServiceReply> {
    const { reply, date, wire, release } = await this.answer(request, signal);
    try {
      if (wire?.kind === "silence") await this.#clock.sleep(SILENCE_MS, signal);
      const isCutSilently = wire?.kind === "cut" && wire.announcedBy === "nothing";
      if (wire !== undefined && !isCutSilently) throw new Error(`The connection failed: ${wire.kind}.`);
      const body = isCutSilently ? firstHalf(reply.body) : reply.body;
      return { ...reply, headers: { ...reply.headers, date }, body };
    } finally {
      release();
    }
  }

  /**
   * For the server: counts a request, applies the limits, waits for the latency, answers, and applies a fault if one
   * is due. A limit refuses at once, and a refused request meets no fault. Rejects only if the signal aborts it.
   */
  async answer(request: ServiceRequest, signal?: AbortSignal): Promise<Answer> {
    const asked = this.#register(request);
    const { stats, startedAtMs } = asked;
    const waitSeconds = this.#limits.admit(startedAtMs, stats);
    if (waitSeconds !== undefined) {
      const message = "Too many requests. Wait before you send the next one.";
      return this.#finish(asked, errorReply(429, message, waitSeconds));
    }
    const due = this.#faults.next(asked.route?.endpoint, request.url, startedAtMs);
    if (due !== undefined) stats.faults += 1;
    const waitMs = (this.#options.latencyMs ?? 0) + (due?.reply.kind === "delay" ? due.reply.ms : 0);
    try {
      // An answer without latency is asynchronous too, so that requests sent at once overlap.
      await (waitMs > 0 ? this.#clock.sleep(waitMs, signal) : undefined);
      return this.#finish(asked, this.#trueReply(asked), due);
    } catch (thrown) {
      asked.release();
      this.#tell(asked, 0, due?.name);
      throw thrown;
    }
  }

  #register(request: ServiceRequest): Asked {
    const stats = this.#stats;
    const [whole = "", query = ""] = request.url.split(/\?(.*)/s);
    const path = whole.startsWith(`${BASE_PATH}/`) ? whole.slice(BASE_PATH.length) : "";
    const route = routeOf(path);
    let isReleased = false;
    const release = (): void => {
      if (!isReleased) this.#limits.inFlight -= 1;
      isReleased = true;
    };
    this.#limits.inFlight += 1;
    stats.requests += 1;
    stats.maxConcurrent = Math.max(stats.maxConcurrent, this.#limits.inFlight);
    increase(stats.byPath, whole);
    if (route !== undefined) increase(stats.byEndpoint, route.endpoint);
    return { request, path, query, route, startedAtMs: this.#clock.now(), stats, release };
  }

  /** The answer without a fault. A request that a careful client would not send counts as malformed, once. */
  #trueReply(asked: Asked): ServiceReply {
    const problems: string[] = [];
    try {
      const { reply, items } = this.#page(asked, (problem) => problems.push(problem));
      asked.stats.items += items;
      return reply;
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return errorReply(thrown.status, thrown.message);
    } finally {
      const [problem] = problems;
      if (problem !== undefined) {
        asked.stats.malformed += 1;
        asked.stats.malformedRequests.push({ url: asked.request.url, problem });
      }
    }
  }

  /** What a request asks for. Throws a `Refusal` if it gets nothing. */
  #page({ request, path, query, route }: Asked, report: (problem: string) => void) {
    const { method = "GET", headers } = request;
    if (method !== "GET") {
      report(`The method ${method} is not GET.`);
      throw new Refusal(405, "Only GET is answered here.");
    }
    if (headers.authorization !== `Basic ${this.apiKey}`) {
      if (!/^Basic \S+$/.test(String(headers.authorization))) report("The header is not Basic <API key>.");
      throw new Refusal(401, "The API key is missing or not valid.");
    }
    if (route === undefined) {
      report("The path is not in the API.");
      throw new Refusal(404, "There is nothing here.");
    }
    if (this.#cachedVersion !== this.#dataset.version) this.#cache.clear();
    this.#cachedVersion = this.#dataset.version;
    const known = this.#cache.get(request.url);
    if (known !== undefined) return known;
    const parsed = readQuery(query, route.endpoint, this.#dialect, report);
    const { body, items } = bodyOf({ route, path, query: parsed }, this.#dataset, this.#dialect);
    const made = { reply: jsonReply(200, body), items };
    if (this.#options.cachePages) this.#cache.set(request.url, made);
    return made;
  }

  #finish(
    asked: Asked,
    reply: ServiceReply,
    due?: { readonly name: string; readonly reply: FaultReply },
  ): Answer {
    const { release } = asked;
    const fault = due?.reply;
    const wire = fault !== undefined && isWireFault(fault) ? fault : undefined;
    const sent =
      fault === undefined || isWireFault(fault) ? reply : applyFault(reply, fault, this.#contextOf(asked));
    const status = wire === undefined || wire.kind === "cut" ? sent.status : 0;
    this.#tell(asked, status, due?.name);
    const offsetMs = fault?.kind === "date_header" ? fault.offsetMs : 0;
    return { reply: sent, date: new Date(this.#clock.now() + offsetMs).toUTCString(), wire, release };
  }

  #tell({ request: { url }, startedAtMs, stats }: Asked, status: number, fault?: string): void {
    increase(stats.byStatus, status);
    this.#options.onAnswer?.({ url, status, fault, startedAtMs });
  }

  #contextOf({ request: { url, headers }, route }: Asked): FaultContext {
    return {
      url,
      nowMs: this.#clock.now(),
      key: String(headers.authorization ?? "").replace(/^Basic /, ""),
      otherSurvey: this.surveys.find(({ id }) => id !== route?.id)?.id ?? "another",
    };
  }
}

/** Creates a service. Throws a sentence if the options make no sense. */
export const createService = (options: ServiceOptions = {}): Service => new Service(options);
