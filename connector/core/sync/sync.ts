import type { Client } from "../client/client.ts";
import { EMPTY_STATE } from "../coverage/stream-state.ts";
import { latest, timestampOfMs } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import { surveysPath } from "../lists/endpoints.ts";
import { ALL_EXCLUDED, NO_SURVEYS } from "../lists/list-errors.ts";
import { parsePage } from "../lists/page.ts";
import { fieldsFrom } from "../streams/column.ts";
import { Channel, type SyncEvent } from "./channel.ts";
import { chooseSurveys } from "./choose-surveys.ts";
import { ListFailures } from "./list-failures.ts";
import { type Readers, type ReadingTools, readersOf } from "./readers.ts";
import { ATTEMPTS_OF_A_TRY, Requests } from "./requests.ts";
import { ENDED, StreamInSync } from "./stream-in-sync.ts";
import { SurveyDirectory } from "./survey-directory.ts";
import { SurveyPages } from "./survey-pages.ts";
import { type SyncOptions, type SyncProgress, settingsOf } from "./sync-options.ts";
import { Warnings } from "./warnings.ts";
import type { ReportMissing } from "./whole-streams.ts";

/** One call of `readStreams`: which surveys it reads, in which order its parts are read, and how it ends. */
class Sync implements SyncProgress {
  readonly streams: readonly StreamInSync[];
  readonly channel: Channel;
  readonly #tools: ReadingTools;
  readonly #readers: Readers;
  /** Undefined until it is known which surveys are read. */
  #pages: SurveyPages | undefined;
  /** For each stream that says what the surveys are, once it was read: reports what was not found. */
  readonly #missingReports = new Map<StreamInSync, ReportMissing>();
  #areRespondentsRead = false;

  constructor(client: Client, options: SyncOptions) {
    const settings = settingsOf(options);
    const { log, clock } = client.host;
    const warnings = new Warnings(log, settings.treatment.fingerprint !== undefined);
    const channel = new Channel(clock);
    const failures = new ListFailures(client, () => {
      channel.isOver = true;
      this.stop();
    });
    const requests = new Requests(client, failures);
    const { listed = new Map(), isEverySurvey } = settings;
    const surveyIds = isEverySurvey ? [] : settings.surveyIds;
    const ofSurveys = [...options.streams.keys()].find(({ reads }) => reads === "surveys");
    const fields = ofSurveys && fieldsFrom("survey", ofSurveys.columns);
    const directory = new SurveyDirectory({ requests, clock, warnings, surveyIds, listed, fields });
    const began = timestampOfMs(clock.now());
    this.channel = channel;
    this.streams = [...options.streams].map(
      ([definition, state = EMPTY_STATE]) => new StreamInSync(definition, state, settings, warnings, channel),
    );
    this.#tools = { client, requests, failures, warnings, settings, directory, began };
    this.#readers = readersOf(this.streams, this.#tools);
    const stopPauses = client.onPause((pause) => void channel.put({ type: "waiting", pause }));
    requests.signal.addEventListener("abort", stopPauses, { once: true });
  }

  get surveys(): SyncProgress["surveys"] {
    return this.#pages && { all: this.#pages.surveyIds.length, remaining: this.#pages.remaining };
  }

  get responses(): SyncProgress["responses"] {
    return this.#pages?.responses;
  }

  get respondents(): SyncProgress["respondents"] {
    return this.#readers.respondents.map(({ progress }) => progress).sort((a, b) => a.read - b.read)[0];
  }

