import type { Client } from "../client/client.ts";
import { wasToldToWait } from "../client/retry-policy.ts";
import { type Gap, unionOfGaps } from "../coverage/coverage.ts";
import { isFarAbove } from "../coverage/list-coverage.ts";
import { EMPTY_STATE } from "../coverage/stream-state.ts";
import { type Timestamp, timestampOfMs } from "../coverage/timestamp.ts";
import { certain, SurveyExportError } from "../errors.ts";
import { type ItemPage, isReadable, parseItemPage } from "../lists/item.ts";
import { counted, given, NOTHING_TO_SAY, say } from "../text/message.ts";
import { Channel, type SyncEvent } from "./channel.ts";
import { chooseSurveys } from "./choose-surveys.ts";
import { Requests } from "./requests.ts";
import { RespondentReader } from "./respondent-reader.ts";
import { ENDED, StreamInSync } from "./stream-in-sync.ts";
import { SurveyDirectory } from "./survey-directory.ts";
import { readQuestions, readSurveyFacts, type Telling } from "./survey-facts.ts";
import { type Slice, SurveyList, type SurveyPage } from "./survey-list.ts";
import { SurveyReader } from "./survey-reader.ts";
import { Surveys } from "./surveys.ts";
import {
  isEverySurvey,
  type Settings,
  type SyncOptions,
  type SyncProgress,
  settingsOf,
} from "./sync-options.ts";
import { Warnings } from "./warnings.ts";

/**
 * Reads the streams: every response and every respondent that the streams' states do not cover, each once, and after
 * each page the state that covers everything emitted so far (spec/sync.md).
 *
 * The caller pulls. Pages in flight or waiting to be pulled are bounded by the number of slots, so a slow caller slows
 * the requests. Leaving the loop early ends the requests.
 * @throws SurveyExportError only for a defect; the service's failures come as "failure" events. The signal's reason
 * when that is aborted
 */
export function readStreams<Name extends string>(
  client: Client,
  options: SyncOptions<Name>,
): AsyncGenerator<SyncEvent<Name>, void> {
  return events(client, options) as AsyncGenerator<SyncEvent<Name>, void>;
}

async function* events(client: Client, options: SyncOptions): AsyncGenerator<SyncEvent, void> {
  const { inOrder = false, signal } = options;
  signal?.throwIfAborted();
  const sync = new Sync(client, options);
  const onAbort = (): void => sync.fail(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (const stream of sync.streams)
      yield { type: "start", stream: stream.definition.name, state: stream.state() };
    sync.run().catch((thrown: unknown) => sync.fail(thrown));
    for (let entry = await sync.channel.next(); entry; entry = await sync.channel.next()) {
      // The next requests are on their way while the caller works; a caller in order may want no more.
      if (!inOrder) entry.taken();
      sync.toldAtMs = client.host.clock.monotonicMs();
      yield entry.event;
      entry.taken();
    }
    yield* sync.ends();
  } finally {
    signal?.removeEventListener("abort", onAbort);
    sync.stop();
  }
}

/** One call of `readStreams`: the workers, and what they share. */
class Sync implements SyncProgress {
  readonly streams: readonly StreamInSync[];
  readonly channel = new Channel();
  /** When the caller was told of something last, in monotonic milliseconds. */
  toldAtMs: number;
  readonly #client: Client;
  readonly #settings: Settings;
  /** Of the streams that the surveys' pages alone fill. */
  readonly #surveyReaders: SurveyReader[] = [];
  /** Of those for which the people are asked. */
  readonly #respondentReaders: RespondentReader[] = [];
  /** Of those that say what the surveys are. */
  readonly #facts = new Map<StreamInSync, () => Promise<Telling>>();
  /** Those of them that are read. */
  readonly #factsRead = new Map<StreamInSync, Telling>();
  readonly #requests: Requests;
  readonly #directory: SurveyDirectory;
  /** Undefined until it is known which ones are read. */
  #surveys: Surveys | undefined;
  #surveyIds: readonly string[] = [];
  readonly #warnings: Warnings;
  /** Surveys that are listed, or that an earlier sync has read, and that are not found now. */
  readonly #gone = new Map<string, SurveyExportError>();
  #isAnyFound = false;
  #areRespondentsRead = false;
  readonly #stopPauses: () => void;

