import assert from "node:assert/strict";
import {
  type Clock,
  createClient,
  type Host,
  type HttpResponse,
  STREAMS,
  type StateSnapshot,
  type StreamName,
  type SyncEvent,
} from "@survey-export/core";
import { keysOfItem } from "../../../tools/demo/expected-keys.ts";
import { createSimulatedClock } from "./clock.ts";
import { type Fault, GRID, type History, NO_DATA_FAULTS, type Settings, type Sync } from "./history.ts";
import {
  createListService,
  EPOCH_MS,
  HEALTHY,
  type ListService,
  type Response,
  type ServiceFaults,
  timestampAt,
} from "./list-service.ts";
import { OutOfReach } from "./out-of-reach.ts";
import { randomFrom } from "./random.ts";
import { Replica } from "./replica.ts";
import { SnapshotCheck } from "./snapshot-check.ts";
import { type Fate, keyIn, syncInProcess } from "./sync.ts";

/**
 * Plays a history against the core and throws when a guarantee of spec/sync.md is broken.
 *
 * A timestamp is delivered if it lies strictly inside the coverage of its survey and not in an open range. What is due
 * of a response or an attribute are the records that the stream's own definition makes of it: none, one or many. So this
 * proves the reading of every stream, and nothing about what its records hold.
 *
 * Out of reach by design, and so not asked for:
 * - a response to a survey that is not configured, given after its person's last response to one that is, or left out
 *   by a list that holds everything that led to it;
 * - responses older than a day of a person whose list answered 404 twice (in two syncs, or a minute apart), while
 *   somebody else was found (`OutOfReach`);
 * - responses that name nobody, in the streams that read people;
 * - what was deleted;
 * - a response that arrives later than the lookback allows (none does, in these histories).
 */
export async function play(history: History): Promise<Played> {
  const world = new World(history);
  const syncs = history.syncs.map((sync) => ({ ...sync, settings: world.settingsOf(sync.settings) }));
  for (const sync of syncs) await world.sync(sync);
  await world.untilQuiet(syncs.at(-1)!.settings);
  return world.played;
}

/** A sync's settings with times in microseconds of this history, and people by their UUIDs. */
interface PlayedSettings extends Omit<Settings, "respondents"> {
  /** As the service spells them. */
  readonly respondents: ReadonlySet<string>;
  readonly lookbackMs: number;
}
type PlayedSync = Omit<Sync, "settings"> & { readonly settings: PlayedSettings; readonly isQuiet?: boolean };

/** What a history brought about, to show that the interesting things do happen. */
export interface Played {
  syncs: number;
  kills: number;
  requests: number;
  incomplete: number;
  largestInFlight: number;
  /** Streams that ended complete with open ranges. */
  completeWithOpen: number;
  /** People whose lists count as deleted in a stream. */
  deleted: number;
  quietSyncs: number;
  /** Surveys of which a snapshot was whole. */
  snapshots: number;
}

type Range = readonly [older: string | null, newer: string];
/** The fields of a state that the rules are about. */
interface OpenState {
  readonly surveys: Readonly<Record<string, readonly Range[]>>;
  readonly open?: Readonly<Record<string, readonly Range[]>>;
  readonly open_next?: readonly [surveyId: string, timestamp: string];
  readonly configured_respondents?: { readonly fingerprint: string; readonly collected_at: string | null };
  readonly start_date?: string;
}
const stateOf = (state: StateSnapshot): OpenState => state.toJSON() as unknown as OpenState;
const isInside = (ranges: readonly Range[] | undefined, timestamp: string): boolean =>
  ranges?.some(([older, newer]) => (older === null || older < timestamp) && timestamp < newer) ?? false;
const isIn = (ranges: readonly Range[] | undefined, timestamp: string): boolean =>
  ranges?.some(([older, newer]) => (older === null || older <= timestamp) && timestamp <= newer) ?? false;

const SNAPSHOTS: readonly StreamName[] = ["response_keys", "response_key_snapshots"];
const COVERS_ALL = { collected_at: "2999-01-01T00:00:00.000000Z" };
const isOfSurveys = (stream: StreamName): boolean => STREAMS[stream].reads === "survey responses";
const isOfAttributes = (stream: StreamName): boolean => STREAMS[stream].reads === "respondent attributes";
const surveyId = (survey: number): string => `s${survey}`;
/** With letters, so that capitals differ. */
const personId = (person: number): string => `fedcba98-00ab-4cde-8fab-${String(person).padStart(12, "0")}`;
const TRANSIENT: Readonly<Record<string, HttpResponse>> = {
  status_500: { status: 500, headers: {}, body: "" },
  status_429: { status: 429, headers: {}, body: "" },
  status_429_wait: { status: 429, headers: { "retry-after": "7" }, body: "" },
  status_503: { status: 503, headers: {}, body: "" },
  html: { status: 200, headers: {}, body: "<html>Back soon</html>" },
};
/** A sync of these histories that asks more often than this does not end. */
const MOST_REQUESTS = 6000;
const MOST_OPEN_RANGES = 100;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Healthy syncs until everything is delivered: doubts of young responses resolve after a day. */
const MOST_QUIET_SYNCS = 6;

