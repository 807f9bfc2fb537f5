import assert from "node:assert/strict";
import {
  type Clock,
  createClient,
  type Host,
  type HttpResponse,
  parseStreamState,
  readStreams,
  STREAMS,
  type StateSnapshot,
  type StreamName,
  type StreamRecord,
  type StreamState,
  type SyncEvent,
} from "@survey-export/core";
import { createSimulatedClock } from "../simulation/clock.ts";
import { personId } from "./connection.ts";
import type { Fault, History, Settings, Sync } from "./history.ts";
import {
  createListService,
  type Dialect,
  EPOCH_MS,
  HEALTHY,
  type ListService,
  type Response,
  type ServiceFaults,
  timestampAt,
} from "./list-service.ts";
import { randomFrom } from "./random.ts";

/**
 * Plays a history against the core and throws when a guarantee of spec/sync.md is broken.
 *
 * Out of reach by design, and so not asked for:
 * - a response to a survey that is not configured, given after its person's last response to one that is;
 * - everything that belongs to a respondent whom two syncs did not find (404, asked twice in each);
 * - what was deleted;
 * - a response that arrives later than the lookback allows (none does, in these histories).
 */
export async function play(history: History): Promise<Played> {
  const world = new World(history);
  const syncs = history.syncs.map((sync) => ({ ...sync, settings: aligned(sync.settings, history.dialect) }));
  for (const sync of syncs) await world.sync(sync);
  await world.untilQuiet(syncs.at(-1)!.settings);
  return world.played;
}

/** Dates that fall between two timestamps which the service can show mean different things to it and to its reader. */
function aligned(settings: Settings, { shows }: Dialect): Settings {
  if (shows === "microseconds") return settings;
  const down = (at: number | undefined) => (at === undefined ? undefined : Math.floor(at / 1000) * 1000);
  const startDate = down(settings.startDate);
  const endDate = down(settings.endDate);
  const isEmpty = startDate !== undefined && endDate !== undefined && startDate >= endDate;
  return { ...settings, startDate, endDate: isEmpty ? startDate + 1000 : endDate };
}

/** What a history brought about, to show that the interesting things do happen. */
export interface Played {
  syncs: number;
  kills: number;
  requests: number;
  incomplete: number;
  largestInFlight: number;
}

/** A destination keeps a stream's records once a state has come behind them. */
interface Destination {
  state: unknown;
  readonly kept: Set<string>;
  pending: string[];
}

const isOfSurveys = (stream: StreamName): boolean => STREAMS[stream].reads === "survey responses";
const surveyId = (survey: number): string => `s${survey}`;
const TRANSIENT: Readonly<Record<string, HttpResponse>> = {
  status_500: { status: 500, headers: {}, body: "" },
  status_429: { status: 429, headers: {}, body: "" },
  status_429_wait: { status: 429, headers: { "retry-after": "7" }, body: "" },
  status_503: { status: 503, headers: {}, body: "" },
  html: { status: 200, headers: {}, body: "<html>Back soon</html>" },
};
/** A sync of these histories that asks more often than this does not end. */
const MOST_REQUESTS = 3000;
/** The first sync begins when every response but the one from the future is past for good. */
const SETTLED_MS = 10_000;
const OLD_MS = 2 * 86_400_000;
const BETWEEN_SYNCS_MS = 40 * 60_000;

class World {
  readonly played: Played = { syncs: 0, kills: 0, requests: 0, incomplete: 0, largestInFlight: 0 };
  readonly #history: History;
  readonly #service: ListService;
  readonly #people: readonly string[];
  readonly #destinations = new Map<StreamName, Destination>();
  /** Respondents whom two syncs did not find: they count as deleted. */
  readonly #gone = new Set<string>();
  readonly #notFoundBefore = new Set<string>();
  readonly #notFoundNow = new Set<string>();
  readonly #random: () => number;
  #count = 0;
  /** Of all responses that there ever were: time goes on though a response is deleted. */
  readonly #times: number[] = [0];
  #nowMs: number;

