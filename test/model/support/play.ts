import assert from "node:assert/strict";
import {
  createClient,
  type Host,
  STREAMS,
  type StateSnapshot,
  type StreamName,
  type SyncEvent,
  type Timestamp,
} from "@survey-export/core";
import { createSimulatedClock } from "../../support/clock.ts";
import { randomFrom } from "../../support/host.ts";
import { EPOCH_MS, MOST_ON_A_PAGE, type Response, timestampAt } from "../../support/list-service.ts";
import { type Fate, keyIn, Replica, syncInProcess, type Told } from "../../support/sync.ts";
import { FactsCheck } from "./facts-check.ts";
import { type Change, Directory, FaultyTransport } from "./faulty-transport.ts";
import {
  type Arrival,
  GRID,
  type History,
  NO_DATA_FAULTS,
  type PlayedSettings,
  type PlayedSync,
  type Settings,
  type Sync,
  type Who,
} from "./history.ts";
import { holesBetween, type State, StreamCheck, stateOf } from "./promises.ts";
import { SnapshotCheck } from "./snapshot-check.ts";
import { isOfNamed, isOfSurveys, OutOfReach, surveyId, Truth } from "./truth.ts";

/**
 * Plays a history against the core and throws when a guarantee of spec/sync.md is broken (`StreamCheck`). After it,
 * healthy syncs must deliver everything that is in reach, and leave no hole.
 *
 * Out of reach by design, and so not asked for (`OutOfReach`):
 * - a response to a survey that is not configured, given after its person's last response to one that is;
 * - what only the list of a person shows who is not found while others are, or whose list looked whole and was not;
 * - what two pages of a survey have hidden in one sync, by a wrong end or as empty pages: one of them loses nothing;
 * - responses that name nobody, in the streams that read people;
 * - what was deleted;
 * - if every survey is read: what is answered to one that is not listed, unless an earlier sync has read it;
 * - if people are named: in the streams that read people, what others have answered;
 * - a response that arrives later than the lookback allows (none does, in these histories), and an answer that is added
 *   to a response later than that.
 */
export async function play(history: History): Promise<Played> {
  const world = new World(history);
  for (const sync of history.syncs) await world.sync(world.playedOf(sync));
  await world.untilQuiet();
  return world.played;
}

/** What a history brought about, to show that the interesting things do happen. */
export class Played {
  syncs = 0;
  kills = 0;
  largestInFlight = 0;
  requests = 0;
  /** Records that came and were there. */
  repeats = 0;
  /** Streams that ended complete with holes in what they cover. */
  completeWithHoles = 0;
  /** Surveys of which a snapshot was whole. */
  snapshots = 0;
  /** Pages of surveys that wrongly said that the list ends, or were empty. */
  lies = 0;
  /** Syncs of every survey that the service lists. */
  ofEverySurvey = 0;
  /** Syncs with the key of another workspace. */
  strangers = 0;
  /** Surveys that were not found, and whose states are gone. */
  forgotten = 0;
}

const SNAPSHOTS: readonly StreamName[] = ["response_keys", "response_key_snapshots"];
const FACTS = ["surveys", "survey_questions"] as const;
const isOfFacts = (stream: StreamName): stream is (typeof FACTS)[number] =>
  FACTS.some((each) => each === stream);
/** All that a sync reads. */
const streamsOf = ({
  streams,
  snapshots,
  facts,
}: Pick<PlayedSettings, "streams" | "snapshots" | "facts">): StreamName[] => [
  ...streams,
  ...(snapshots ? SNAPSHOTS : []),
  ...(facts ? FACTS : []),
];
/** Another workspace's key is enough. */
const STRANGERS_ALONE = { faults: [], serviceFaults: NO_DATA_FAULTS };
const COVERS_ALL = { collected_at: "2999-01-01T00:00:00.000000Z" };
const HOUR_MS = 3_600_000;
/** Another workspace's key is told by so many surveys that are gone at once. */
const WITNESSES = 5;
/** Healthy syncs until everything is delivered. */
const MOST_QUIET_SYNCS = 3;

class World {
  readonly played = new Played();
  readonly #history: History;
  readonly #truth: Truth;
  readonly #lookbackMs: number;
  /** How far the machine's clock is ahead. Only the service's `Date` corrects that. */
  readonly #aheadMs: number;
  readonly #replica = new Replica();
  /** Responses that a stream may lack permanently. */
  readonly #givenUp = new Map<StreamName, Set<Response>>();
  /** People whose lists answer 404 from now on. */
  readonly #vanished = new Set<string>();
  /** The surveys of the last sync that were found. */
  #lastRead: ReadonlySet<string> = new Set();
  readonly #random: () => number;
  /** The service's time. */
  #nowMs: number;

