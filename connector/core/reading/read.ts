import type { Pause, Service } from "../api/service.ts";
import { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import { STREAMS, type StreamName } from "../streams/index.ts";
import type { RespondentPage, RespondentStream, SurveyStream } from "../streams/stream.ts";
import { liesIn, unionOfGaps } from "./coverage.ts";
import { createDelivery, type Delivery } from "./delivery.ts";
import { type ItemPage, readItemPage, respondentOf } from "./item.ts";
import type { Moment } from "./moment.ts";
import { createRespondentQueue, type Errand, type RespondentQueue } from "./respondent-queue.ts";
import { chooseCut } from "./split.ts";
import { type Delivered, NOTHING_DELIVERED, type StreamState } from "./stream-state.ts";
import {
  createSurveyReading,
  type SurveyPage,
  type SurveyPart,
  type SurveyReading,
} from "./survey-reading.ts";

export interface ReadOptions {
  readonly surveyIds: readonly string[];
  readonly respondentUuids: readonly string[];
  /** The streams to read, each with what was delivered before (`parseStreamState`), or undefined for a first read. */
  readonly streams: ReadonlyMap<StreamName, Delivered | undefined>;
  /** Bounds of `collected_at`, both inclusive. */
  readonly startDate?: Moment | undefined;
  readonly endDate?: Moment | undefined;
  /** Names of the attributes to return with survey responses. */
  readonly attributes?: readonly string[];
  readonly lookbackMs?: number;
  /** 1 to 100. */
  readonly itemsPerPage?: number;
  /** Each survey strictly newest first, a page at a time and only when it is pulled, instead of several parts at once. */
  readonly inOrder?: boolean;
  readonly signal?: AbortSignal;
}

export type ReadEvent =
  /** The stream is about to be read; the state is the one it was given, less what the lookback re-opened. */
  | { readonly type: "start"; readonly stream: StreamName; readonly state: StreamState }
  /** Records, and the state that covers everything up to and including them. */
  | {
      readonly type: "records";
      readonly stream: StreamName;
      readonly records: readonly StreamRecord[];
      readonly state: StreamState;
    }
  /** Something of the stream could not be read; the rest goes on, and the stream will end incomplete. */
  | { readonly type: "failure"; readonly stream: StreamName; readonly error: SurveyExportError }
  /** Nothing else to tell for a while: the service asked for a pause, or is slow. */
  | { readonly type: "waiting"; readonly pause: Pause | undefined }
  /** The stream's last state. */
  | {
      readonly type: "end";
      readonly stream: StreamName;
      readonly state: StreamState;
      readonly complete: boolean;
    };

/** A stream's part in this sync. */
type Reading = SurveyStreamReading | RespondentStreamReading;
interface CommonReading {
  readonly name: StreamName;
  readonly delivery: Delivery;
  failed: boolean;
}
interface SurveyStreamReading extends CommonReading {
  readonly stream: SurveyStream;
}
interface RespondentStreamReading extends CommonReading {
  readonly stream: RespondentStream;
  readonly queue: RespondentQueue;
  /** Of each part, the respondents whom no claim has waited for yet, each with their oldest response's moment. */
  readonly tails: Map<SurveyPart, Map<string, Moment>>;
}

const isRespondentReading = (reading: Reading): reading is RespondentStreamReading =>
  reading.stream.reads === "respondents";

interface RespondentTask {
  readonly reading: RespondentStreamReading;
  readonly errand: Errand;
}

/** What came back to the loop: an answer, or word that there will be none for a while. */
type Arrival =
  | { readonly part: SurveyPart; readonly page: ItemPage }
  | { readonly part: SurveyPart; readonly thrown: unknown }
  | { readonly task: RespondentTask; readonly page: RespondentPage }
  | { readonly task: RespondentTask; readonly thrown: unknown }
  | { readonly pause: Pause | undefined };

/** How long nothing may be told before a "waiting" is. */
const QUIET_MS = 60_000;
/** A respondent that answered 404 is asked again this much later, or at the end of the sync. */
const ASK_AGAIN_MS = 60_000;
/** Failures in a row, with no good answer between them, that end the run: the service is down, or has changed. */
const FAILURES_IN_A_ROW = 10;

/**
 * Reads the streams: every response and every respondent that the streams' states do not cover, each once, and
 * after each page the state that covers what has been yielded (spec/sync.md).
 *
 * The caller pulls. What is in flight or waits to be pulled is bounded by the number of slots, so a slow caller
 * slows the requests. Leaving the loop early ends the requests.
 *
 * @throws SurveyExportError only for a defect; what the service does wrong comes as "failure" events. The
 * signal's reason when that is aborted
 */
export async function* read(service: Service, options: ReadOptions): AsyncGenerator<ReadEvent, void> {
  const { clock, log } = service.host;
  const itemsPerPage = options.itemsPerPage ?? 100;
  const { startDate, endDate } = options;
  const unknown = new Set<string>();
  const abort = new AbortController();
  const stopped = (): void => abort.abort(options.signal?.reason);
  if (options.signal?.aborted) throw options.signal.reason;
  options.signal?.addEventListener("abort", stopped, { once: true });

  const readings: Reading[] = [...options.streams].map(([name, delivered]) => {
    const stream = STREAMS[name];
    const delivery = createDelivery({
      delivered: delivered ?? NOTHING_DELIVERED,
      surveyIds: options.surveyIds,
      respondentUuids: options.respondentUuids,
      startDate,
      endDate,
      lookbackMs: options.lookbackMs ?? 0,
      dependsOnStartDate: stream.reads === "respondents" && stream.dependsOnStartDate,
    });
    return stream.reads === "surveys"
      ? { name, stream, delivery, failed: false }
      : { name, stream, delivery, failed: false, queue: createRespondentQueue(), tails: new Map() };
  });
  const respondentReadings = readings.filter(isRespondentReading);

  const surveys: SurveyReading[] = options.surveyIds.map((id) =>
    createSurveyReading({
      id,
      gaps: unionOfGaps(readings.flatMap(({ delivery }) => delivery.gapsOfSurvey(id))),
      itemsPerPage,
      attributes: options.attributes ?? [],
    }),
  );
  const surveyOf = new Map(surveys.map((survey) => [survey.id, survey]));
  const configured = new Set(options.respondentUuids);
  const active = new Set(surveys.filter(({ parts }) => parts.length > 0));
  /** Parts with something to ask, in turn; those that fix a survey's newest bound come first. */
  const ready: SurveyPart[] = [...active].flatMap(({ parts }) => parts.slice(0, 1));
  ready.push(...[...active].flatMap(({ parts }) => parts.slice(1)));
  let boundsOpen = [...active].filter(({ boundOpen }) => boundOpen).length;

  const respondentsReady: RespondentTask[] = [];
  let missing: RespondentTask[] = [];
  let gone = 0;
  for (const reading of respondentReadings) {
    for (const uuid of options.respondentUuids) reading.queue.add(uuid);
  }

  const arrivals: Arrival[] = [];
  let inFlight = 0;
  let wake: (() => void) | undefined;
  const arrive = (arrival: Arrival): void => {
    arrivals.push(arrival);
    wake?.();
  };
  let failuresInARow = 0;
  let fatal: SurveyExportError | undefined;
  const events: ReadEvent[] = [];

  const fail = (reading: Reading, error: SurveyExportError): void => {
    reading.failed = true;
    events.push({ type: "failure", stream: reading.name, error });
  };
  const endsTheRun = (error: SurveyExportError): boolean => {
    const refusesAll = error.code === "unauthorized" || error.code === "payment_required";
    if (refusesAll || (error.code !== "not_found" && ++failuresInARow >= FAILURES_IN_A_ROW)) fatal ??= error;
    return fatal !== undefined;
  };

  // ── what to ask next ──────────────────────────────────────────────────────────────────────────────────

  const nextRespondent = (): RespondentTask | undefined => {
    const again = respondentsReady.shift();
    if (again) return again;
    const longest = respondentReadings.reduce<RespondentStreamReading | undefined>(
      (most, reading) => (reading.queue.waiting > (most?.queue.waiting ?? 0) ? reading : most),
      undefined,
    );
    const errand = longest?.queue.next();
    if (longest && errand) return { reading: longest, errand };
    const due = missing[0];
    if (due && clock.now() - due.errand.missingSinceMs! >= ASK_AGAIN_MS) return missing.shift();
    return undefined;
  };

  const nextPart = (): SurveyPart | undefined => {
    for (;;) {
      const part = ready.shift();
      if (part === undefined || part.survey.isOpen(part)) return part;
    }
  };

  const splitPart = (): SurveyPart | undefined => {
    if (options.inOrder) return undefined;
    const cut = chooseCut(
      [...active].flatMap(({ parts }) => parts),
      itemsPerPage,
    );
    return cut?.part.survey.split(cut);
  };

  const askPart = (part: SurveyPart): void => {
    inFlight++;
    const { walk } = part;
    service
      .get(walk.path!, (body) => readItemPage(body, walk.notAfter), abort.signal)
      .then(
        (page) => arrive({ part, page }),
        (thrown: unknown) => arrive({ part, thrown }),
      );
  };

  const askRespondent = (task: RespondentTask): void => {
    const { reading, errand } = task;
    errand.reading ??= reading.stream.open({
      uuid: errand.uuid,
      collectedAt: errand.collectedAt,
      itemsPerPage,
      startDate,
      endDate,
      gaps: configured.has(errand.uuid) ? reading.delivery.gapsOfRespondent(errand.uuid) : undefined,
      wasDelivered: (item) =>
        item.survey !== undefined && reading.delivery.wasDelivered(String(item.survey.id), item.moment),
      unknown,
    });
    const list = errand.reading;
    if (list.path === undefined) {
      finishErrand(task, true);
      return;
    }
    inFlight++;
    service
      .get(list.path, (body) => list.parse(body), abort.signal)
      .then(
        (page) => arrive({ task, page }),
        (thrown: unknown) => arrive({ task, thrown }),
      );
  };

  /** Fills the free slots: respondents found are read before more are discovered, so that few ever wait. */
  const fill = (): void => {
    while (inFlight < service.maxConcurrentRequests && fatal === undefined) {
      const mayReadRespondents = boundsOpen === 0;
      const task = mayReadRespondents ? nextRespondent() : undefined;
      if (task) {
        askRespondent(task);
        continue;
      }
      const part = nextPart() ?? splitPart();
      if (part) {
        askPart(part);
        continue;
      }
      if (inFlight > 0 || arrivals.length > 0 || missing.length === 0) return;
      respondentsReady.push(...missing);
      missing = [];
    }
  };

  // ── what came ─────────────────────────────────────────────────────────────────────────────────────────

  const deliverPart = (part: SurveyPart, page: SurveyPage): void => {
    const { survey } = part;
    for (const reading of readings) {
      const gaps = reading.delivery.gapsOfSurvey(survey.id);
      const items = page.items.filter((item) => liesIn(gaps, item.moment));
      if (isRespondentReading(reading)) {
        discoverRespondents(reading, part, items, page);
        continue;
      }
      for (const { spans } of page.claims) {
        for (const span of spans) reading.delivery.coverSurvey(survey.id, span, survey.newestSeen);
      }
      const records = items.map((item) => reading.stream.record(item, survey.id, unknown));
      events.push({ type: "records", stream: reading.name, records, state: reading.delivery.state() });
    }
  };

  const discoverRespondents = (
    reading: RespondentStreamReading,
    part: SurveyPart,
    items: SurveyPage["items"],
    page: SurveyPage,
  ): void => {
    const { survey } = part;
    const found = new Map<string, string>();
    for (const item of items) {
      const uuid = respondentOf(item);
      if (uuid !== undefined && !found.has(uuid)) found.set(uuid, String(item.response.collected_at));
    }
    const unread = reading.queue.discover(found);
    let covered = false;
    for (const claim of page.claims) {
      const tail = reading.tails.get(claim.part) ?? new Map<string, Moment>();
      reading.tails.set(claim.part, tail);
      if (claim.part === part) {
        for (const item of items) {
          const uuid = respondentOf(item);
          if (uuid !== undefined && unread.has(uuid)) tail.set(uuid, item.moment);
        }
      }
      for (const span of claim.spans) {
        if (reading.queue.await(tail.keys(), { surveyId: survey.id, span })) {
          reading.delivery.coverSurvey(survey.id, span, survey.newestSeen);
          covered = true;
        }
        for (const [uuid, moment] of tail) if (span[0] === null || moment >= span[0]) tail.delete(uuid);
      }
    }
    if (covered) {
      events.push({ type: "records", stream: reading.name, records: [], state: reading.delivery.state() });
    }
  };

  const receivePart = (part: SurveyPart, page: ItemPage): void => {
    const { survey } = part;
    failuresInARow = 0;
    if (!survey.isOpen(part)) return;
    const wasOpen = survey.boundOpen;
    const received = survey.receive(part, page);
    if (wasOpen && !survey.boundOpen) boundsOpen--;
    if (part.walk.path !== undefined) ready.push(part);
    else if (survey.parts.length === 0) active.delete(survey);
    deliverPart(part, received);
    if (received.warning) log("warn", received.warning);
    if (received.problem) for (const reading of readings) fail(reading, received.problem);
  };

  const surveyFailed = (part: SurveyPart, thrown: unknown): void => {
    const { survey } = part;
    const error = SurveyExportError.from(thrown);
    if (!survey.isOpen(part)) return;
    if (error.code === "rejected" && part.walk.rejected()) {
      ready.unshift(part);
      return;
    }
    if (survey.boundOpen) boundsOpen--;
    survey.stop();
    active.delete(survey);
    if (endsTheRun(error)) return;
    const named = error.code === "not_found" ? surveyNotFound(survey.id) : error;
    for (const reading of readings) fail(reading, named);
  };

  const receiveRespondent = (task: RespondentTask, page: RespondentPage): void => {
    const { reading, errand } = task;
    failuresInARow = 0;
    const { records, claims, newestSeen, problem, warning } = page();
    for (const span of claims) reading.delivery.coverRespondent(errand.uuid, span, newestSeen);
    if (warning) log("warn", warning);
    if (problem) {
      errand.flawed = true;
      fail(reading, problem);
    }
    if (errand.reading!.path !== undefined) respondentsReady.push(task);
    else finishErrand(task, !errand.flawed);
    events.push({ type: "records", stream: reading.name, records, state: reading.delivery.state() });
  };

  const finishErrand = ({ reading, errand }: RespondentTask, delivered: boolean): void => {
    if (!delivered) {
      reading.queue.failed(errand);
      return;
    }
    for (const { surveyId, span } of reading.queue.done(errand)) {
      reading.delivery.coverSurvey(surveyId, span, surveyOf.get(surveyId)?.newestSeen);
    }
  };

  const respondentFailed = (task: RespondentTask, thrown: unknown): void => {
    const { reading, errand } = task;
    const error = SurveyExportError.from(thrown);
    if (error.code === "not_found") {
      failuresInARow = 0;
      if (errand.missingSinceMs === undefined) {
        errand.missingSinceMs = clock.now();
        missing.push(task);
        return;
      }
      gone++;
      log("debug", `Respondent "${errand.uuid}" is not there any more.`);
      finishErrand(task, true);
      events.push({ type: "records", stream: reading.name, records: [], state: reading.delivery.state() });
      return;
    }
    finishErrand(task, false);
    if (!endsTheRun(error)) fail(reading, error);
  };

  const receive = (arrival: Arrival): void => {
    if ("pause" in arrival) {
      events.push({ type: "waiting", pause: arrival.pause });
      return;
    }
    inFlight--;
    if ("part" in arrival) {
      if ("page" in arrival) receivePart(arrival.part, arrival.page);
      else surveyFailed(arrival.part, arrival.thrown);
    } else if ("page" in arrival) receiveRespondent(arrival.task, arrival.page);
    else respondentFailed(arrival.task, arrival.thrown);
  };

  // ── the loop ──────────────────────────────────────────────────────────────────────────────────────────

  let toldMs = clock.now();
  const watch = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(QUIET_MS, abort.signal);
      if (clock.now() - toldMs >= QUIET_MS) arrive({ pause: undefined });
    }
  };
  watch().catch(() => {});
  const unsubscribe = service.onPause((pause) => arrive({ pause }));

  try {
    for (const { name, delivery } of readings) yield { type: "start", stream: name, state: delivery.state() };
    for (;;) {
      fill();
      if (inFlight === 0 && arrivals.length === 0) break;
      if (arrivals.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
      if (options.signal?.aborted) throw options.signal.reason;
      receive(arrivals.shift()!);
      // The next requests are on their way while the caller works; a caller in order may want no more.
      if (!options.inOrder) fill();
      for (const event of events.splice(0)) {
        toldMs = clock.now();
        yield event;
      }
      if (fatal) break;
    }
    if (unknown.size > 0) {
      log(
        "warn",
        `The service sent fields that this version does not know: ${[...unknown].sort().join(", ")}. They are in the records as they came, but a destination keeps only the fields of the catalog. Look for a newer version of this source.`,
      );
    }
    if (gone > 0) {
      log(
        "warn",
        `${gone} respondents that gave responses are not there any more (asked twice). They were skipped.`,
      );
    }
    for (const reading of readings) {
      if (fatal) yield { type: "failure", stream: reading.name, error: fatal };
      yield {
        type: "end",
        stream: reading.name,
        state: reading.delivery.state(),
        complete: !reading.failed && fatal === undefined,
      };
    }
  } finally {
    unsubscribe();
    options.signal?.removeEventListener("abort", stopped);
    abort.abort();
  }
}

function surveyNotFound(id: string): SurveyExportError {
  return new SurveyExportError(
    "config",
    "not_found",
    `Survey "${id}" is not there (status 404). Remove it from survey_ids or correct the id; the other surveys were read.`,
  );
}