  /** Reads everything. */
  async run(): Promise<void> {
    const { requests, failures, settings } = this.#tools;
    settings.onStart?.(this);
    const onQuiet = (): void => void this.channel.put({ type: "waiting", pause: undefined });
    // Ends with the requests.
    failures.watch(() => this.channel.lastTakenMs, onQuiet, requests.signal).catch(() => {});
    try {
      const pages = await (settings.isEverySurvey
        ? this.#beginEverySurvey()
        : this.#begin(settings.surveyIds));
      const whole = this.#readers.whole.map(async ({ stream, read }) => {
        this.#missingReports.set(stream, await read(pages.surveyIds));
      });
      await Promise.all([this.#readResponses(pages), ...whole]);
      failures.end();
    } catch (thrown) {
      if (failures.error === undefined) throw thrown;
    }
    this.#pages?.finish();
    for (const report of this.#missingReports.values()) report((id) => this.#pages?.hasReported(id) ?? false);
    for (const reader of this.#readers.pages) reader.finish?.();
    for (const reader of this.#readers.respondents) reader.finish();
    for (const stream of this.streams) stream.failures.finish();
    this.channel.close();
  }

  /** The last event of each stream, once everything else was reported. */
  *ends(): Generator<SyncEvent> {
    const { error } = this.#tools.failures;
    this.#tools.warnings.summarize();
    for (const stream of this.streams) {
      const { name } = stream.definition;
      const { isIncomplete } = stream.failures;
      const isPartial = isIncomplete || !this.#isDone(stream);
      if (error && isPartial) yield { type: "failure", stream: name, error, surveyId: undefined };
      const complete = !isIncomplete && !(error && isPartial);
      yield { type: "end", stream: name, state: stream.coverage.state(), complete };
    }
  }

  fail(thrown: unknown): void {
    if (thrown !== ENDED) this.channel.fail(thrown);
    this.stop(thrown);
  }

  stop(reason: unknown = ENDED): void {
    this.#tools.requests.stop(reason);
  }

  /** Asks the service for its surveys, before anything else. What it does not list in full is read in part. */
  async #beginEverySurvey(): Promise<SurveyPages> {
    const { requests, failures, warnings, directory, settings } = this.#tools;
    await directory.read();
    const { error, found } = directory;
    let listed: readonly string[];
    try {
      listed = await chooseSurveys(directory, settings.knownSurveys, requests);
    } catch (thrown) {
      requests.signal.throwIfAborted();
      failures.giveUp(SurveyExportError.from(thrown));
      throw ENDED;
    }
    // The stream of surveys reports it by itself.
    const others = this.streams.filter(({ definition }) => definition.reads !== "surveys");
    const chosen = new Set([...listed, ...settings.surveyIds]);
    const wanted = [...chosen.difference(settings.excludedSurveyIds)];
    if (error) failures.failedIn(others, error);
    else if (found.size === 0) warnings.warn("nothing_to_read", NO_SURVEYS);
    else if (wanted.length === 0) warnings.warn("nothing_to_read", ALL_EXCLUDED);
    return this.#begin(wanted);
  }

  /** These surveys are read. A state is cut at the service's own present, so that is asked for if the machine's is earlier. */
  async #begin(surveyIds: readonly string[]): Promise<SurveyPages> {
    const { client, requests, directory, warnings } = this.#tools;
    const newest = this.streams.map(({ coverage }) => coverage.newestStored).reduce(latest, undefined);
    if (newest !== undefined && newest > client.present())
      await requests.get(surveysPath(1), parsePage, { attempts: ATTEMPTS_OF_A_TRY });
    for (const { coverage, definition } of this.streams) {
      const cut = coverage.begin(surveyIds, client.present(), directory.error === undefined);
      if (cut.length > 0) warnings.stateInFuture(definition.name, cut);
    }
    const { streams } = this;
    const readers = this.#readers;
    const onCounted = (responses: number): void => void this.channel.put({ type: "counted", responses });
    this.#pages = new SurveyPages({ ...this.#tools, surveyIds, readers, streams, onCounted });
    return this.#pages;
  }

  /** The surveys with the respondents that they show, then the respondents that the configuration names. */
  async #readResponses(pages: SurveyPages): Promise<void> {
    await pages.read();
    await Promise.all(this.#readers.respondents.map((reader) => reader.readConfigured()));
    this.#areRespondentsRead = true;
  }

  /** Whether a stream has everything, if the sync ends early. */
  #isDone(stream: StreamInSync): boolean {
    const { whole, respondents } = this.#readers;
    if (whole.some((reader) => reader.stream === stream)) return this.#missingReports.has(stream);
    if (respondents.some((reader) => reader.stream === stream)) return this.#areRespondentsRead;
    return this.#pages?.remaining === 0;
  }
}

/**
 * Reads the streams: every response and every respondent that the streams' states do not cover, each once, and after
 * each page the state that covers everything emitted so far (spec/sync.md).
 *
 * The caller pulls. Each worker and each slot has at most one page that waits to be pulled, so a slow caller slows the
 * requests. Breaking out of the loop ends the requests.
 * @throws SurveyExportError only for a defect; the service's failures come as "failure" events. The signal's reason
 * when that is aborted
 */
export async function* readStreams<Name extends string>(
  client: Client,
  options: SyncOptions<Name>,
): AsyncGenerator<SyncEvent<Name>, void> {
  const { inOrder = false, signal } = options;
  signal?.throwIfAborted();
  const sync = new Sync(client, options);
  const onAbort = (): void => sync.fail(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (const stream of sync.streams)
      yield { type: "start", stream: stream.definition.name as Name, state: stream.coverage.state() };
    sync.run().catch((thrown: unknown) => sync.fail(thrown));
    for (let entry = await sync.channel.next(); entry; entry = await sync.channel.next()) {
      // The next requests are on their way while the caller works. A caller in order may want no more.
      if (!inOrder) entry.taken();
      yield entry.event as SyncEvent<Name>;
      if (inOrder) entry.taken();
    }
    yield* sync.ends() as Generator<SyncEvent<Name>>;
  } finally {
    signal?.removeEventListener("abort", onAbort);
    sync.stop();
  }
}