  constructor(history: History) {
    const { dialect, responses, ageMs, fromTheFuture } = history;
    this.#history = history;
    this.#truth = new Truth(history);
    this.#lookbackMs = history.lookbackMs * history.stretch;
    this.#aheadMs = dialect.hasDate ? history.clockAheadMs : 0;
    this.#random = randomFrom(history.order);
    for (const { survey, person, at } of responses)
      this.#truth.add(surveyId(survey), this.#truth.person(person), this.#stretched(at));
    const newest = this.#truth.responses[0]?.at ?? 0;
    this.#nowMs = EPOCH_MS + Math.ceil(newest / 1000) + ageMs;
    if (fromTheFuture) {
      const at = toMicroseconds(this.#nowMs + HOUR_MS);
      this.#truth.add(surveyId(fromTheFuture.survey), this.#truth.person(fromTheFuture.person), at);
    }
  }

  /** A time of the history; a microsecond off the grid stays one. */
  #stretched(at: number): number {
    const onGrid = GRID * Math.round(at / GRID);
    return onGrid * this.#history.stretch + at - onGrid;
  }

  /** Dates that fall between two timestamps which the service can show mean different things to it and to its reader. */
  #aligned(at: number | undefined): number | undefined {
    const { shows, peopleShow } = this.#history.dialect;
    const shown = [shows, peopleShow];
    const isExact = shows === "microseconds" && peopleShow === undefined;
    const isCoarse = shown.includes("seconds") || shown.includes("nearest second");
    const unit = isCoarse ? 1_000_000 : isExact ? 1 : 1000;
    return at === undefined ? undefined : Math.floor(this.#stretched(at) / unit) * unit;
  }

