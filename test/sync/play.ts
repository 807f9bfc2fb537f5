import assert from "node:assert/strict";
import {
  connect,
  type Host,
  type HttpResponse,
  parseStreamState,
  type ReadEvent,
  read,
  type StreamName,
  type StreamRecord,
  type StreamState,
} from "@survey-export/core";
import { createSimulatedClock } from "../simulation/clock.ts";
import type { Fault, History, Settings, Sync } from "./history.ts";
import {
  type Ailments,
  createListService,
  HEALTHY,
  type ListService,
  momentOf,
  type Response,
} from "./list-service.ts";
import { randomFrom } from "./random.ts";

/**
 * Plays a history against the core and throws when a guarantee of spec/sync.md is broken.
 *
 * Out of reach by design, and so not asked for:
 * - a response to a survey that is not configured, given after its person's last response to one that is;
 * - whatever belongs to a respondent that was gone (404, asked twice in one sync);
 * - what was deleted;
 * - a response that arrives later than the lookback allows (none does, in these histories).
 */
export async function play(history: History): Promise<Played> {
  const world = new World(history);
  for (const sync of history.syncs) await world.sync(sync);
  await world.untilQuiet(history.syncs.at(-1)!.settings);
  return world.played;
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

const surveyId = (survey: number): string => `s${survey}`;
const personId = (person: number): string => `00000000-0000-4000-8000-00000000000${person}`;
const TRANSIENT: Readonly<Record<string, HttpResponse>> = {
  status_500: { status: 500, headers: {}, body: "" },
  status_429: { status: 429, headers: {}, body: "" },
  status_429_wait: { status: 429, headers: { "retry-after": "7" }, body: "" },
  status_503: { status: 503, headers: {}, body: "" },
  html: { status: 200, headers: {}, body: "<html>Back soon</html>" },
};
/** A sync of these histories that asks more often than this does not end. */
const MOST_REQUESTS = 3000;

class World {
  readonly played: Played = { syncs: 0, kills: 0, requests: 0, incomplete: 0, largestInFlight: 0 };
  readonly #history: History;
  readonly #service: ListService;
  readonly #people: readonly string[];
  readonly #destinations = new Map<StreamName, Destination>();
  readonly #gone = new Set<string>();
  readonly #random: () => number;
  #count = 0;
  /** Of all there ever was: time goes on though a response is deleted. */
  #newest = 0;

  constructor(history: History) {
    this.#history = history;
    this.#people = history.attributeCounts.map((_, person) => personId(person));
    this.#random = randomFrom(history.order);
    const counts = new Map(history.attributeCounts.map((count, person) => [personId(person), count]));
    this.#service = createListService(history.dialect, counts);
    for (const { survey, person, at } of history.responses) this.#add(survey, person, at);
  }

  #add(survey: number, person: number, at: number): void {
    this.#newest = Math.max(this.#newest, at);
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
      ailments: {
        survey: undefined,
        missing: undefined,
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
    if (stream === "survey_responses") return new Set(chosen.map(({ uuid }) => uuid));
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
    const clock = createSimulatedClock();
    const host: Host = { clock, log: () => {}, transport: this.#transport(sync, clock.sleep) };
    const service = connect(host, {
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
    const events = read(service, {
      surveyIds: settings.surveys.map(surveyId),
      respondentUuids: settings.respondents.map((person) => this.#people[person]!),
      streams: new Map(
        settings.streams.map((stream) => [
          stream,
          parseStreamState(this.#destinations.get(stream)!.state, stream),
        ]),
      ),
      startDate: settings.startDate === undefined ? undefined : momentOf(settings.startDate),
      endDate: settings.endDate === undefined ? undefined : momentOf(settings.endDate),
      lookbackMs: this.#history.lookbackMs + settings.moreLookbackMs,
      itemsPerPage: settings.itemsPerPage,
      inOrder: settings.inOrder,
    });

    const inThisSync = new Map<StreamName, Set<string>>(
      settings.streams.map((stream) => [stream, new Set()]),
    );
    const frozen: { readonly state: StreamState; readonly text: string }[] = [];
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
        if (event.complete) this.#checkComplete(event.stream, settings, existing);
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
    assert.deepEqual(this.#service.complaints, [], "the service has nothing to complain about");
    if (!complete) this.played.incomplete++;
    return complete;
  }

  #receive(event: ReadEvent & { type: "records" }, seen: Set<string>): void {
    const destination = this.#destinations.get(event.stream)!;
    for (const record of event.records) {
      const key = keyOf(record);
      assert.ok(!seen.has(key), `${event.stream}: ${key} comes once in one sync`);
      seen.add(key);
      destination.pending.push(key);
    }
  }

  #write(stream: StreamName, state: StreamState): void {
    const destination = this.#destinations.get(stream)!;
    for (const key of destination.pending) destination.kept.add(key);
    destination.pending = [];
    destination.state = JSON.parse(JSON.stringify(state));
  }

  /**
   * What a state covers has been delivered: whatever was there when the sync began, and, a lookback below the
   * newest of each survey, whatever is there now. Edges prove nothing (I3).
   */
  #checkState(
    stream: StreamName,
    state: StreamState,
    settings: Settings,
    existing: readonly Response[],
  ): void {
    const { kept, pending } = this.#destinations.get(stream)!;
    const delivered = (key: string): boolean => kept.has(key) || pending.includes(key);
    const configured = new Set(settings.surveys.map(surveyId));
    const lookback = this.#history.lookbackMs * 1000;
    for (const [id, spans] of Object.entries(state.surveys)) {
      const newest = spans.at(-1)![1];
      const covers = (moment: string): boolean =>
        spans.some(([older, newer]) => (older === null || older < moment) && moment < newer);
      for (const response of this.#service.responses) {
        if (response.survey !== id || !covers(momentOf(response.at))) continue;
        const settled = momentOf(response.at + lookback) < newest;
        if (!settled && !(configured.has(id) && existing.includes(response))) continue;
        if (stream !== "survey_responses" && this.#gone.has(response.person)) continue;
        const keys =
          stream === "respondent_attributes" ? this.#attributeKeys(response.person) : [response.uuid];
        for (const key of keys) {
          assert.ok(
            delivered(key),
            `${stream}: no state covers ${key} (${id}, ${momentOf(response.at)}) before it is delivered: ${JSON.stringify(state)}`,
          );
        }
      }
    }
    for (const [id, spans] of Object.entries(state.respondents ?? {})) {
      if (this.#gone.has(id) || !settings.respondents.some((person) => this.#people[person] === id)) continue;
      for (const response of existing) {
        const moment = momentOf(response.at);
        const covered = spans.some(([older, newer]) => (older === null || older < moment) && moment < newer);
        if (response.person !== id || !covered || !this.#service.responses.includes(response)) continue;
        assert.ok(
          delivered(response.uuid),
          `${stream}: no state covers ${response.uuid} of ${id} before it is delivered`,
        );
      }
    }
  }

  /** A stream that says it is complete has delivered all that was there when the sync began. */
  #checkComplete(stream: StreamName, settings: Settings, existing: readonly Response[]): void {
    const { kept } = this.#destinations.get(stream)!;
    const there = existing.filter((response) => this.#service.responses.includes(response));
    const lost = [...this.#wanted(stream, settings, there)].filter((key) => !kept.has(key));
    assert.deepEqual(lost, [], `${stream}: a complete stream has delivered everything`);
  }

  #transport(sync: Sync, sleep: (ms: number, signal?: AbortSignal) => Promise<void>): Host["transport"] {
    const ailments = this.#ailments(sync);
    const faults = new Map(sync.faults.map(({ request, fault }) => [request, fault]));
    const asked = new Map<string, number>();
    let requests = 0;
    let inFlight = 0;
    const changes = [
      ...sync.arrivals.map(({ afterRequest, survey, person, later }) => ({
        afterRequest,
        change: () => this.#arrive(survey, person, later),
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
      const { missing } = sync.ailments;
      const person = missing && this.#people[missing.person]!;
      if (missing && list.startsWith(`/respondents/${person}/`) && times <= missing.times) {
        if (times === 2) this.#gone.add(person!);
        return { status: 404, headers: {}, body: "" };
      }
      return this.#service.answer(path, ailments);
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
        await sleep(Math.floor(this.#random() * 4), signal);
        const reply = fault === undefined ? (early ?? answer(path)) : broken(fault, () => answer(path));
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

  #ailments({ ailments }: Sync): Ailments {
    const { survey, failing, unreadable, attributes } = ailments;
    const spoiled =
      unreadable && this.#service.responses[unreadable.place % (this.#service.responses.length || 1)];
    return {
      ...HEALTHY,
      missing: new Set(survey === undefined ? [] : [surveyId(survey)]),
      failing: new Set(failing === undefined ? [] : [this.#people[failing]!]),
      unreadable: new Map(spoiled ? [[spoiled.uuid, unreadable.field]] : []),
      attributesUnreadable: new Set(attributes === undefined ? [] : [this.#people[attributes]!]),
    };
  }

  #arrive(survey: number, person: number, later: number): void {
    this.#add(survey, person, Math.max(0, this.#newest + Math.max(later, -1000 * this.#history.lookbackMs)));
  }

  #delete(place: number): void {
    const response = this.#service.responses[place % (this.#service.responses.length || 1)];
    if (response) this.#service.remove(response.uuid);
  }
}

function broken(fault: Fault["fault"], answer: () => HttpResponse): HttpResponse {
  if (fault === "reset") throw new Error("the connection was cut");
  const transient = TRANSIENT[fault];
  if (transient) return transient;
  const whole = answer();
  if (whole.status !== 200) return whole;
  if (fault === "truncated") return { ...whole, body: whole.body.slice(0, whole.body.length / 2) };
  const page = JSON.parse(whole.body);
  if (fault === "no_has_more") delete page.pagination_data.has_more;
  if (fault === "no_link") page.pagination_data = { has_more: true };
  if (fault === "reversed") {
    const moments = page.data
      .map(
        (item: { response?: object }) => (item.response ?? item) as { uuid?: string; collected_at: string },
      )
      .flatMap(({ uuid, collected_at }: { uuid?: string; collected_at: string }) =>
        uuid === undefined || collected_at === "yesterday" ? [] : collected_at,
      );
    // A page of ties, or of one item that can be read, is as good in the other order.
    if (new Set(moments).size < 2) return { ...whole, body: "" };
    page.data.reverse();
  }
  return { ...whole, body: JSON.stringify(page) };
}

function keyOf(record: StreamRecord): string {
  return "uuid" in record ? String(record.uuid) : `${record.respondent_uuid} ${record.id}`;
}