  constructor(client: Client, options: SyncOptions) {
    this.#client = client;
    this.#settings = settingsOf(options);
    const { surveyIds, treatment } = this.#settings;
    const { clock } = client.host;
    this.#warnings = new Warnings(client.host.log, treatment.fingerprint !== undefined);
    this.#requests = new Requests(client, () => {
      this.channel.isOver = true;
      this.stop();
    });
    this.#directory = new SurveyDirectory(this.#requests, clock, this.#warnings, options);
    const [present, began] = [client.present(), timestampOfMs(clock.now())];
    this.streams = [...options.streams].map(
      ([definition, state = EMPTY_STATE]) =>
        new StreamInSync(definition, state, this.#settings, present, this.#warnings, this.channel),
    );
    for (const stream of this.streams) this.#addReader(stream, began);
    if (!this.#readsEverySurvey) this.#begin(surveyIds);
    this.#stopPauses = client.onPause((pause) => void this.channel.put({ type: "waiting", pause }));
    this.toldAtMs = clock.monotonicMs();
  }

  #addReader(stream: StreamInSync, began: Timestamp): void {
    const { definition } = stream;
    const [client, requests, settings] = [this.#client, this.#requests, this.#settings];
    const facts = () => ({ stream, requests, directory: this.#directory, surveyIds: this.#surveyIds });
    switch (definition.reads) {
      case "survey responses":
      case "whole surveys":
        this.#surveyReaders.push(new SurveyReader({ stream, definition, settings, began }));
        break;
      case "respondent responses":
      case "respondent attributes":
        this.#respondentReaders.push(
          new RespondentReader({ stream, definition, client, requests, settings }),
        );
        break;
      case "surveys":
        this.#facts.set(stream, () => readSurveyFacts({ ...facts(), definition }));
        break;
      case "survey questions":
        this.#facts.set(stream, () => readQuestions({ ...facts(), definition }));
        break;
      default:
        definition satisfies never;
    }
  }

  get surveys(): SyncProgress["surveys"] {
    return this.#surveys && { all: this.#surveyIds.length, left: this.#surveys.left };
  }

  get unread(): Gap | undefined {
    return this.#surveys?.unread;
  }

  get people(): SyncProgress["people"] {
    return this.#respondentReaders.map(({ people }) => people).sort((a, b) => a.read - b.read)[0];
  }

  get #readsEverySurvey(): boolean {
    return isEverySurvey(this.#settings);
  }

  /** These surveys are read. */
  #begin(surveyIds: readonly string[]): void {
    for (const stream of this.streams) stream.begin(surveyIds, !this.#directory.error);
    const streams = this.#responseStreams;
    const ids = surveyIds.filter((id) => streams.some(({ surveys }) => surveys.of(id).gaps.length > 0));
    this.#surveys = new Surveys(ids, (id) => this.#open(id), this.#settings);
    this.#surveyIds = surveyIds;
  }

  /** The streams for which the responses of surveys are read. */
  get #responseStreams(): StreamInSync[] {
    return [...this.#surveyReaders, ...this.#respondentReaders].map(({ stream }) => stream);
  }

  /** Asks the service for its surveys, before anything else. What it does not list in full is read in part. */
  async #beginEverySurvey(): Promise<void> {
    await this.#directory.read();
    const { error, found } = this.#directory;
    let surveyIds: readonly string[];
    try {
      surveyIds = chooseSurveys(this.#directory, this.#settings.knownSurveys ?? new Set());
    } catch (thrown) {
      this.#requests.giveUp(SurveyExportError.from(thrown));
      throw ENDED;
    }
    // The stream of surveys tells it by itself.
    const others = this.streams.filter(({ definition }) => definition.reads !== "surveys");
    if (error) {
      for (const stream of others) stream.isIncomplete = true;
      this.#requests.failed(error, (own) => {
        for (const stream of others) stream.failed(own);
      });
    } else if (found.size === 0) this.#warnings.noSurveys();
    this.#begin(surveyIds);
  }

  /** Reads everything. */
  async run(): Promise<void> {
    this.#settings.onStart?.(this);
    const onQuiet = (): void => void this.channel.put({ type: "waiting", pause: undefined });
    // Ends with the requests.
    this.#requests.watch(() => this.toldAtMs, onQuiet).catch(() => {});
    try {
      if (this.#readsEverySurvey) await this.#beginEverySurvey();
      const facts = [...this.#facts].map(async ([stream, read]) => {
        this.#factsRead.set(stream, await read());
      });
      await Promise.all([this.#readResponses(), ...facts]);
      this.#requests.end();
    } catch (thrown) {
      if (this.#requests.error === undefined) throw thrown;
    }
    this.#tellGone();
    const isTold = (id: string): boolean =>
      this.#gone.has(id) || this.#responseStreams.some(({ failedSurveys }) => failedSurveys.has(id));
    for (const tell of this.#factsRead.values()) tell(isTold);
    for (const reader of [...this.#surveyReaders, ...this.#respondentReaders]) reader.finish();
    for (const stream of this.streams) stream.finish();
    this.channel.close();
  }

  /** The surveys with the people whom they show, then the people whom the configuration names. */
  async #readResponses(): Promise<void> {
    const surveys = certain(this.#surveys, "the surveys");
    await Promise.all(
      Array.from({ length: this.#client.maxConcurrentRequests }, () => this.#readSurveys(surveys)),
    );
    await Promise.all(this.#respondentReaders.map((reader) => reader.readConfigured()));
    this.#areRespondentsRead = true;
  }

  /** The last event of each stream, once everything else was told. */
  *ends(): Generator<SyncEvent> {
    const { error } = this.#requests;
    this.#warnings.summarize();
    for (const stream of this.streams) {
      const { name } = stream.definition;
      const mayLack = stream.isIncomplete || !this.#isDone(stream);
      if (error && mayLack) yield { type: "failure", stream: name, error, surveyId: undefined };
      const complete = !stream.isIncomplete && !(error && mayLack);
      yield { type: "end", stream: name, state: stream.state(), complete };
    }
  }

  /** Whether a stream has everything, if the sync ends early. */
  #isDone(stream: StreamInSync): boolean {
    if (this.#facts.has(stream)) return this.#factsRead.has(stream);
    const readsPeople = this.#respondentReaders.some((reader) => reader.stream === stream);
    return readsPeople ? this.#areRespondentsRead : this.#surveys?.left === 0;
  }

  fail(thrown: unknown): void {
    if (thrown !== ENDED) this.channel.fail(thrown);
    this.stop(thrown);
  }

  stop(reason: unknown = ENDED): void {
    this.#stopPauses();
    this.#requests.stop(reason);
  }

  /** One worker: a page of a slice, everything that the page leads to, and the next page. */
  async #readSurveys(surveys: Surveys): Promise<void> {
    while (surveys.left > 0) {
      // Before the question, so that no change is missed.
      const { promise: change } = surveys.change;
      const turn = await this.#requests.inSlot("page", async () => {
        const slice = surveys.next();
        return slice && { slice, ...(await this.#readPage(slice, surveys)) };
      });
      if (turn === undefined) await change;
      else if (turn.people) {
        await turn.people;
        surveys.done(turn.slice);
      }
    }
  }

  /**
   * Reads a page, and waits until the caller has taken its responses.
   * @returns what continues without the slot: everybody whom the page shows is asked for, and waits for a slot already
   */
  async #readPage(slice: Slice, surveys: Surveys): Promise<{ readonly people?: Promise<unknown> }> {
    const path = certain(slice.walk.path, "the path");
    const answer = await this.#requests.get(path, (body, ...page) =>
      parseItemPage(body, slice.walk.requestNewer, ...page),
    );
    const { id } = slice.survey;
    // Before the page is accepted, since pages have to be delivered in the order in which they are.
    const isNameless = "page" in answer && this.#lacksName(id, answer.page);
    const listed = isNameless ? await this.#directory.find(id) : this.#directory.known(id);
    const accepted = "page" in answer ? this.#accept(slice, answer.page) : this.#failed(slice, answer.error);
    const page = accepted && { ...accepted, survey: listed };
    const people =
      page && this.#respondentReaders.length > 0
        ? Promise.all(this.#respondentReaders.map((reader) => reader.take(page)))
        : undefined;
    // Whoever waits for it may come later.
    people?.catch(() => {});
    if (page) await Promise.all(this.#surveyReaders.map((reader) => reader.take(page)));
    surveys.cameBack(slice, people !== undefined);
    return people ? { people } : {};
  }

  /** @returns undefined for a page that is asked for again later, or that nobody wants any more */
  #accept(slice: Slice, answer: ItemPage): SurveyPage | undefined {
    const { survey } = slice;
    this.#isAnyFound = true;
    const page = survey.accept(slice, answer);
    if (page === undefined) return undefined;
    if (page.warning) this.#warnings.emptyPage(page.warning);
    if (page.endsAboveOthers) this.#warnings.endsAboveOthers(survey.id);
    const newest = answer.items.find(isReadable);
    const present = this.#client.present();
    if (newest && isFarAbove(newest.timestamp, present))
      this.#warnings.fromFuture(survey.id, newest.timestamp, present);
    if (page.problem) this.#tellAll(page.problem, survey.id);
    return page;
  }

  /** Whether a response of a page will be delivered without the name of its survey, as far as that is known. */
  #lacksName(surveyId: string, page: ItemPage): boolean {
    if (this.#directory.known(surveyId)) return false;
    const items = page.items.filter(isReadable).filter(({ survey }) => typeof survey?.name !== "string");
    return this.streams.some(
      (stream) =>
        "survey_name" in stream.definition.columns && stream.wantedOf({ surveyId, items }).length > 0,
    );
  }

  /**
   * The page of a link is requested once more without the link. If that does not help, or if there was none, the survey
   * ends here: what it did not cover is read by the next sync.
   */
  #failed(slice: Slice, error: SurveyExportError): undefined {
    const { survey, walk } = slice;
    if (survey.failure) return;
    const isReplaced = error.scope === "list" && !wasToldToWait(error) && walk.replaceLink();
    if (error.code === "refused_link") {
      if (!isReplaced) walk.stop();
      this.#tellAll(error, survey.id);
      return;
    }
    if (isReplaced) {
      this.#warnings.linkReplaced(survey.id, error);
      return;
    }
    survey.failure = error;
    const named = error.code === "not_found" ? notFound(survey, error, this.#settings) : error;
    const isExpected = this.#readsEverySurvey || this.#settings.knownSurveys?.has(survey.id);
    if (error.code === "not_found" && isExpected) {
      this.#gone.set(survey.id, named);
      return;
    }
    for (const stream of this.#responseStreams) stream.isIncomplete = true;
    this.#requests.failed(named, (own) => this.#tellAll(own, survey.id));
  }

  #tellAll(error: SurveyExportError, surveyId: string): void {
    for (const stream of this.#responseStreams) stream.failed(error, surveyId);
  }

  /** If no survey was found at all, the address or the key may be wrong. */
  #tellGone(): void {
    if (!this.#isAnyFound) for (const [id, error] of this.#gone) this.#tellAll(error, id);
    else if (this.#gone.size > 0) {
      const ids = [...this.#gone.keys()];
      this.#warnings.surveysNotFound(ids, !this.#readsEverySurvey);
      const { found, error } = this.#directory;
      if (!this.#readsEverySurvey || error) return;
      for (const id of ids) if (!found.has(id)) for (const stream of this.streams) stream.forget(id);
    }
  }

  #open(id: string): SurveyList {
    const gaps = this.#responseStreams.flatMap(({ surveys }) => surveys.of(id).gaps);
    const edges = new Set(gaps.flatMap(({ newer }) => newer ?? []));
    return new SurveyList({ id, gaps: unionOfGaps(gaps), edges, settings: this.#settings });
  }
}

function notFound({ id, pages }: SurveyList, error: SurveyExportError, { surveyIds }: Settings) {
  const areNamed = surveyIds.length > 0;
  if (pages > 0) {
    return error.restated(
      "transient",
      say`Survey ${given(id)} was not found any more after ${counted(pages, say`page`, say`pages`)} (status ${error.status ?? 404}).`,
      say`The responses read so far were delivered; the next sync resumes there. If it continues, ask the service.`,
    );
  }
  return error.restated(
    "config",
    say`Survey ${given(id)} was not found (status ${error.status ?? 404}).`,
    areNamed
      ? say`Remove it from survey_ids or correct the id.${surveyIds.length > 1 ? say` This does not affect the other surveys.` : NOTHING_TO_SAY}`
      : say`Earlier syncs have read it, or the service lists it. Check base_url and the API key; if they are right, ask the service.`,
  );
}
