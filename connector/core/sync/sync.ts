import type { Client } from "../client/client.ts";
import { inSeconds } from "../client/retry-policy.ts";
import { EMPTY_STATE } from "../coverage/stream-state.ts";
import { latest, timestampOfMs } from "../coverage/timestamp.ts";
import { certain, SurveyExportError } from "../errors.ts";
import { newestResponsePath, surveysPath } from "../lists/endpoints.ts";
import { ALL_EXCLUDED, NO_SURVEYS } from "../lists/list-errors.ts";
import { parsePage } from "../lists/page.ts";
import { fieldsFrom } from "../streams/column.ts";
import { say } from "../text/message.ts";
import { Channel, type SyncEvent } from "./channel.ts";
import type { StreamFacts, SyncFacts, Verdict } from "./failures/facts.ts";
import { canBeAskedAgain, Ledger, reasonOf } from "./failures/ledger.ts";
import { Silence } from "./failures/silence.ts";
import { judge } from "./failures/verdicts.ts";
import { type Readers, type ReadingTools, readersOf } from "./readers.ts";
import { ATTEMPTS_OF_A_TRY, Requests } from "./requests.ts";
import type { RespondentReader } from "./respondents/respondent-reader.ts";
import { ENDED, StreamInSync } from "./stream-in-sync.ts";
import { SurveyPages } from "./survey-pages.ts";
import { chooseSurveys } from "./surveys/choose-surveys.ts";
import { SurveyDirectory } from "./surveys/survey-directory.ts";
import {
  excludedNothing,
  idleExclusions,
  isEverySurveyRead,
  selectedSurveys,
} from "./surveys/survey-selection.ts";
import { isOfNamedRespondents, type SyncOptions, type SyncProgress, settingsOf } from "./sync-options.ts";
import { Warnings } from "./warnings.ts";

/** Lists that failed together may have met a short spell of errors. So long after the last one they are asked for again. */
const SPELL_MS = 15_000;

/** One call of `readStreams`: which surveys it reads, in which order its parts are read, and how it ends. */
class Sync implements SyncProgress {
  readonly streams: readonly StreamInSync[];
  readonly channel: Channel;
  readonly #tools: ReadingTools;
  readonly #silence: Silence;
  readonly #readers: Readers;
  /** Undefined until it is known which surveys are read. */
  #pages: SurveyPages | undefined;
  #areRespondentsRead = false;
  /** Whether surveys are found at the second look: then one that is not found may be gone. */
  #areSurveysFound = false;
  /** Undefined until the sync has ended. */
  #verdict: Verdict | undefined;

  constructor(client: Client, options: SyncOptions) {
    const settings = settingsOf(options);
    const { log, clock } = client.host;
    const warnings = new Warnings(log, settings.treatment.fingerprint !== undefined);
    const channel = new Channel(clock);
    const ledger = new Ledger(clock, log, settings.asksAgain, {
      onFailed: (error, surveyId) => void channel.put(() => ({ type: "noted", surveyId, error })),
      onEnd: () => {
        channel.isOver = true;
        this.stop();
      },
    });
    const silence = new Silence(client);
    const requests = new Requests(client, ledger, silence);
    const { listed = new Map(), surveyIds } = settings;
    const ofSurveys = [...options.streams.keys()].find(({ reads }) => reads === "surveys");
    const fields = ofSurveys && fieldsFrom("survey", ofSurveys.columns);
    const directory = new SurveyDirectory({ requests, clock, warnings, surveyIds, listed, fields });
    const began = timestampOfMs(clock.now());
    this.channel = channel;
    this.#silence = silence;
    this.streams = [...options.streams].map(
      ([definition, state = EMPTY_STATE]) => new StreamInSync(definition, state, settings, warnings, channel),
    );
    this.#tools = { client, requests, ledger, warnings, settings, directory, began };
    this.#readers = readersOf(this.streams, this.#tools);
    const stopPauses = client.onPause((pause) => void channel.put(() => ({ type: "waiting", pause })));
    requests.signal.addEventListener("abort", stopPauses, { once: true });
  }