class World {
  readonly played: Played = {
    ...{ syncs: 0, kills: 0, requests: 0, incomplete: 0, largestInFlight: 0 },
    ...{ completeWithOpen: 0, deleted: 0, quietSyncs: 0, snapshots: 0 },
  };
  readonly #history: History;
  readonly #service: ListService;
  readonly #people: readonly string[];
  readonly #lookbackMs: number;
  readonly #replica = new Replica();
  readonly #outOfReach = new OutOfReach();
  /** People whose lists answer 404 from now on. */
  readonly #vanished = new Set<string>();
  /** The people that each fingerprint in a state stands for. */
  readonly #fingerprints = new Map<string, string>();
  readonly #shown = new Map<Response, string>();
  readonly #keys = new Map<string, readonly string[]>();
  readonly #attributeCounts: Map<string, number>;
  /** How many attributes its person had when a response was given. */
  readonly #attributesAt = new Map<Response, number>();
  readonly #random: () => number;
  #count = 0;
  #nowMs: number;

  constructor(history: History) {
    this.#history = history;
    this.#lookbackMs = history.lookbackMs * history.stretch;
    this.#people = history.attributeCounts.map((_, person) => personId(person));
    this.#random = randomFrom(history.order);
    this.#attributeCounts = new Map(
      history.attributeCounts.map((count, person) => [personId(person), count]),
    );
    this.#service = createListService(history.dialect, this.#attributeCounts);
    let newest = 0;
    for (const { survey, person, at } of history.responses) {
      this.#add(survey, this.#personOf(person), this.#stretched(at));
      newest = Math.max(newest, this.#stretched(at));
    }
    this.#nowMs = EPOCH_MS + Math.ceil(newest / 1000) + history.ageMs;
    const { fromTheFuture } = history;
    if (fromTheFuture) {
      const at = this.#now(this.#nowMs) + 1000 * HOUR_MS;
      this.#add(fromTheFuture.survey, this.#personOf(fromTheFuture.person), at);
    }
  }