  constructor(history: History) {
    this.#history = history;
    this.#nowMs = EPOCH_MS + SETTLED_MS + (history.isOld ? OLD_MS : 0);
    this.#people = history.attributeCounts.map((_, person) => personId(person));
    this.#random = randomFrom(history.order);
    const counts = new Map(history.attributeCounts.map((count, person) => [personId(person), count]));
    this.#service = createListService(history.dialect, counts);
    for (const { survey, person, at } of history.responses) this.#add(survey, person, at);
    const { fromTheFuture } = history;
    if (fromTheFuture) this.#add(fromTheFuture.survey, fromTheFuture.person, fromTheFuture.at);
  }

  #add(survey: number, person: number, at: number): void {
    this.#times.push(at);
    this.#service.add({
      uuid: `r${++this.#count}`,
      survey: surveyId(survey),
      person: this.#people[person]!,
      at,
    });
  }

  async untilQuiet(settings: Settings): Promise<void> {
    const quiet: Sync = {
      settings: { ...settings, fresh: [] },
      arrivals: [],
      deletions: [],
      faults: [],
      serviceFaults: {
        survey: undefined,
        notFound: undefined,
        failing: undefined,
        unreadable: undefined,
        attributes: undefined,
      },
      killAfter: undefined,
      written: 0xffff,
    };
    const complete = await this.sync(quiet);
    assert.ok(complete, "a sync of a healthy service ends complete");
    for (const stream of settings.streams) {
      const { kept } = this.#destinations.get(stream)!;
      const wanted = this.#wanted(stream, settings, [...this.#service.responses]);
      const lost = [...wanted].filter((key) => !kept.has(key));
      assert.deepEqual(lost, [], `${stream}: everything is delivered once it is quiet`);
    }
  }

  /** Keys that a complete stream has delivered, of the responses given. */
  #wanted(stream: StreamName, settings: Settings, responses: readonly Response[]): Set<string> {
    const { startDate = 0, endDate = Number.POSITIVE_INFINITY } = settings;
    const configured = new Set(settings.surveys.map(surveyId));
    const inWindow = responses.filter(({ at }) => at >= startDate && at <= endDate);
    const chosen = inWindow.filter(({ survey }) => configured.has(survey));
    if (isOfSurveys(stream)) return new Set(chosen.map(({ uuid }) => uuid));
    const reachable = (person: string): boolean => !this.#gone.has(person);
    const named = new Set(settings.respondents.map((person) => this.#people[person]!).filter(reachable));
    const lastAnswer = new Map<string, number>();
    for (const { person, at } of chosen) {
      if (reachable(person)) lastAnswer.set(person, Math.max(at, lastAnswer.get(person) ?? 0));
    }
    if (stream === "respondent_responses") {
      return new Set(
        inWindow
          .filter(({ person, at }) => named.has(person) || at <= (lastAnswer.get(person) ?? -1))
          .map(({ uuid }) => uuid),
      );
    }
    return new Set([...named, ...lastAnswer.keys()].flatMap((person) => this.#attributeKeys(person)));
  }

  #attributeKeys(person: string): string[] {
    return this.#service.attributeIds(person).map((id) => `${person} ${id}`);
  }

  async sync(sync: Sync): Promise<boolean> {
    const { settings } = sync;
    this.played.syncs++;
    const existing = [...this.#service.responses];
    const clock = createSimulatedClock(this.#nowMs);
    this.#notFoundNow.clear();
    const host: Host = { clock, log: () => {}, transport: this.#transport(sync, clock) };
    const client = createClient(host, {
      baseUrl: "http://service.local/v2",
      maxConcurrentRequests: settings.maxConcurrentRequests,
    });

    for (const stream of settings.streams) {
      const destination = this.#destinations.get(stream) ?? {
        state: undefined,
        kept: new Set(),
        pending: [],
      };
      this.#destinations.set(stream, destination);
      destination.pending = [];
      if (!settings.fresh.includes(stream)) continue;
      destination.state = undefined;
      destination.kept.clear();
    }
    const events = readStreams(client, {
      surveyIds: settings.surveys.map(surveyId),
      respondentUuids: settings.respondents.map((person) => this.#people[person]!),
      streams: new Map(
        settings.streams.map((stream) => [
          STREAMS[stream],
          parseStreamState(this.#destinations.get(stream)!.state, stream),
        ]),
      ),
      startDate: settings.startDate === undefined ? undefined : timestampAt(settings.startDate),
      endDate: settings.endDate === undefined ? undefined : timestampAt(settings.endDate),
      lookbackMs: this.#history.lookbackMs + settings.moreLookbackMs,
      itemsPerPage: settings.itemsPerPage,
      inOrder: settings.inOrder,
    });

    const inThisSync = new Map<StreamName, Set<string>>(
      settings.streams.map((stream) => [stream, new Set()]),
    );
    const frozen: { readonly state: StateSnapshot; readonly text: string }[] = [];
    let count = 0;
    let complete = true;
    for await (const event of events) {
      if (event.type === "failure") assert.notEqual(event.error.code, "defect", event.error.stack);
      if (event.type === "start" || event.type === "records" || event.type === "end") {
        if (event.type === "records") this.#receive(event, inThisSync.get(event.stream)!);
        frozen.push({ state: event.state, text: JSON.stringify(event.state) });
        this.#checkState(event.stream, event.state, settings, existing);
        const isWritten = event.type === "end" || ((sync.written >> (count % 16)) & 1) === 1;
        if (isWritten) this.#write(event.stream, event.state);
      }
      if (event.type === "end") {
        complete &&= event.complete;
        if (event.complete) this.#checkComplete(event.stream, event.state, settings, existing);
      }
      if (count++ === sync.killAfter) {
        this.played.kills++;
        complete = false;
        break;
      }
    }
    for (const { state, text } of frozen) {
      assert.equal(JSON.stringify(state), text, "a state stays as it was when it was told (I4)");
    }
    this.#nowMs = clock.now() + BETWEEN_SYNCS_MS;
    assert.deepEqual(this.#service.complaints, [], "the service has nothing to complain about");
    for (const list of this.#notFoundNow) this.#notFoundBefore.add(list);
    if (!complete) this.played.incomplete++;
    return complete;
  }

  #receive(event: SyncEvent<StreamName> & { type: "records" }, seen: Set<string>): void {
    const destination = this.#destinations.get(event.stream)!;
    for (const record of event.records) {
      const key = keyOf(record);
      assert.ok(!seen.has(key), `${event.stream}: ${key} comes once in one sync`);
      seen.add(key);
      destination.pending.push(key);
    }
  }

  #write(stream: StreamName, state: StateSnapshot): void {
    const destination = this.#destinations.get(stream)!;
    for (const key of destination.pending) destination.kept.add(key);
    destination.pending = [];
    const before = destination.state as StreamState | undefined;
    destination.state = JSON.parse(JSON.stringify(state));
    const after = destination.state as StreamState;
    if (before === undefined || !isOfSurveys(stream)) return;
    for (const [id, intervals] of Object.entries(before.surveys)) {
      const [newest, now] = [intervals.at(-1)![1], after.surveys[id]?.at(-1)?.[1] ?? ""];
      assert.ok(newest <= now, `${stream}: the newest timestamp of ${id} stays in the state (I5)`);
    }
  }

  /**
   * What a state covers has been delivered: whatever was there when the sync began, and, a lookback below the
   * newest of each survey, whatever is there now. Edges prove nothing (I3).
   */
  #checkState(
    stream: StreamName,
    state: StateSnapshot,
    settings: Settings,
    existing: readonly Response[],
  ): void {
    const { kept, pending } = this.#destinations.get(stream)!;
    const delivered = (key: string): boolean => kept.has(key) || pending.includes(key);
    const configured = new Set(settings.surveys.map(surveyId));
    const lookback = this.#history.lookbackMs * 1000;
    const {
      surveys,
      respondents = {},
      not_found: notFound = [],
      start_date: startDate = "",
    } = state.toJSON();
    const noted = new Set(notFound.map(([uuid]) => uuid));
    for (const [id, intervals] of Object.entries(surveys)) {
      const newest = intervals.at(-1)![1];
      const covers = (timestamp: string): boolean =>
        intervals.some(([older, newer]) => (older === null || older < timestamp) && timestamp < newer);
      for (const response of this.#service.responses) {
        if (response.survey !== id || !covers(this.#service.shown(response))) continue;
        const settled = timestampAt(response.at + lookback) < newest;
        if (!settled && !(configured.has(id) && existing.includes(response))) continue;
        // Coverage below the start date is void as soon as that is moved back.
        if (!isOfSurveys(stream) && timestampAt(response.at) < startDate) continue;
        if (!isOfSurveys(stream) && (this.#gone.has(response.person) || noted.has(response.person))) continue;
        const keys =
          stream === "respondent_attributes" ? this.#attributeKeys(response.person) : [response.uuid];
        for (const key of keys) {
          assert.ok(
            delivered(key),
            `${stream}: no state covers ${key} (${id}, ${timestampAt(response.at)}) before it is delivered: ${JSON.stringify(state)}`,
          );
        }
      }
    }
    for (const [id, intervals] of Object.entries(respondents)) {
      if (this.#gone.has(id) || !settings.respondents.some((person) => this.#people[person] === id)) continue;
      for (const response of existing) {
        const timestamp = this.#service.shown(response);
        const covered = intervals.some(
          ([older, newer]) => (older === null || older < timestamp) && timestamp < newer,
        );
        if (response.person !== id || !covered || !this.#service.responses.includes(response)) continue;
        assert.ok(
          delivered(response.uuid),
          `${stream}: no state covers ${response.uuid} of ${id} before it is delivered`,
        );
      }
    }
  }

  /** A stream that says it is complete has delivered all that was there when the sync began. */
  #checkComplete(
    stream: StreamName,
    state: StateSnapshot,
    settings: Settings,
    existing: readonly Response[],
  ): void {
    const { kept } = this.#destinations.get(stream)!;
    const noted = (state.toJSON().not_found ?? []).map(([uuid]) => uuid);
    const notFound = new Set([...noted, ...[...this.#notFoundNow].map((list) => list.split("/")[2])]);
    const there = existing.filter(
      (response) =>
        this.#service.responses.includes(response) && (isOfSurveys(stream) || !notFound.has(response.person)),
    );
    const named = settings.respondents.filter((person) => !notFound.has(this.#people[person]!));
    const wanted = this.#wanted(stream, { ...settings, respondents: named }, there);
    const lost = [...wanted].filter((key) => !kept.has(key));
    assert.deepEqual(lost, [], `${stream}: a complete stream has delivered everything`);
  }

  #transport(sync: Sync, clock: Clock): Host["transport"] {
    const date = (): Record<string, string> =>
      this.#history.dialect.hasDate ? { date: new Date(clock.now()).toUTCString() } : {};
    const serviceFaults = this.#serviceFaults(sync);
    // A service that hides the same items behind empty pages twice is taken at its word (spec/sync.md, out of reach).
    const firstEmpty = sync.faults.find(isEmptyPage);
    const faults = new Map(
      sync.faults
        .filter((each) => !isEmptyPage(each) || each === firstEmpty)
        .map(({ request, fault }) => [request, fault]),
    );
    const asked = new Map<string, number>();
    const notFoundAnswers = new Map<string, number>();
    let requests = 0;
    let inFlight = 0;
    const changes = [
      ...(this.#history.isOld ? [] : sync.arrivals).map(({ afterRequest, survey, person, later }) => ({
        afterRequest,
        change: () => this.#arrive(survey, person, later, clock.now()),
      })),
      ...sync.deletions.map(({ afterRequest, place }) => ({
        afterRequest,
        change: () => this.#delete(place),
      })),
    ];
    const answer = (path: string): HttpResponse => {
      const list = path.split("?")[0]!;
      const times = (asked.get(list) ?? 0) + 1;
      asked.set(list, times);
      const { notFound } = sync.serviceFaults;
      const person = notFound && this.#people[notFound.person]!;
      if (notFound && list.startsWith(`/respondents/${person}/`)) {
        const { pattern } = notFound;
        const isMissing = pattern[Math.min(times, pattern.length) - 1] === "4";
        if (isMissing) {
          const answers = (notFoundAnswers.get(list) ?? 0) + 1;
          notFoundAnswers.set(list, answers);
          if (answers === 2) this.#noteNotFound(list, person!);
        }
        if (isMissing) return { status: 404, headers: date(), body: "" };
      }
      return { ...this.#service.answer(path, serviceFaults), headers: date() };
    };
    return async ({ url }, signal) => {
      const path = url.slice("http://service.local/v2".length);
      const request = requests++;
      this.played.requests++;
      assert.ok(requests < MOST_REQUESTS, "a sync ends");
      inFlight++;
      this.played.largestInFlight = Math.max(this.played.largestInFlight, inFlight);
      assert.ok(inFlight <= sync.settings.maxConcurrentRequests, "no more requests at once than allowed");
      try {
        const fault = faults.get(request);
        const early = this.#random() < 0.5 && fault === undefined ? answer(path) : undefined;
        await clock.sleep(Math.floor(this.#random() * this.#history.slowestMs), signal);
        const reply = fault === undefined ? (early ?? answer(path)) : broken(fault, path, () => answer(path));
        for (const change of changes.splice(0)) {
          if (change.afterRequest <= request) change.change();
          else changes.push(change);
        }
        return reply;
      } finally {
        inFlight--;
      }
    };
  }

  #serviceFaults({ serviceFaults }: Sync): ServiceFaults {
    const { survey, failing, unreadable, attributes } = serviceFaults;
    const { responses } = this.#service;
    const first = unreadable && unreadable.place % (responses.length || 1);
    const spoiled = unreadable ? responses.slice(first, first! + unreadable.count) : [];
    return {
      ...HEALTHY,
      missing: new Set(survey === undefined ? [] : [surveyId(survey)]),
      failing: new Set(failing === undefined ? [] : [this.#people[failing]!]),
      unreadable: new Map(spoiled.map(({ uuid }) => [uuid, unreadable!.field])),
      attributesUnreadable: new Set(attributes === undefined ? [] : [this.#people[attributes]!]),
    };
  }

  /** A list that is not found in a second sync counts as deleted. */
  #noteNotFound(list: string, person: string): void {
    if (this.#notFoundBefore.has(list)) this.#gone.add(person);
    this.#notFoundNow.add(list);
  }

  #arrive(survey: number, person: number, later: number, nowMs: number): void {
    const now = 1000 * (nowMs - EPOCH_MS);
    const newest = Math.max(...this.#times.filter((time) => time <= now));
    this.#add(survey, person, Math.max(0, newest + Math.max(later, -1000 * this.#history.lookbackMs)));
  }

  #delete(place: number): void {
    const response = this.#service.responses[place % (this.#service.responses.length || 1)];
    if (response) this.#service.remove(response.uuid);
  }
}

const isEmptyPage = ({ fault }: Fault): boolean => fault.startsWith("empty_page");
const json = (body: unknown): HttpResponse => ({ status: 200, headers: {}, body: JSON.stringify(body) });

function broken(fault: Fault["fault"], path: string, answer: () => HttpResponse): HttpResponse {
  if (fault === "reset") throw new Error("the connection was cut");
  const transient = TRANSIENT[fault];
  if (transient) return transient;
  const whole = answer();
  if (whole.status !== 200) return whole;
  if (fault === "truncated") return { ...whole, body: whole.body.slice(0, whole.body.length / 2) };
  const page = JSON.parse(whole.body);
  if (fault === "no_has_more") delete page.pagination_data.has_more;
  if (fault === "no_link") page.pagination_data = { has_more: true };
  if (fault === "empty_page") return json({ pagination_data: { has_more: true, next_url: path }, data: [] });
  if (fault === "empty_page_link_on" && page.pagination_data.has_more) page.data = [];
  if (fault === "link_elsewhere" && page.pagination_data.has_more) {
    page.pagination_data.next_url = "/surveys/other/responses?items_per_page=2";
  }
  if (fault === "reversed") {
    const timestamps = page.data
      .map(
        (item: { response?: object }) => (item.response ?? item) as { uuid?: string; collected_at: string },
      )
      .flatMap(({ uuid, collected_at }: { uuid?: string; collected_at: string }) =>
        uuid === undefined || collected_at === "yesterday" ? [] : collected_at,
      );
    // A page of ties, or of one item that can be read, is as good in the other order.
    if (new Set(timestamps).size < 2) return { ...whole, body: "" };
    page.data.reverse();
  }
  return { ...whole, body: JSON.stringify(page) };
}

function keyOf(record: StreamRecord): string {
  if ("response_uuid" in record) return String(record.response_uuid);
  return "uuid" in record ? String(record.uuid) : `${record.respondent_uuid} ${record.id}`;
}