  get surveys(): SyncProgress["surveys"] {
    return this.#pages && { all: this.#pages.surveyIds.length, remaining: this.#pages.remaining };
  }

  get responses(): SyncProgress["responses"] {
    return this.#pages?.responses;
  }

  get respondents(): SyncProgress["respondents"] {
    return this.#ofRespondents.map(({ progress }) => progress).sort((a, b) => a.read - b.read)[0];
  }

  get waitingLists(): number {
    return this.#ofRespondents.reduce((sum, { progress }) => sum + progress.waiting, 0);
  }

  /** The readers that request lists of respondents. */
  get #ofRespondents(): RespondentReader[] {
    const { respondents, named } = this.#readers;
    return [...respondents, ...named];
  }

  /** Reads everything, asks once more for what failed, and judges what that means. */
  async run(): Promise<void> {
    const { ledger, settings } = this.#tools;
    settings.onStart?.(this);
    this.#watchSilence();
    let listed: ReadonlySet<string> | undefined;
    try {
      await this.#readAll();
      if (ledger.isSecondLookDue) await this.#lookAgain();
      await Promise.all(this.#readers.snapshots.map((reader) => reader.finish?.(this.#found)));
      listed = await this.#listedAtEnd();
      if (settings.asksAgain && this.#isNamedSurveyMissing) await this.#tools.directory.read();
    } catch (thrown) {
      if (ledger.end === undefined) throw thrown;
    }
    for (const reader of this.#readers.pages) reader.finish?.();
    this.#verdict = judge(this.#facts(listed));
    this.channel.close();
  }

  /** The failures, and the last event of each stream. */
  *ends(): Generator<SyncEvent> {
    const { warnings } = this.#tools;
    const { failures, warnings: found, incomplete, gone } = certain(this.#verdict, "the verdict");
    for (const id of gone) for (const { coverage } of this.streams) coverage.forget(id);
    for (const { code, message } of found) warnings.warn(code, message);
    warnings.summarize();
    for (const failure of failures) yield { type: "failure", ...failure };
    for (const { definition, coverage } of this.streams) {
      const { name: stream } = definition;
      yield { type: "end", stream, state: coverage.state(), complete: !incomplete.has(stream) };
    }
  }

  fail(thrown: unknown): void {
    if (thrown !== ENDED) this.channel.fail(thrown);
    this.stop(thrown);
  }

  stop(reason: unknown = ENDED): void {
    this.#tools.requests.stop(reason);
  }

  /** Ends with the requests. */
  #watchSilence(): void {
    const { requests, ledger } = this.#tools;
    const { channel } = this;
    const options = {
      lastTakenMs: () => channel.lastTakenMs,
      onQuiet: () => void channel.put(() => ({ type: "waiting", pause: undefined })),
      askForSomethingElse: () => this.#askForAnything(1),
      onOutage: (error: SurveyExportError) => ledger.endWith(error),
    };
    this.#silence.watch(options, requests.signal).catch(() => {});
  }

  /** The smallest page of the list of surveys: it shows whether the service answers at all. */
  #askForAnything(attempts: number) {
    return this.#tools.requests.get(surveysPath(1), parsePage, { attempts });
  }

  async #readAll(): Promise<void> {
    const surveyIds = await this.#surveysToRead();
    const pages = await this.#begin(surveyIds);
    await Promise.all([
      this.#readResponses(pages),
      ...this.#readers.snapshots.map((reader) => reader.read(surveyIds)),
    ]);
  }

  /** None if all streams are of respondents whom the configuration names: then nothing is asked about surveys. */
  async #surveysToRead(): Promise<readonly string[]> {
    const { settings } = this.#tools;
    if (this.streams.every(({ definition }) => isOfNamedRespondents(definition, settings))) return [];
    return isEverySurveyRead(settings) ? await this.#chooseSurveys() : settings.surveyIds;
  }

  /**
   * The second look. If lists failed together, it waits for a while. If nothing was answered since, it sees first whether
   * the service answers at all; else that is one failure of the service, and not one of each list.
   */
  async #lookAgain(): Promise<void> {
    const { ledger, requests, client } = this.#tools;
    const { clock } = client.host;
    const { count, lastMs } = ledger.failures;
    const isKeyRefused = ledger.errors.every(({ code }) => code === "unauthorized");
    if (count > 1 && !isKeyRefused)
      await clock.sleep(Math.max(0, lastMs + SPELL_MS - clock.monotonicMs()), requests.signal);
    if (ledger.isUnanswered && (await this.#failsAsAll())) throw ENDED;
    requests.beginSecondLook();
    this.#areSurveysFound = this.#isSurveyMissing && (await this.#findsSurvey());
    const { snapshots } = this.#readers;
    await Promise.all([this.#pages?.readAgain(), ...snapshots.map((reader) => reader.readAgain())]);
    for (const reader of this.#ofRespondents) await reader.readAgain();
    ledger.tellRecovered();
  }

  /** Whether the service answers nothing, or refuses everything as it refused the lists that failed. Then the sync ends. */
  async #failsAsAll(): Promise<boolean> {
    const { ledger } = this.#tools;
    const reply = await this.#askForAnything(ATTEMPTS_OF_A_TRY);
    if ("page" in reply) return false;
    const { error } = reply;
    const isOutage = error.kind === "transient" && ledger.errors.every(({ kind }) => kind === "transient");
    // A service need not list its surveys.
    const isAlike =
      ledger.errors.every((other) => reasonOf(other) === reasonOf(error)) && error.code !== "not_found";
    if (!isOutage && !isAlike) return false;
    ledger.endWith(isOutage ? this.#silence.outage() : error.ofRun());
    return true;
  }

  /** The surveys of a sync that reads every survey. If their list fails, those are read that are known all the same. */
  async #chooseSurveys(): Promise<readonly string[]> {
    const { ledger, requests, warnings, directory, settings } = this.#tools;
    await this.#readDirectory();
    let listed: readonly string[];
    try {
      listed = await chooseSurveys(directory, settings.knownSurveys, requests);
    } catch (thrown) {
      requests.signal.throwIfAborted();
      ledger.endWith(SurveyExportError.from(thrown).ofRun());
      throw ENDED;
    }
    const wanted = selectedSurveys(listed, settings);
    this.#warnOfExclusions();
    if (directory.error === undefined && wanted.length === 0)
      warnings.warn("nothing_to_read", directory.found.size === 0 ? NO_SURVEYS : ALL_EXCLUDED);
    return wanted;
  }

  /** Entries of excluded_survey_ids that match nothing, if the whole list of surveys was read. */
  #warnOfExclusions(): void {
    const { directory, settings, warnings } = this.#tools;
    const { all } = directory;
    if (all === undefined) return;
    const idle = idleExclusions(settings, all, settings.knownSurveys.listed);
    if (idle.length > 0) warnings.warn("nothing_excluded", excludedNothing(idle, all));
  }

  /** The list of surveys comes before everything else, so its second look does, too. */
  async #readDirectory(): Promise<void> {
    const { ledger, requests, client, directory, settings } = this.#tools;
    await directory.read();
    const { error } = directory;
    if (error === undefined) return;
    const mayPass = canBeAskedAgain(error) && error.scope === "list" && error.code !== "too_large";
    if (settings.asksAgain && mayPass) {
      const { clock, log } = client.host;
      log("info", say`${error.facts} The list of surveys is asked for again in ${inSeconds(SPELL_MS)}.`);
      await clock.sleep(SPELL_MS, requests.signal);
      await directory.readAgain();
    }
    if (directory.error === undefined) return;
    const streams = this.streams.map(({ definition }) => definition.name);
    const part = "list of surveys";
    ledger.note({ part, surveyId: undefined, streams, error: directory.error, isFinal: true });
  }

  /** These surveys are read. A state is cut at the service's own present, so that is asked for if the machine's is earlier. */
  async #begin(surveyIds: readonly string[]): Promise<SurveyPages> {
    const { client, directory, warnings, settings } = this.#tools;
    const newest = this.streams.map(({ coverage }) => coverage.newestStored).reduce(latest, undefined);
    if (newest !== undefined && newest > client.present()) await this.#askForAnything(ATTEMPTS_OF_A_TRY);
    for (const { coverage, definition } of this.streams) {
      const isOfSurveys = !isOfNamedRespondents(definition, settings);
      const areAll = isOfSurveys && directory.error === undefined;
      const cut = coverage.begin(isOfSurveys ? surveyIds : [], client.present(), areAll);
      if (cut.length > 0) warnings.stateInFuture(definition.name, cut);
    }
    const { streams } = this;
    const readers = this.#readers;
    const onCounted = (responses: number): void =>
      void this.channel.put(() => ({ type: "counted", responses }));
    this.#pages = new SurveyPages({ ...this.#tools, surveyIds, readers, streams, onCounted });
    return this.#pages;
  }

  /** The surveys with the respondents that they show, then the respondents that the configuration names. */
  async #readResponses(pages: SurveyPages): Promise<void> {
    await pages.read();
    await Promise.all(this.#readers.named.map((reader) => reader.readNamed()));
    this.#areRespondentsRead = true;
  }

  /** Whether a survey is missing that nobody named. */
  get #isSurveyMissing(): boolean {
    return isEverySurveyRead(this.#tools.settings) && this.#missing.length > 0;
  }

  /** Whether one is that the configuration names: the list of surveys may say that it is a name and no id. */
  get #isNamedSurveyMissing(): boolean {
    return !isEverySurveyRead(this.#tools.settings) && this.#missing.length > 0;
  }

  /** The surveys of which something answers 404, and no page of responses came. */
  get #missing(): readonly string[] {
    const missing = this.#tools.ledger.notes.filter(({ error }) => error.code === "not_found");
    return missing.flatMap(({ surveyId }) => surveyId ?? []).filter((id) => !this.#found.has(id));
  }

  /** The surveys of which a page of responses came. */
  get #found(): ReadonlySet<string> {
    return this.#pages?.found ?? new Set();
  }

  /**
   * Whether a survey is found that was found before; if there is none, nobody can tell. Without this: while all surveys answer 404
   * for a moment, one that is not listed any more, and can be read, is forgotten.
   */
  async #findsSurvey(): Promise<boolean> {
    const { ledger, requests } = this.#tools;
    const id = [...this.#found].find((each) => ledger.noteOf("responses", each) === undefined);
    if (id === undefined) return true;
    const reply = await requests.get(newestResponsePath(id), parsePage, { attempts: ATTEMPTS_OF_A_TRY });
    return "page" in reply;
  }

  /** The list of surveys, read after all failures, if it decides whether a survey is gone. */
  async #listedAtEnd(): Promise<ReadonlySet<string> | undefined> {
    return this.#areSurveysFound && this.#isSurveyMissing ? this.#tools.directory.listedNow() : undefined;
  }

  /** `listed`: by the list of surveys after all failures. */
  #facts(listed: ReadonlySet<string> | undefined): SyncFacts {
    const { ledger, settings, directory } = this.#tools;
    const { end, notes, ownNotes, problems } = ledger;
    return {
      end,
      notes,
      ownNotes,
      problems,
      listed,
      allSurveys: directory.all,
      surveys: this.#pages?.surveyIds.length ?? 0,
      found: this.#found,
      areSurveysNamed: !isEverySurveyRead(settings),
      streams: this.streams.map((stream) => this.#factsOf(stream)),
    };
  }

  #factsOf(stream: StreamInSync): StreamFacts {
    const { definition, coverage, items, unreadable } = stream;
    return {
      name: definition.name,
      isDone: this.#isDone(stream),
      hasState: coverage.hasState,
      items,
      unreadable,
      respondents: this.#ofRespondents.find((reader) => reader.stream === stream)?.facts,
    };
  }

  /** Whether everything was asked for that a stream needs. */
  #isDone(stream: StreamInSync): boolean {
    const { snapshots } = this.#readers;
    const reader = snapshots.find((each) => each.stream === stream);
    if (reader) return reader.isDone;
    if (this.#ofRespondents.some((each) => each.stream === stream)) return this.#areRespondentsRead;
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