  #personOf(person: number): string {
    return this.#people[person % this.#people.length]!;
  }

  /** Whole microseconds since the service's epoch: a pause may end in the middle of one. */
  #now(ms: number): number {
    return Math.floor(1000 * (ms - EPOCH_MS));
  }

  /** A time of the history; a microsecond beside the grid stays one. */
  #stretched(at: number): number {
    const onGrid = GRID * Math.round(at / GRID);
    return onGrid * this.#history.stretch + at - onGrid;
  }

  /** Dates that fall between two timestamps which the service can show mean different things to it and to its reader. */
  #aligned(at: number | undefined): number | undefined {
    const { shows, peopleShow } = this.#history.dialect;
    const unit =
      peopleShow === "seconds"
        ? 1_000_000
        : shows !== "microseconds" || peopleShow === "milliseconds"
          ? 1000
          : 1;
    return at === undefined ? undefined : Math.floor(this.#stretched(at) / unit) * unit;
  }

  settingsOf(settings: Settings): PlayedSettings {
    const startDate = this.#aligned(settings.startDate);
    const endDate = this.#aligned(settings.endDate);
    const isEmpty = startDate !== undefined && endDate !== undefined && startDate >= endDate;
    return {
      ...settings,
      startDate,
      endDate: isEmpty ? startDate + 1_000_000 : endDate,
      respondents: new Set(settings.respondents.map((person) => this.#personOf(person))),
      lookbackMs: this.#lookbackMs + settings.moreLookbackMs * this.#history.stretch,
    };
  }

  #add(survey: number, person: string, at: number): Response {
    const response = { uuid: `r${++this.#count}`, survey: surveyId(survey), person, at };
    this.#attributesAt.set(response, this.#attributeCounts.get(person)!);
    this.#service.add(response);
    return response;
  }

  #isNamelessForGood({ uuid }: Response): boolean {
    const { namelessEvery } = this.#history;
    return namelessEvery !== undefined && Number(uuid.slice(1)) % namelessEvery === 0;
  }

  #shownOf(response: Response): string {
    const known = this.#shown.get(response);
    if (known !== undefined) return known;
    const shown = this.#service.shown(response);
    this.#shown.set(response, shown);
    return shown;
  }

  /** Healthy syncs, until every stream is complete with nothing open and everything delivered that is in reach. */
  async untilQuiet(settings: PlayedSettings): Promise<void> {
    const quiet: PlayedSync = {
      isQuiet: true,
      settings: { ...settings, fresh: [], endDate: undefined },
      pauseMs: 0,
      arrivals: [],
      deletions: [],
      vanishing: undefined,
      faults: [],
      serviceFaults: NO_DATA_FAULTS,
      killAfter: undefined,
      written: 0xffff,
    };
    for (let number = 1; ; number++) {
      if (this.#vanished.size > 0) this.#answerOfSomebody(settings);
      this.played.quietSyncs++;
      const complete = await this.sync(quiet);
      const left = settings.streams.flatMap((stream) => this.#left(stream, quiet.settings));
      if (complete && left.length === 0) break;
      assert.ok(
        number < MOST_QUIET_SYNCS,
        `a healthy service is read within ${number} syncs; the last was ${complete ? "complete" : "incomplete"}, ${JSON.stringify(left)}`,
      );
      this.#nowMs += DAY_MS + HOUR_MS;
    }
    for (const stream of settings.streams) {
      if (!isOfSurveys(stream)) this.played.deleted += this.#outOfReach.of(stream).deletedPeople;
    }
  }

  /** Somebody who is found distinguishes deleted people from an outage. */
  #answerOfSomebody({ surveys: [survey] }: PlayedSettings): void {
    const living = this.#people.find((person) => !this.#vanished.has(person));
    if (survey === undefined || living === undefined) return;
    let response: Response;
    do response = this.#add(survey, living, this.#now(this.#nowMs));
    while (this.#isNamelessForGood(response));
  }

  /** What is open or not delivered after a quiet sync, in words. */
  #left(stream: StreamName, settings: PlayedSettings): string[] {
    const { open = {} } = this.#replica.state(stream) as OpenState;
    const from = settings.startDate === undefined ? "" : timestampAt(settings.startDate);
    // If lists close with an empty page, a range without responses may stay open.
    const surveys = this.#history.dialect.closesEmpty ? [] : settings.surveys.map(surveyId);
    const ranges = surveys.flatMap((id) =>
      (open[id] ?? []).filter(([, newer]) => newer > from).map((range) => ({ id, range })),
    );
    const due = this.#due(stream, settings, this.#service.responses, NOTHING_LEFT);
    const lost = this.#replica.lost(stream, due);
    return [
      ...ranges.map(({ id, range }) => `${stream}: ${id} is open at ${JSON.stringify(range)}`),
      ...(lost.length > 0 ? [`${stream}: not delivered: ${lost.join(", ")}`] : []),
    ];
  }

  /** Keys of the records that a stream has delivered, of `responses`, except for what it may leave for later. */
  #due(
    stream: StreamName,
    settings: PlayedSettings,
    responses: readonly Response[],
    { isLeft, troubled }: LeftForLater,
  ): string[] {
    const { startDate = 0, endDate = Number.POSITIVE_INFINITY } = settings;
    const configured = new Set(settings.surveys.map(surveyId));
    const inWindow = responses.filter(({ at }) => at >= startDate && at <= endDate);
    const chosen = inWindow.filter(({ survey }) => configured.has(survey));
    const settled = chosen.filter((response) => !isLeft(response));
    if (isOfSurveys(stream)) return settled.flatMap((response) => this.#keysOf(stream, response));

    const shown = this.#outOfReach.of(stream);
    const leads = settled.filter((response) => !shown.isExcused(response, EPOCH_MS));
    const waiting = new Set(chosen.filter(isLeft).map(({ person }) => person));
    const named = new Set(
      [...settings.respondents].filter((person) => !shown.wasEverNotFound(person) && !troubled.has(person)),
    );
    if (isOfAttributes(stream)) {
      const givenBy = responses.filter(({ person }) => named.has(person));
      return [...new Set([...leads, ...givenBy].flatMap((response) => this.#keysOf(stream, response)))];
    }
    const lastAnswer = new Map<string, number>();
    for (const { person, at } of leads) lastAnswer.set(person, Math.max(at, lastAnswer.get(person) ?? 0));
    const others = inWindow.filter(
      (response) =>
        !configured.has(response.survey) &&
        !waiting.has(response.person) &&
        !troubled.has(response.person) &&
        !shown.isUnseen(response, EPOCH_MS) &&
        (named.has(response.person) || response.at <= (lastAnswer.get(response.person) ?? -1)),
    );
    return [...leads, ...others].flatMap((response) => this.#keysOf(stream, response));
  }

  /**
   * Keys of the records that a stream makes of a response; or of the attributes of its person, as of that response, but
   * for those that the person's list has hidden.
   */
  #keysOf(stream: StreamName, response: Response): readonly string[] {
    const { uuid, person } = response;
    if (!isOfAttributes(stream)) {
      return this.#madeOnce(`${stream} ${uuid}`, () =>
        isOfSurveys(stream)
          ? keysOfItem(STREAMS[stream], this.#service.item(response, "surveys"), {
              surveyId: response.survey,
            })
          : keysOfItem(STREAMS[stream], this.#service.item(response, "respondents"), {
              respondentUuid: person,
            }),
      );
    }
    const { hidden } = this.#outOfReach.of(stream);
    return Array.from({ length: this.#attributesAt.get(response)! }, (_, number) => number + 1)
      .filter((id) => !hidden.has(`${person} ${id}`))
      .flatMap((id) =>
        this.#madeOnce(`${stream} ${person} ${id}`, () =>
          keysOfItem(STREAMS[stream], this.#service.attribute(id), { respondentUuid: person }),
        ),
      );
  }

  #madeOnce(item: string, make: () => readonly string[]): readonly string[] {
    const known = this.#keys.get(item);
    if (known !== undefined) return known;
    const keys = make().map((key) => key.toLowerCase());
    this.#keys.set(item, keys);
    return keys;
  }

  async sync(sync: PlayedSync): Promise<boolean> {
    const { settings } = sync;
    this.played.syncs++;
    this.#nowMs += sync.pauseMs;
    const existing = new Set(this.#service.responses);
    const clock = createSimulatedClock(this.#nowMs);
    // Whole seconds, as in a Date header, and a second for the service's clocks.
    const bound = this.#now(1000 * Math.floor(this.#nowMs / 1000) - 1000);
    this.#outOfReach.begin(settings.streams, settings.fresh);
    const fresh = settings.streams.filter((stream) => settings.fresh.includes(stream));
    for (const stream of fresh) this.#replica.forget(stream);
    const [incomplete, wrong] = [new Set<string>(), new Set<string>()];
    const host: Host = {
      ...{ clock, log: () => {} },
      transport: this.#transport(sync, clock, { incomplete, wrong }),
    };
    const client = createClient(host, {
      baseUrl: "http://service.local/v2",
      maxConcurrentRequests: settings.maxConcurrentRequests,
    });

    const { surveys, respondents, startDate, endDate, lookbackMs, unreadable, itemsPerPage, inOrder } =
      settings;
    // The state of a snapshot counts for nothing.
    for (const stream of SNAPSHOTS) this.#replica.store(stream, COVERS_ALL);
    this.#noteOpen(settings.streams);
    const frozen: { readonly state: StateSnapshot; readonly text: string }[] = [];
    const isInOrder =
      sync.serviceFaults.disorder.length === 0 && !sync.faults.some(({ fault }) => fault === "reversed");
    const snapshot = new SnapshotCheck(existing, (response) => this.#shownOf(response));
    let isKilled = false;
    const onEvent = (event: SyncEvent<StreamName>, place: number): Fate => {
      isKilled = place === sync.killAfter;
      if (isKilled) this.played.kills++;
      if (event.type !== "waiting" && STREAMS[event.stream].isSnapshot) snapshot.take(event);
      else if (event.type === "failure") assert.notEqual(event.error.code, "defect", event.error.stack);
      else if (event.type !== "waiting") {
        const [{ stream }, state] = [event, stateOf(event.state)];
        frozen.push({ state: event.state, text: JSON.stringify(event.state) });
        this.#checkState(stream, state, settings, existing);
        const isWritten = event.type === "end" || ((sync.written >> (place % 16)) & 1) === 1;
        if (isWritten) this.#checkNewest(stream, state);
        if (event.type === "end" && event.complete) {
          if (state.open !== undefined) this.played.completeWithOpen++;
          this.#checkComplete(stream, state, settings, existing, bound, incomplete);
        }
        return { isLost: !isWritten, isLast: isKilled };
      }
      return { isLast: isKilled };
    };
    const told = await syncInProcess(client, this.#replica, {
      ...{ lookbackMs, unreadable, itemsPerPage, inOrder, surveyIds: surveys.map(surveyId) },
      respondentUuids: [...respondents].flatMap((person) => spelled(person, settings.spelling)),
      streams: [...settings.streams, ...(settings.snapshots ? SNAPSHOTS : [])],
      startDate: startDate === undefined ? undefined : timestampAt(startDate),
      endDate: endDate === undefined ? undefined : timestampAt(endDate),
      // In one spelling: a configured person's UUID is in the record as the configuration spells it.
      key: (stream, record) => keyIn(stream, record).toLowerCase(),
      onTwice: (stream, key) =>
        assert.ok(!isInOrder || STREAMS[stream].isSnapshot, `${stream}: ${key} comes once in one sync`),
      onEvent,
    });
    const complete = told.isComplete === true && !isKilled;
    this.played.snapshots += snapshot.check(this.#service.responses);
    if (sync.isQuiet && settings.snapshots && settings.startDate === undefined)
      snapshot.checkWhole(this.#history.dialect.closesEmpty ? [] : settings.surveys.map(surveyId));
    for (const { state, text } of frozen) {
      assert.equal(JSON.stringify(state), text, "a state stays as it was when it was told (I4)");
    }
    this.#nowMs = clock.now();
    assert.deepEqual([...wrong], [], "requests are in order");
    assert.deepEqual(this.#service.complaints, [], "the service has nothing to complain about");
    if (!complete) this.played.incomplete++;
    return complete;
  }

  #noteOpen(streams: readonly StreamName[]): void {
    for (const stream of streams) {
      if (isOfSurveys(stream)) continue;
      const { open, surveys = {} } = (this.#replica.state(stream) ?? {}) as Partial<OpenState>;
      this.#outOfReach.of(stream).covers = (response) =>
        isIn(surveys[response.survey], this.#shownOf(response));
      if (open === undefined) continue;
      for (const response of this.#service.responses) {
        const isOpen = isIn(open[response.survey], this.#shownOf(response));
        if (isOpen) this.#outOfReach.of(stream).wasOpen(response.uuid);
      }
    }
  }

  #checkNewest(stream: StreamName, after: OpenState): void {
    const before = this.#replica.state(stream) as OpenState | undefined;
    if (before === undefined || !isOfSurveys(stream)) return;
    for (const [id, intervals] of Object.entries(before.surveys)) {
      const [newest, now] = [intervals.at(-1)![1], after.surveys[id]?.at(-1)?.[1] ?? ""];
      assert.ok(newest <= now, `${stream}: the newest timestamp of ${id} stays in the state (I5)`);
    }
  }

  /**
   * What a state covers has been delivered: whatever was there when the sync began, and, a lookback below the
   * newest of each survey, whatever is there now. Edges and open ranges prove nothing (I3).
   */
  #checkState(
    stream: StreamName,
    state: OpenState,
    settings: PlayedSettings,
    existing: ReadonlySet<Response>,
  ): void {
    const configured = new Set(settings.surveys.map(surveyId));
    const lookback = this.#lookbackMs * 1000;
    const { surveys, open = {}, start_date: startDate = "" } = state;
    const shown = isOfSurveys(stream) ? undefined : this.#outOfReach.of(stream);
    this.#checkForm(stream, state);
    for (const response of this.#service.responses) {
      const { survey, at } = response;
      const intervals = surveys[survey];
      if (intervals === undefined) continue;
      const timestamp = this.#shownOf(response);
      if (!isInside(intervals, timestamp) || isIn(open[survey], timestamp)) continue;
      const settled = timestampAt(at + lookback) < intervals.at(-1)![1];
      if (!settled && !(configured.has(survey) && existing.has(response))) continue;
      // Coverage below the start date is void as soon as that is moved back.
      if (STREAMS[stream].reads === "respondent responses" && timestampAt(at) < startDate) continue;
      if (shown?.isExcused(response, EPOCH_MS)) continue;
      for (const key of this.#keysOf(stream, response)) {
        assert.ok(
          this.#replica.has(stream, key),
          `${stream}: no state covers ${key} (${survey}, ${timestampAt(at)}) before it is delivered: ${JSON.stringify(state)}`,
        );
      }
    }
    this.#checkConfigured(stream, state, settings, existing);
  }

  #checkForm(stream: StreamName, state: OpenState): void {
    const { open } = state;
    for (const field of ["not_found", "respondents"]) {
      assert.ok(!(field in state), `${stream}: no state has the field ${field}`);
    }
    if (open === undefined) return;
    assert.ok(Object.keys(open).length > 0, `${stream}: nothing is said if nothing is open`);
    for (const [id, ranges] of Object.entries(open)) {
      const where = `${stream}: the open ranges of ${id}, ${JSON.stringify(ranges)},`;
      assert.ok(ranges.length > 0 && ranges.length <= MOST_OPEN_RANGES, `${where} are one to a hundred`);
      for (const [place, [older, newer]] of ranges.entries()) {
        const before = ranges[place - 1]?.[1];
        assert.ok(older === null || older <= newer, `${where} begin below their ends`);
        assert.ok(
          before === undefined || (older !== null && before < older),
          `${where} are sorted and apart`,
        );
      }
    }
  }

  /** Responses of configured people that are older than the state's timestamp, less the lookback, have been delivered. */
  #checkConfigured(
    stream: StreamName,
    state: OpenState,
    settings: PlayedSettings,
    existing: ReadonlySet<Response>,
  ): void {
    const { configured_respondents: entry, start_date: readFrom } = state;
    if (entry === undefined) return;
    const { reads } = STREAMS[stream];
    assert.equal(reads, "respondent responses", `${stream}: no other stream tells of configured people`);
    const people = [...settings.respondents].sort().join();
    if (!this.#fingerprints.has(entry.fingerprint)) this.#fingerprints.set(entry.fingerprint, people);
    if (this.#fingerprints.get(entry.fingerprint) !== people || entry.collected_at === null) return;
    const { startDate = 0, endDate = Number.POSITIVE_INFINITY } = settings;
    const shown = this.#outOfReach.of(stream);
    const there = new Set(this.#service.responses);
    for (const response of existing) {
      const { person, at } = response;
      if (!settings.respondents.has(person) || shown.wasEverNotFound(person)) continue;
      if (at < startDate || at > endDate || !there.has(response) || shown.isUnseen(response, EPOCH_MS))
        continue;
      if (readFrom !== undefined && timestampAt(at) < readFrom) continue;
      if (timestampAt(at + this.#lookbackMs * 1000) >= entry.collected_at) continue;
      for (const key of this.#keysOf(stream, response)) {
        assert.ok(
          this.#replica.has(stream, key),
          `${stream}: everything of ${person} up to ${entry.collected_at} has been delivered, ${key} (${timestampAt(at)}) too: ${JSON.stringify(state)}`,
        );
      }
    }
  }

  /**
   * A stream that says it is complete has delivered all that was there when the sync began and is not open. In a
   * survey's list that had an empty page, what is below may be neither covered nor open. Of a survey that was read before
   * and is not found, nothing may have come. The same goes for what cannot be
   * read and lies above the service's present, if that is only worth a warning.
   */
  #checkComplete(
    stream: StreamName,
    state: OpenState,
    settings: PlayedSettings,
    existing: ReadonlySet<Response>,
    bound: number,
    incomplete: ReadonlySet<string>,
  ): void {
    const there = this.#service.responses.filter(
      (response) => existing.has(response) && (isOfSurveys(stream) || response.at <= bound),
    );
    const isLeft = (response: Response): boolean => {
      const { survey } = response;
      const timestamp = this.#shownOf(response);
      if (isIn(state.open?.[survey], timestamp)) return true;
      const isExcused = incomplete.has(survey) || settings.unreadable === "warn";
      return isExcused && !isInside(state.surveys[survey], timestamp);
    };
    const troubled = isOfSurveys(stream) ? NOBODY : this.#outOfReach.of(stream).troubled;
    const due = this.#due(stream, settings, there, { isLeft, troubled });
    assert.deepEqual(
      due.filter((key) => !this.#replica.has(stream, key)),
      [],
      `${stream}: a complete stream has delivered everything: ${JSON.stringify(state)}`,
    );
  }

  /**
   * `incomplete`: to note the surveys whose lists had an empty page, or that an earlier sync has read and that are not
   * found. `wrong`: to note what no client should do.
   */
  #transport(
    sync: PlayedSync,
    clock: Clock,
    { incomplete, wrong }: { readonly incomplete: Set<string>; readonly wrong: Set<string> },
  ): Host["transport"] {
    const date = (): Record<string, string> =>
      this.#history.dialect.hasDate ? { date: new Date(clock.now()).toUTCString() } : {};
    const nameless = new Set<Response>();
    const serviceFaults = this.#serviceFaults(sync, nameless);
    if (sync.settings.unreadable === "warn") this.#tolerate(serviceFaults, sync.settings.streams);
    const faults = new Map(sync.faults.map(({ request, fault }) => [request, fault]));
    const respondentStreams = sync.settings.streams.filter((stream) => !isOfSurveys(stream));
    const asked = new Map<string, number>();
    const states = sync.settings.streams.map(
      (stream) => this.#replica.state(stream) as OpenState | undefined,
    );
    const known = new Set(states.flatMap((state) => Object.keys({ ...state?.surveys, ...state?.open })));
    const emptyPages = new Map<string, number>();
    const surveyPages = { asked: 0, came: 0 };
    let requests = 0;
    let inFlight = 0;
    const { vanishing } = sync;
    const changes = [
      ...sync.arrivals.map((arrival) => ({
        afterRequest: arrival.afterRequest,
        change: () => this.#arrive(arrival, clock.now()),
      })),
      ...sync.deletions.map(({ afterRequest, place }) => ({
        afterRequest,
        change: () => this.#delete(place),
      })),
      ...(vanishing
        ? [{ afterRequest: vanishing.afterRequest, change: () => this.#vanish(vanishing.who) }]
        : []),
    ];
    const answer = (path: string): HttpResponse => {
      const list = listOf(path);
      if (list.kind === "surveys") {
        const reply = this.#service.answer(path, serviceFaults);
        if (reply.status === 404 && known.has(list.id)) incomplete.add(list.id);
        for (const response of nameless) {
          if (reply.status !== 200 || !reply.body.includes(`"${response.uuid}"`)) continue;
          for (const stream of respondentStreams) this.#outOfReach.of(stream).nameless(response);
        }
        return { ...reply, headers: date() };
      }
      const shown = this.#streamsOf(sync.settings.streams, list.of);
      const times = (asked.get(list.name) ?? 0) + 1;
      asked.set(list.name, times);
      const { notFound } = sync.serviceFaults;
      const pattern = notFound && this.#personOf(notFound.person) === list.id ? notFound.pattern : ".";
      const isMissing = this.#vanished.has(list.id) || pattern[Math.min(times, pattern.length) - 1] === "4";
      const reply = isMissing
        ? { status: 404, headers: {}, body: "" }
        : this.#service.answer(path, serviceFaults);
      if (reply.status === 404 && !this.#service.isLink(path)) {
        for (const stream of shown) this.#outOfReach.notFound(stream, list.id, clock.now());
      }
      if (reply.status === 200) for (const stream of shown) this.#outOfReach.found(stream, list.id);
      const keeps = serviceFaults.short.get(list.id);
      if (reply.status === 200 && list.of === "responses" && keeps !== undefined)
        for (const stream of shown) this.#cut(stream, list.id, keeps);
      return { ...reply, headers: date() };
    };
    const broken = (fault: Fault["fault"], path: string): HttpResponse => {
      if (fault === "reset") throw new Error("the connection was cut");
      const transient = TRANSIENT[fault];
      if (transient) return transient;
      const whole = answer(path);
      if (whole.status !== 200) return whole;
      const spoiled = spoil(fault, path, whole);
      if (fault.startsWith("empty_page")) {
        const list = listOf(path);
        emptyPages.set(path, (emptyPages.get(path) ?? 0) + 1);
        if (list.kind === "surveys") incomplete.add(list.id);
        // The list's end, if it answers like this once more, or if nothing but empty pages follow.
        else {
          const isEnd = emptyPages.get(path)! > 1 || whole.body.includes("&closed=1");
          for (const stream of this.#streamsOf(sync.settings.streams, list.of))
            this.#hideFrom(stream, list.id, whole, isEnd);
        }
      }
      return spoiled;
    };
    return async ({ url }, signal) => {
      const path = url.slice("http://service.local/v2".length);
      const request = requests++;
      this.played.requests++;
      inFlight++;
      this.played.largestInFlight = Math.max(this.played.largestInFlight, inFlight);
      const isOfSurvey = path.startsWith("/surveys/");
      if (isOfSurvey) surveyPages.asked++;
      else if (surveyPages.asked > 0 && surveyPages.came === 0)
        wrong.add("nobody is asked before the first page");
      if (inFlight > sync.settings.maxConcurrentRequests) wrong.add("no more requests at once than allowed");
      if (requests > MOST_REQUESTS) {
        wrong.add("a sync ends");
        throw new Error("no more answers");
      }
      try {
        const fault = faults.get(request);
        const early = this.#random() < 0.5 && fault === undefined ? answer(path) : undefined;
        await clock.sleep(Math.floor(this.#random() * this.#history.slowestMs), signal);
        const reply = fault === undefined ? (early ?? answer(path)) : broken(fault, path);
        for (const change of changes.splice(0)) {
          if (change.afterRequest <= request) change.change();
          else changes.push(change);
        }
        return reply;
      } finally {
        if (isOfSurvey) surveyPages.came++;
        inFlight--;
      }
    };
  }

  /** `nameless`: to note the responses that name nobody in this sync. */
  #serviceFaults({ serviceFaults }: PlayedSync, nameless: Set<Response>): ServiceFaults {
    const { survey, failing, unreadable, attributes, short, disorder, links } = serviceFaults;
    const { responses } = this.#service;
    const placeOf = (place: number): number => place % (responses.length || 1);
    const from = (place: number): Response[] => responses.slice(placeOf(place));
    const fields = new Map<string, "uuid" | "collected_at" | "respondent">();
    for (const response of responses) {
      if (this.#isNamelessForGood(response)) fields.set(response.uuid, "respondent");
    }
    for (const { place, count, field } of unreadable) {
      for (const { uuid } of from(place).slice(0, count)) fields.set(uuid, field);
    }
    for (const response of responses) if (fields.get(response.uuid) === "respondent") nameless.add(response);
    const neighbours = failing ? [...new Set(from(failing.place).map(({ person }) => person))] : [];
    const shortened =
      short === undefined ? [] : short.who === "all" ? this.#people : [this.#personOf(short.who)];
    return {
      ...HEALTHY,
      missing: new Set(survey === undefined ? [] : [surveyId(survey)]),
      refusing: new Map(neighbours.slice(0, failing?.count).map((person) => [person, failing!.status])),
      links,
      short: new Map(shortened.map((person) => [person, short!.keeps])),
      disorder: new Set(disorder.flatMap((place) => responses[placeOf(place)]?.uuid ?? [])),
      unreadable: fields,
      attributesUnreadable: new Set(attributes === undefined ? [] : [this.#personOf(attributes)]),
    };
  }

  /** Of these people a complete stream may lack something. */
  #tolerate({ unreadable, attributesUnreadable }: ServiceFaults, streams: readonly StreamName[]): void {
    const people = this.#service.responses
      .filter(({ uuid }) => unreadable.has(uuid))
      .map(({ person }) => person);
    for (const stream of streams) {
      if (isOfSurveys(stream)) continue;
      for (const person of [...people, ...attributesUnreadable])
        this.#outOfReach.of(stream).troubled.add(person);
    }
  }

  /** The streams that read such a list of each person. A request does not tell for which of them it is. */
  #streamsOf(streams: readonly StreamName[], list: "responses" | "attributes"): StreamName[] {
    return streams.filter((stream) => STREAMS[stream].reads === `respondent ${list}`);
  }

  /** A person's list looks whole and holds the newest `keeps` responses alone. */
  #cut(stream: StreamName, person: string, keeps: number): void {
    const shown = this.#outOfReach.of(stream);
    const responses = this.#service.responsesOf(person);
    const oldest = responses[keeps - 1];
    const secondOf = ({ at }: Response): number => Math.floor(at / 1_000_000);
    for (const response of responses.slice(keeps)) {
      shown.hide(person, response.uuid);
      if (oldest !== undefined && secondOf(response) === secondOf(oldest)) shown.mistake(response.uuid);
    }
  }

  /** A page of a person's list was left out; `isEnd`: with everything below it. */
  #hideFrom(stream: StreamName, person: string, whole: HttpResponse, isEnd: boolean): void {
    const shown = this.#outOfReach.of(stream);
    shown.troubled.add(person);
    const [first] = JSON.parse(whole.body).data;
    if (!isEnd || first === undefined) return;
    if (isOfAttributes(stream)) {
      for (const id of this.#service.attributeIds(person)) {
        if (first.id === undefined || id >= first.id) shown.hide(person, `${person} ${id}`);
      }
      return;
    }
    const { uuid } = first.response ?? first;
    this.#cut(
      stream,
      person,
      Math.max(
        0,
        this.#service.responsesOf(person).findIndex((each) => each.uuid === uuid),
      ),
    );
  }

  #arrive({ survey, person, late }: Sync["arrivals"][number], nowMs: number): void {
    const id = this.#personOf(person);
    if (this.#vanished.has(id)) return;
    const now = this.#now(nowMs);
    const earliest = now - 1000 * this.#lookbackMs;
    const newest = Math.max(0, ...this.#service.responses.map(({ at }) => at).filter((at) => at <= now));
    const steps = late === "tie" ? 0 : late;
    const at = late === "tie" && newest >= earliest ? newest : now - this.#stretched(steps * GRID);
    // Who answers has one attribute more.
    this.#attributeCounts.set(id, this.#attributeCounts.get(id)! + 1);
    this.#add(survey, id, Math.max(0, at, earliest));
  }

  #delete(place: number): void {
    const response = this.#service.responses[place % (this.#service.responses.length || 1)];
    if (response) this.#service.remove(response.uuid);
  }

  /** Somebody always stays. */
  #vanish(who: "half" | number): void {
    const chosen =
      who === "half" ? this.#people.filter((_, place) => place % 2 === 1) : [this.#personOf(who)];
    for (const person of chosen) if (person !== this.#people[0]) this.#vanished.add(person);
  }
}

/** What a complete stream may leave for a later sync. */
interface LeftForLater {
  readonly isLeft: (response: Response) => boolean;
  /** People whose lists were odd: of them, only what surveys show is told apart. */
  readonly troubled: ReadonlySet<string>;
}
const NOBODY: ReadonlySet<string> = new Set();
const NOTHING_LEFT: LeftForLater = { isLeft: () => false, troubled: NOBODY };

function spelled(person: string, spelling: Settings["spelling"]): string[] {
  const capitals = person.toUpperCase();
  return spelling === "as shown" ? [person] : spelling === "capitals" ? [capitals] : [person, capitals];
}

/** The list that a path asks for. */
function listOf(path: string): {
  readonly kind: "surveys" | "respondents";
  /** In the service's spelling. */
  readonly id: string;
  readonly of: "responses" | "attributes";
  readonly name: string;
} {
  const [, kind, id, of] = path.split("?")[0]!.split("/") as [
    string,
    "surveys" | "respondents",
    string,
    "responses" | "attributes",
  ];
  const spelling = id.toLowerCase();
  return { kind, id: spelling, of, name: `/${kind}/${spelling}/${of}` };
}

function spoil(fault: Fault["fault"], path: string, whole: HttpResponse): HttpResponse {
  if (fault === "truncated") return { ...whole, body: whole.body.slice(0, whole.body.length / 2) };
  const page = JSON.parse(whole.body);
  const { has_more: hasMore } = page.pagination_data;
  if (fault === "no_has_more") delete page.pagination_data.has_more;
  if (fault === "no_link") page.pagination_data = { has_more: true };
  if (fault === "empty_page") {
    page.pagination_data = { has_more: true, next_url: path };
    page.data = [];
  }
  if (fault === "empty_page_link_on" && hasMore) page.data = [];
  if (fault === "link_elsewhere" && hasMore) {
    page.pagination_data.next_url = "/surveys/other/responses?items_per_page=2";
  }
  if (fault === "link_stays" && hasMore) page.pagination_data.next_url = path;
  if (fault === "link_back" && hasMore) {
    const size = /items_per_page=\d+/.exec(path)![0];
    page.pagination_data.next_url = `${path.split("?")[0]}?${size}`;
  }
  // Nobody could tell where an item that cannot be read belongs.
  const isReadable = (item: { response?: object }): boolean => {
    const { uuid, collected_at } = (item.response ?? item) as { uuid?: string; collected_at?: string };
    return uuid !== undefined && collected_at !== undefined && collected_at !== "yesterday";
  };
  if (fault === "reversed" && page.data.every(isReadable)) page.data.reverse();
  return { ...whole, body: JSON.stringify(page) };
}
