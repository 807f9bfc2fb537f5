import type { Pause, Service } from "../api/service.ts";
import { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import type { StreamName } from "../streams/index.ts";
import type { RespondentPage } from "../streams/stream.ts";
import { createArrivals } from "./arrivals.ts";
import { liesIn, unionOfGaps } from "./coverage.ts";
import { discoverRespondents } from "./discovery.ts";
import { type ItemPage, readItemPage } from "./item.ts";
import type { Moment } from "./moment.ts";
import { createRespondentSchedule, type RespondentTask } from "./respondent-schedule.ts";
import { createStreamReading, readsRespondents, type StreamReading } from "./stream-reading.ts";
import { type Delivered, NOTHING_DELIVERED, type StreamState } from "./stream-state.ts";
import { createSurveyReading, type SurveyPart } from "./survey-reading.ts";
import { createSurveySchedule } from "./survey-schedule.ts";

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

/** What came back to the loop: an answer, or word that there will be none for a while. */
type Arrival =
  | { readonly part: SurveyPart; readonly page: ItemPage }
  | { readonly part: SurveyPart; readonly thrown: unknown }
  | { readonly task: RespondentTask; readonly page: RespondentPage }
  | { readonly task: RespondentTask; readonly thrown: unknown }
  | { readonly pause: Pause | undefined };

/** How long nothing may be told before a "waiting" is. */
const QUIET_MS = 60_000;
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
  const { surveyIds, respondentUuids, startDate, endDate, inOrder = false, itemsPerPage = 100 } = options;
  if (options.signal?.aborted) throw options.signal.reason;
  const abort = new AbortController();
  const onAbort = (): void => abort.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", onAbort, { once: true });

  const readings = [...options.streams].map(([name, delivered = NOTHING_DELIVERED]) =>
    createStreamReading(name, {
      ...{ delivered, surveyIds, respondentUuids, startDate, endDate },
      lookbackMs: options.lookbackMs ?? 0,
    }),
  );
  const surveys = createSurveySchedule(
    surveyIds.map((id) => {
      const gaps = readings.flatMap(({ delivery }) => delivery.gapsOfSurvey(id));
      return createSurveyReading({
        id,
        gaps: unionOfGaps(gaps),
        edges: new Set(gaps.flatMap(({ newer }) => newer ?? [])),
        itemsPerPage,
        attributes: options.attributes ?? [],
      });
    }),
    itemsPerPage,
  );
  const respondents = createRespondentSchedule(readings.filter(readsRespondents), clock);
  const configured = new Set(respondentUuids);

  const arrivals = createArrivals<Arrival>();
  const events: ReadEvent[] = [];
  const unknown = new Set<string>();
  let inFlight = 0;
  let oddities = 0;
  let gone = 0;
  let failuresInARow = 0;
  let fatal: SurveyExportError | undefined;

  const fail = (reading: StreamReading, error: SurveyExportError): void => {
    reading.failed = true;
    events.push({ type: "failure", stream: reading.name, error });
  };
  const endsTheRun = (error: SurveyExportError): boolean => {
    // A key or plan that is refused, and a pause that was waited out in vain, are the same for every request.
    const refusesAll = ["unauthorized", "payment_required", "rate_limited"].includes(error.code);
    const staysDown = error.code === "unavailable" && error.status === 503;
    if (refusesAll || staysDown || (error.code !== "not_found" && ++failuresInARow >= FAILURES_IN_A_ROW))
      fatal ??= error;
    return fatal !== undefined;
  };
  /** What a service does oddly in one list it does in all: the first is told whole, the others are counted. */
  const warn = (oddity: string): void => {
    if (oddities++ === 0) log("warn", oddity);
  };
  const tell = (reading: StreamReading, records: readonly StreamRecord[]): void => {
    events.push({ type: "records", stream: reading.name, records, state: reading.delivery.state() });
  };

  // ── what to ask next ──────────────────────────────────────────────────────────────────────────────────

  const askPart = (part: SurveyPart): void => {
    const { walk } = part;
    inFlight++;
    service
      .get(walk.path!, (body) => readItemPage(body, walk.notAfter), abort.signal)
      .then(
        (page) => arrivals.push({ part, page }),
        (thrown: unknown) => arrivals.push({ part, thrown }),
      );
  };

  const askRespondent = (task: RespondentTask): void => {
    const { reading, errand } = task;
    try {
      errand.reading ??= reading.stream.open({
        ...{ uuid: errand.uuid, collectedAt: errand.collectedAt, itemsPerPage, startDate, endDate, unknown },
        gaps: configured.has(errand.uuid) ? reading.delivery.gapsOfRespondent(errand.uuid) : undefined,
        wasDelivered: ({ survey, moment }) =>
          survey !== undefined && reading.delivery.wasDelivered(String(survey.id), moment),
      });
    } catch (thrown) {
      // An id that no address can hold, from the service itself, is that person's failure alone.
      inFlight++;
      arrivals.push({ task, thrown });
      return;
    }
    const list = errand.reading;
    if (list.path === undefined) {
      respondentDelivered(task);
      return;
    }
    inFlight++;
    service
      .get(list.path, (body) => list.parse(body), abort.signal)
      .then(
        (page) => arrivals.push({ task, page }),
        (thrown: unknown) => arrivals.push({ task, thrown }),
      );
  };

  /** Fills the free slots: respondents found are read before more are discovered, so that few ever wait. */
  const fill = (): void => {
    const slots = inOrder ? 1 : service.maxConcurrentRequests;
    while (inFlight < slots && fatal === undefined) {
      const task = surveys.boundsOpen ? undefined : respondents.next();
      const part = task ? undefined : (surveys.next() ?? (inOrder ? undefined : surveys.split()));
      const isIdle = inFlight === 0 && arrivals.isEmpty;
      const last = !task && !part && isIdle ? respondents.nextAtEnd() : undefined;
      if (part) askPart(part);
      else if (task ?? last) askRespondent((task ?? last)!);
      else return;
    }
  };

  // ── what came ─────────────────────────────────────────────────────────────────────────────────────────

  const receivePart = (part: SurveyPart, page: ItemPage): void => {
    const { survey } = part;
    failuresInARow = 0;
    const received = surveys.receive(part, page);
    if (received === undefined) return;
    for (const reading of readings) {
      const gaps = reading.delivery.gapsOfSurvey(survey.id);
      const items = received.items.filter((item) => liesIn(gaps, item.moment));
      if (readsRespondents(reading)) {
        if (discoverRespondents(reading, part, items, received.claims)) tell(reading, []);
        continue;
      }
      for (const { spans } of received.claims) {
        for (const span of spans) reading.delivery.coverSurvey(survey.id, span, survey.newestSeen);
      }
      tell(
        reading,
        items.map((item) => reading.stream.record(item, survey.id, unknown)),
      );
    }
    if (received.warning) warn(received.warning);
    if (received.problem) for (const reading of readings) fail(reading, received.problem);
  };

  const surveyFailed = (part: SurveyPart, thrown: unknown): void => {
    const { survey, walk } = part;
    const error = SurveyExportError.from(thrown);
    if (!survey.isOpen(part)) return;
    if (error.code === "rejected" && walk.rejected()) {
      surveys.again(part);
      return;
    }
    surveys.giveUp(survey);
    if (endsTheRun(error)) return;
    const named = error.code === "not_found" ? surveyNotFound(survey.id) : error;
    for (const reading of readings) fail(reading, named);
  };

  const receiveRespondent = (task: RespondentTask, page: RespondentPage): void => {
    const { reading, errand } = task;
    failuresInARow = 0;
    const { records, claims, newestSeen, problem, warning } = page();
    for (const span of claims) reading.delivery.coverRespondent(errand.uuid, span, newestSeen);
    if (warning) warn(warning);
    if (problem) {
      errand.flawed = true;
      fail(reading, problem);
    }
    if (errand.reading!.path !== undefined) respondents.goOn(task);
    else if (errand.flawed) reading.queue.failed(errand);
    else respondentDelivered(task);
    tell(reading, records);
  };

  const respondentDelivered = ({ reading, errand }: RespondentTask): void => {
    for (const { surveyId, span } of reading.queue.done(errand)) {
      reading.delivery.coverSurvey(surveyId, span, surveys.newestSeen(surveyId));
    }
  };

  const respondentFailed = (task: RespondentTask, thrown: unknown): void => {
    const { reading, errand } = task;
    const error = SurveyExportError.from(thrown);
    if (error.code !== "not_found") {
      reading.queue.failed(errand);
      if (!endsTheRun(error)) fail(reading, error);
      return;
    }
    failuresInARow = 0;
    if (respondents.askLater(task)) return;
    gone++;
    log("debug", `Respondent "${errand.uuid}" is not there any more.`);
    respondentDelivered(task);
    tell(reading, []);
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
      if (clock.now() - toldMs >= QUIET_MS) arrivals.push({ pause: undefined });
    }
  };
  // Ends with the read, by the signal.
  watch().catch(() => {});
  const unsubscribe = service.onPause((pause) => arrivals.push({ pause }));

  try {
    for (const { name, delivery } of readings) yield { type: "start", stream: name, state: delivery.state() };
    for (;;) {
      fill();
      if (inFlight === 0 && arrivals.isEmpty) break;
      const arrival = await arrivals.next();
      if (options.signal?.aborted) throw options.signal.reason;
      receive(arrival);
      // The next requests are on their way while the caller works; a caller in order may want no more.
      if (!inOrder) fill();
      for (const event of events.splice(0)) {
        toldMs = clock.now();
        yield event;
      }
      if (fatal) break;
    }
    if (oddities > 1) log("warn", `${oddities - 1} more lists ended as the one above.`);
    if (unknown.size > 0) log("warn", unknownFields(unknown));
    if (gone > 0) {
      log(
        "warn",
        `${gone} respondents that gave responses are not there any more (asked twice). They were skipped.`,
      );
    }
    for (const reading of readings) {
      if (fatal) yield { type: "failure", stream: reading.name, error: fatal };
      const complete = !reading.failed && fatal === undefined;
      yield { type: "end", stream: reading.name, state: reading.delivery.state(), complete };
    }
  } finally {
    unsubscribe();
    options.signal?.removeEventListener("abort", onAbort);
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

function unknownFields(names: ReadonlySet<string>): string {
  return `The service sent fields that this version does not know: ${[...names].sort().join(", ")}. They are in the records as they came, but a destination keeps only the fields of the catalog. Look for a newer version of this source.`;
}