  playedOf(sync: Sync): PlayedSync {
    const settings = this.settingsOf(sync.settings);
    // Without five surveys that a state says to be read, nobody knows that it is another workspace.
    const read = this.#known(
      streamsOf({ ...settings, snapshots: false }).filter(
        (stream) => !settings.fresh.some((each) => each === stream),
      ),
      1,
    );
    const isOfStranger = sync.isOfStranger && settings.isOfEverySurvey && read.size >= WITNESSES;
    return { ...sync, settings, isOfStranger, ...(isOfStranger && STRANGERS_ALONE) };
  }

  settingsOf(settings: Settings): PlayedSettings {
    const startDate = this.#aligned(settings.startDate);
    const endDate = this.#aligned(settings.endDate);
    const { namesNothing } = this.#history;
    const surveys = namesNothing ? [] : settings.surveys.map(surveyId);
    const people = namesNothing ? [] : settings.respondents.map((person) => this.#truth.person(person));
    const isEmpty = startDate !== undefined && endDate !== undefined && startDate >= endDate;
    const lookbackMs = this.#lookbackMs + settings.moreLookbackMs * this.#history.stretch;
    const dates = { startDate, endDate: isEmpty ? startDate + 1_000_000 : endDate };
    return this.#ofPeople({ ...settings, ...dates, lookbackMs, surveys }, new Set(people));
  }

  /** The settings with these people named. If all streams are of named people, no survey is read. */
  #ofPeople(
    settings: Omit<PlayedSettings, "respondents" | "isOfEverySurvey">,
    respondents: ReadonlySet<string>,
  ): PlayedSettings {
    const isAnySurveyRead = streamsOf(settings).some((stream) => !isOfNamed(stream, respondents));
    const surveys = isAnySurveyRead ? settings.surveys : [];
    const isOfEverySurvey = isAnySurveyRead && surveys.length === 0;
    return { ...settings, surveys, respondents, isOfEverySurvey };
  }

  /**
   * Healthy syncs, an hour apart, until every stream is complete: then it has delivered all that is in reach. One more
   * leaves no hole, so that later syncs read only what is new.
   */
  async untilQuiet(): Promise<void> {
    const last = this.#history.syncs.at(-1)!.settings;
    const settings = this.#withoutVanished(this.settingsOf({ ...last, fresh: [], endDate: undefined }));
    const quiet: PlayedSync = {
      isQuiet: true,
      settings,
      pauseMs: HOUR_MS,
      written: 0xffff,
      killAfter: undefined,
      arrivals: [],
      growths: [],
      deletions: [],
      vanishing: undefined,
      statuses: [],
      isOfStranger: false,
      faults: [],
      serviceFaults: NO_DATA_FAULTS,
    };
    const known = this.#known(streamsOf(settings));
    const listed = new Set(this.#truth.service.listed);
    // Who names a survey that is gone, or has another workspace's surveys, must change something.
    if (!settings.isOfEverySurvey || (known.size > 0 && known.isDisjointFrom(listed)))
      for (const survey of this.#truth.surveys) this.#truth.service.setStatus(survey, "listed");
    let isComplete = false;
    for (let number = 0; !isComplete; number++) {
      assert.ok(number < MOST_QUIET_SYNCS, `a healthy service is read within ${number} syncs`);
      if (this.#vanished.size > 0) this.#answerOfSomebody(settings);
      isComplete = await this.sync(quiet);
    }
    await this.sync(quiet);
    for (const stream of settings.streams) this.#checkNoHoles(stream, settings);
    await this.#checkQuiet(quiet);
  }

  /** Who names somebody that is gone must change something. */
  #withoutVanished(settings: PlayedSettings): PlayedSettings {
    return this.#ofPeople(settings, settings.respondents.difference(this.#vanished));
  }

  /** When nothing is younger than the lookback any more, nothing comes again, and nobody is asked. */
  async #checkQuiet(quiet: PlayedSync): Promise<void> {
    const { dialect, fromTheFuture } = this.#history;
    const { respondents, isOfEverySurvey, lookbackMs, itemsPerPage } = quiet.settings;
    if (!dialect.hasDate || fromTheFuture || this.#vanished.size > 0) return;
    await this.sync({ ...quiet, pauseMs: lookbackMs + HOUR_MS });
    const { requests, repeats } = this.played;
    if (respondents.size > 0) return;
    const settings = { ...quiet.settings, snapshots: false, facts: false };
    await this.sync({ ...quiet, settings });
    assert.equal(this.played.repeats, repeats, "a quiet sync brings nothing again");
    // Pages may overlap by one survey.
    const news = MOST_ON_A_PAGE - Number(dialect.link.startsWith("last_"));
    const others = Math.max(0, this.#truth.service.listed.length - MOST_ON_A_PAGE);
    const pages = isOfEverySurvey ? 1 + Math.ceil(others / news) : 0;
    const each = this.#lastRead.size + pages;
    // A machine whose clock is slow may ask for the service's present first.
    const first = Number(this.#aheadMs < 0 && !isOfEverySurvey);
    // A full page that says that the list ends is asked past.
    const most = each + first + (itemsPerPage < MOST_ON_A_PAGE ? this.#lastRead.size : 0);
    const asked = this.played.requests - requests;
    assert.ok(
      each <= asked && asked <= most,
      `a quiet sync asks once for each survey and page of them: ${each} to ${most}, ${asked}`,
    );
  }

  #checkNoHoles(stream: StreamName, { startDate, lookbackMs, respondents }: PlayedSettings): void {
    // People who are gone leave holes, until a page shows somebody who is found.
    if (this.#vanished.size > 0 && !isOfSurveys(stream)) return;
    if (isOfNamed(stream, respondents)) return;
    const state = this.#replica.state(stream) as State;
    const newest = timestampAt(toMicroseconds(this.#nowMs - lookbackMs - HOUR_MS));
    for (const id of this.#lastRead) {
      const holes = holesBetween(state, id, timestampAt(startDate ?? 0), newest);
      assert.deepEqual(holes, [], `${stream}: nothing of ${id} is left to read: ${JSON.stringify(state)}`);
    }
  }

  /** Somebody who is found distinguishes deleted people from an outage. */
  #answerOfSomebody({ surveys, isOfEverySurvey }: PlayedSettings): void {
    const [survey] = isOfEverySurvey ? this.#truth.service.listed : surveys;
    const living = this.#truth.people.find((person) => !this.#vanished.has(person));
    if (survey === undefined || living === undefined) return;
    let response: Response;
    do response = this.#truth.add(survey, living, toMicroseconds(this.#nowMs));
    while (this.#truth.isNameless(response));
  }

  /** @returns whether every stream is complete */
  async sync(sync: PlayedSync): Promise<boolean> {
    const { settings, isQuiet = false } = sync;
    const number = this.played.syncs++;
    this.#nowMs += sync.pauseMs;
    const clock = createSimulatedClock(this.#nowMs + this.#aheadMs);
    const began = timestampAt(toMicroseconds(clock.now() - 1000));
    const nowMs = (): number => clock.now() - this.#aheadMs;
    for (const stream of settings.fresh) {
      this.#replica.forget(stream);
      this.#givenUp.delete(stream);
    }
    // The state of a snapshot counts for nothing.
    for (const stream of SNAPSHOTS) this.#replica.store(stream, COVERS_ALL);
    const { absent } = this.#history;
    const away = new Set(absent && !isQuiet && number < absent.syncs ? this.#truth.chosen(absent.who) : []);
    const outOfReach = new OutOfReach();
    const known = this.#known(streamsOf(settings));
    const directory = new Directory([...(settings.isOfEverySurvey ? known : []), ...settings.surveys]);
    const transport = new FaultyTransport({
      history: this.#history,
      truth: this.#truth,
      random: this.#random,
      sync,
      clock,
      nowMs,
      outOfReach,
      changes: this.#changes(sync, () => toMicroseconds(nowMs())),
      isAbsent: (person) => this.#vanished.has(person) || away.has(person),
      known,
      directory,
    });
    const checks = this.#checks(sync, outOfReach, directory);
    const host = { clock, log: () => {}, transport: transport.send, random: this.#random };
    const told = await this.#read(sync, host, checks);
    this.#nowMs = nowMs();
    assert.deepEqual([...transport.wrong], [], "requests are in order");
    assert.deepEqual(this.#truth.service.complaints, [], "the service has nothing to complain about");
    if (settings.isOfEverySurvey) this.#checkSurveys(sync, told, checks, directory);
    this.#checkForgotten(sync, checks, directory);
    this.#note(sync, outOfReach, checks, directory, began);
    this.played.requests += transport.requests;
    this.played.repeats = this.#replica.repeats;
    this.played.largestInFlight = Math.max(this.played.largestInFlight, transport.largestInFlight);
    return told.isComplete === true && !checks.isKilled;
  }

  /** Surveys that the states tell of. `least`: how many intervals they have at least. */
  #known(streams: readonly StreamName[], least = 0): Set<string> {
    const states = streams.map((stream) => this.#replica.state(stream) as State | undefined);
    const surveys = states.flatMap((state) => Object.entries(state?.surveys ?? {}));
    return new Set(surveys.filter(([, { length }]) => length >= least).map(([id]) => id));
  }

  #read(sync: PlayedSync, host: Host, checks: SyncChecks): Promise<Told> {
    const { settings, serviceFaults, faults } = sync;
    const { surveys, respondents, startDate, endDate, lookbackMs, itemsPerPage, inOrder } = settings;
    const client = createClient(host, {
      baseUrl: "http://service.local/v2",
      maxConcurrentRequests: settings.maxConcurrentRequests,
    });
    const isInOrder =
      serviceFaults.disorder.length === 0 && !faults.some(({ fault }) => fault === "reversed");
    return syncInProcess(client, this.#replica, {
      lookbackMs,
      itemsPerPage,
      inOrder,
      surveyIds: surveys,
      respondentUuids: [...respondents].flatMap((person) => spelled(person, settings.spelling)),
      streams: streamsOf(settings),
      startDate: startDate === undefined ? undefined : timestampAt(startDate),
      endDate: endDate === undefined ? undefined : timestampAt(endDate),
      // In one spelling: a configured person's UUID is in the record as the configuration spells it.
      key: (stream, record) => keyIn(stream, record).toLowerCase(),
      onTwice: (stream, key) =>
        assert.ok(!isInOrder || STREAMS[stream].isSnapshot, `${stream}: ${key} comes once in one sync`),
      onEvent: (event, place) => checks.take(event, place),
    });
  }

  /** What must hold if the service was asked for its surveys. */
  #checkSurveys(
    { isQuiet, isOfStranger }: PlayedSync,
    told: Told,
    checks: SyncChecks,
    directory: Directory,
  ): void {
    this.played.ofEverySurvey++;
    const { service } = this.#truth;
    if (isOfStranger) {
      this.played.strangers++;
      assert.equal(told.records.length, 0, "nothing is read with another workspace's key");
      if (!checks.isKilled)
        assert.equal(told.failures.length, Math.min(1, told.incomplete.length), "it is told once");
      for (const { code } of told.failures) assert.equal(code, "other_workspace");
      for (const check of checks.streams) check.checkUnchanged();
    } else assert.ok(told.failures.every(({ code }) => code !== "other_workspace"));
    if (isQuiet) assert.deepEqual([...directory.listed], service.listed, "the whole list was read");
    if (checks.isKilled) return;
    if (told.isComplete) assert.ok(directory.isAtEnd, "a sync is incomplete if the list of surveys failed");
  }

  #checkForgotten({ settings, isQuiet }: PlayedSync, checks: SyncChecks, directory: Directory): void {
    if (checks.isKilled) return;
    const mayForget = (id: string): boolean => settings.isOfEverySurvey && directory.isGone(id);
    for (const check of checks.streams) {
      this.played.forgotten += check.forgotten.length;
      const wrong = check.forgotten.filter((id) => !mayForget(id));
      assert.deepEqual(wrong, [], "a survey is forgotten only if it is neither listed nor found");
      const kept = isQuiet ? check.kept.filter(mayForget) : [];
      assert.deepEqual(kept, [], "a survey that is neither listed nor found is forgotten");
    }
  }

  #checks(sync: PlayedSync, outOfReach: OutOfReach, directory: Directory): SyncChecks {
    const { settings } = sync;
    const [truth, replica] = [this.#truth, this.#replica];
    const existing = new Map(truth.responses.map((each) => [each, truth.service.answersAddedTo(each)]));
    const isGone = (id: string): boolean => settings.isOfEverySurvey && directory.isGone(id);
    const streams = settings.streams.map((stream) => {
      const givenUp = this.#givenUp.get(stream) ?? new Set<Response>();
      const { read } = directory;
      const before = { existing, givenUp, isGone };
      const options = { stream, settings, surveys: read, truth, replica, outOfReach, ...before };
      return [stream, new StreamCheck(options)] as const;
    });
    const { shape } = this.#history.dialect;
    const isSlow = this.#history.slowestMs >= 10_000;
    const isListed = (id: string): boolean =>
      directory.listed.has(id) || (sync.statuses.length === 0 && truth.service.listed.includes(id));
    const isNamed = (id: string): boolean =>
      shape === "wrapped" || (isListed(id) && !directory.isOdd && !isSlow);
    const facts = new FactsCheck(truth.service, directory.read, isNamed);
    return new SyncChecks(sync, new Map(streams), facts, directory);
  }

  #note(
    { settings, isQuiet }: PlayedSync,
    outOfReach: OutOfReach,
    checks: SyncChecks,
    directory: Directory,
    began: Timestamp,
  ): void {
    this.#lastRead = directory.read.difference(directory.notFound);
    const { nameless, hidden } = outOfReach;
    for (const stream of settings.streams) {
      const before = this.#givenUp.get(stream) ?? new Set();
      const now = isOfSurveys(stream) ? hidden : hidden.union(nameless);
      this.#givenUp.set(stream, before.union(now));
    }
    this.played.lies += outOfReach.lies;
    this.played.completeWithHoles += checks.completeWithHoles;
    if (checks.isKilled) this.played.kills++;
    const { snapshot } = checks;
    const shown = this.#truth.responses.filter((each) => !hidden.has(each));
    snapshot.check(shown, this.#truth.shownOf);
    this.played.snapshots += snapshot.surveys.length;
    if (!isQuiet || !settings.snapshots || settings.startDate !== undefined) return;
    const { hasDate } = this.#history.dialect;
    // If the service does not tell its present, only a response that is not from the future says when a survey was read.
    const isPast = (response: Response): boolean => this.#truth.shownOf(response) <= began;
    const isDue = (id: string): boolean =>
      hasDate || shown.some((response) => response.survey === id && isPast(response));
    const due = [...this.#lastRead].filter(isDue);
    const missing = due.filter((id) => !snapshot.surveys.includes(id));
    assert.deepEqual(missing, [], "every survey of a healthy service has a whole snapshot");
  }

  #changes({ arrivals, growths, deletions, vanishing, statuses }: PlayedSync, now: () => number): Change[] {
    return [
      ...arrivals.map((arrival) => ({
        afterRequest: arrival.afterRequest,
        change: () => this.#arrive(arrival, now()),
      })),
      ...growths.map(({ afterRequest, place }) => ({ afterRequest, change: () => this.#grow(place, now()) })),
      ...deletions.map(({ afterRequest, place }) => ({ afterRequest, change: () => this.#delete(place) })),
      ...statuses.map(({ afterRequest, survey, status }) => ({
        afterRequest,
        change: () => this.#truth.service.setStatus(surveyId(survey), status),
      })),
      ...(vanishing
        ? [{ afterRequest: vanishing.afterRequest, change: () => this.#vanish(vanishing.who) }]
        : []),
    ];
  }

  #arrive({ survey, person, late }: Arrival, now: number): void {
    const id = this.#truth.person(person);
    if (this.#vanished.has(id)) return;
    const earliest = now - 1000 * this.#lookbackMs;
    const newest = this.#truth.responses.find(({ at }) => at <= now)?.at ?? 0;
    const steps = late === "tie" ? 0 : late;
    const at = late === "tie" && newest >= earliest ? newest : now - this.#stretched(steps * GRID);
    this.#truth.addAttribute(id);
    this.#truth.add(surveyId(survey), id, Math.max(0, at, earliest));
  }

  #grow(place: number, now: number): void {
    const response = this.#at(place);
    if (response) this.#truth.grow(response, now - response.at < 1000 * this.#lookbackMs);
  }

  #at(place: number): Response | undefined {
    return this.#truth.responses[place % (this.#truth.responses.length || 1)];
  }

  #delete(place: number): void {
    const response = this.#at(place);
    if (response) this.#truth.service.remove(response.uuid);
  }

  /** Somebody always stays. */
  #vanish(who: Who): void {
    const [first] = this.#truth.people;
    for (const person of this.#truth.chosen(who)) if (person !== first) this.#vanished.add(person);
  }
}

/** Two days of minutes. */
const MOST_WAITS = 2 * 24 * 60;

/** The checks of one sync, which see each of its events. */
class SyncChecks {
  isKilled = false;
  completeWithHoles = 0;
  readonly snapshot = new SnapshotCheck();
  readonly #sync: PlayedSync;
  readonly #checks: ReadonlyMap<StreamName, StreamCheck>;
  readonly #facts: FactsCheck;
  readonly #directory: Directory;
  /** How often it told that there is nothing to tell: each minute without news. */
  #waits = 0;
  /** What each state said when it was told. */
  readonly #texts = new Map<StateSnapshot, string>();

  constructor(
    sync: PlayedSync,
    checks: ReadonlyMap<StreamName, StreamCheck>,
    facts: FactsCheck,
    directory: Directory,
  ) {
    this.#sync = sync;
    this.#checks = checks;
    this.#facts = facts;
    this.#directory = directory;
  }

  get streams(): Iterable<StreamCheck> {
    return this.#checks.values();
  }

  take(event: SyncEvent<StreamName>, place: number): Fate {
    const { killAfter, written } = this.#sync;
    if (event.type === "waiting") assert.ok(++this.#waits < MOST_WAITS, "a sync ends");
    this.isKilled = place === killAfter;
    const isLast = this.isKilled;
    if (event.type === "failure") assert.notEqual(event.error.code, "defect", event.error.stack);
    if (!("state" in event)) return { isLast };
    this.#facts.take(event);
    const check = this.#checks.get(event.stream);
    if (check === undefined) {
      if (!isOfFacts(event.stream)) this.snapshot.take(event);
      else if (event.type === "end" && event.complete)
        this.#facts.end(event.stream, (id) => this.#directory.oddFacts.has(id));
      return { isLast };
    }
    const state = stateOf(event.state);
    const text = JSON.stringify(event.state);
    assert.equal(
      text,
      this.#texts.get(event.state) ?? text,
      "a state that says something else is another one (I4)",
    );
    this.#texts.set(event.state, text);
    check.state(state);
    const isWritten = event.type === "end" || ((written >> (place % 16)) & 1) === 1;
    if (event.type === "end" && event.complete) {
      check.complete(state);
      if ([...this.#directory.read].some((id) => (state.surveys[id]?.length ?? 0) > 1))
        this.completeWithHoles++;
    }
    return { isLost: !isWritten, isLast };
  }
}

/** Whole microseconds since the service's epoch: a pause may end in the middle of one. */
const toMicroseconds = (ms: number): number => Math.floor(1000 * (ms - EPOCH_MS));

function spelled(person: string, spelling: Settings["spelling"]): string[] {
  const capitals = person.toUpperCase();
  return spelling === "as shown" ? [person] : spelling === "capitals" ? [capitals] : [person, capitals];
}
