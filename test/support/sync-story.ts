import {
  ConnectionFault,
  createClient,
  type HttpResponse,
  render,
  type StreamName,
  type StreamRecord,
  type StreamState,
  type SyncOptions,
  say,
  type Timestamp,
} from "@survey-export/core";
import { expect } from "vitest";
import { createSimulatedClock } from "./clock.ts";
import {
  createListService,
  type Dialect,
  EPOCH_MS,
  HEALTHY,
  type ListService,
  type ServiceFaults,
  timestampAt,
} from "./list-service.ts";
import { Replica, syncInProcess, type Told } from "./sync.ts";

export const PLAIN: Dialect = {
  shape: "wrapped",
  link: "next_item",
  linkOnLastPage: false,
  honoursEnd: true,
  shows: "microseconds",
  hasDate: true,
  counts: 1,
};
/** In microseconds. */
export const SECOND = 1_000_000;
/** In seconds, as all times of a connection. */
export const HOUR = 3600;
export const DAY = 24 * HOUR;
/** How long a program waits for an answer. */
const SILENCE_MS = 20_000;
export const COMPLETE = { isComplete: true, failures: [] };
export const FAILED_ONCE = { isComplete: false, failures: [expect.any(String)] };

export const personId = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
/** Seconds after the service's epoch, as a timestamp. */
export const timestamp = (atS: number): Timestamp => timestampAt(atS * SECOND);
/** The number of a response that `connectionOf` made. */
const numberOf = (uuid: string): number => Number(uuid.slice(1));

export interface ListItem {
  readonly response: { readonly uuid: string; readonly collected_at: string };
}

/** "nothing" is silence. */
type Answer = HttpResponse | "nothing";

/** What a sync of one stream brought. */
export interface Synced extends Pick<Told, "isComplete" | "incomplete" | "records"> {
  readonly failures: readonly string[];
  /** Of the failures, each once. */
  readonly codes: readonly string[];
  readonly requests: number;
  /** The path of each request, in order. */
  readonly paths: readonly string[];
  /** The key of each record, in order: what came twice is here twice. */
  readonly emitted: readonly string[];
  readonly warnings: readonly string[];
  /** The code of each warning. */
  readonly warned: readonly string[];
  /** How long it took, in seconds. */
  readonly tookS: number;
}

export interface StorySync extends Partial<Omit<SyncOptions, "streams">> {
  /** Default: the connection's own. */
  readonly streams?: readonly StreamName[];
  /** When it begins. Default: an hour after the sync before, or after the newest response. */
  readonly at?: number;
}

/** One stream of one connection, over as many syncs as a story has: what was delivered, and the state. */
export class Connection {
  readonly service: ListService;
  /** How many attributes each person has: one from the first response on. */
  readonly attributes = new Map<string, number>();
  /** How long each answer takes. */
  latencyMs = 1;
  faults: ServiceFaults = HEALTHY;
  /** How far the machine's clock is ahead of the service's. */
  clockAheadS = 0;
  /** The service's time at its last answer, in seconds since its epoch. */
  nowS = 0;
  /** Answers in the service's place if it gives something. */
  script: ((path: string) => Answer | undefined) | undefined;
  readonly #stream: StreamName;
  readonly #hasDate: boolean;
  readonly #replica = new Replica();

  constructor(stream: StreamName, dialect: Partial<Dialect> = {}) {
    const whole = { ...PLAIN, ...dialect };
    this.#stream = stream;
    this.#hasDate = whole.hasDate;
    this.service = createListService(whole, this.attributes);
  }

  get delivered(): ReadonlySet<string> {
    return this.#replica.kept(this.#stream);
  }

  get state(): StreamState | undefined {
    return this.#replica.state(this.#stream) as StreamState | undefined;
  }

  set state(state: StreamState) {
    this.#replica.store(this.#stream, state);
  }

  /** `at`: seconds since the service's epoch. The configured survey is `s`, unless a sync says otherwise. */
  add(uuid: string, person: number, at: number, survey = "s"): void {
    const id = personId(person);
    if (!this.attributes.has(id)) this.attributes.set(id, 1);
    this.service.add({ uuid, survey, person: id, at: Math.round(at * SECOND) });
  }

  /** The paths of which `isOf` says so give this answer in the place of the service's own. */
  answers(isOf: (path: string) => boolean, answer: Answer | ((path: string) => Answer)): void {
    const answerTo = typeof answer === "function" ? answer : () => answer;
    this.script = (path) => (isOf(path) ? answerTo(path) : undefined);
  }

  /** The lists of the people of whom `isOf` says so give this answer. */
  answersOf(isOf: (person: number) => boolean, answer: HttpResponse): void {
    this.answers((path) => isOf(personOf(path) ?? Number.NaN), answer);
  }

  /** These items take the place of those on the pages of which `isOf` says so. */
  alters(isOf: (path: string) => boolean, change: (items: ListItem[]) => readonly unknown[]): void {
    this.answers(isOf, (path) => this.altered(path, change));
  }

  /** What the stream needs of these responses cannot be read: they themselves, or the lists of their people. */
  breaks(
    isBroken: (number: number) => boolean,
    field: "uuid" | "collected_at" | "respondent" = "uuid",
  ): void {
    if (this.#stream !== "survey_responses" && field === "uuid") {
      this.answersOf(isBroken, answering(403));
      return;
    }
    const spoiled = this.service.responses.filter(({ uuid }) => isBroken(numberOf(uuid)));
    this.faults = { ...HEALTHY, unreadable: new Map(spoiled.map(({ uuid }) => [uuid, field])) };
  }

  /** The service is healthy from now on. */
  heals(): void {
    this.faults = HEALTHY;
    this.script = undefined;
  }

  async sync({ at, ...options }: StorySync = {}): Promise<Synced> {
    const newestS = (this.service.responses[0]?.at ?? 0) / SECOND;
    const startS = at ?? Math.max(newestS, this.nowS) + HOUR;
    const clock = createSimulatedClock(EPOCH_MS + (startS + this.clockAheadS) * 1000);
    const paths: string[] = [];
    const warnings: string[] = [];
    const warned: string[] = [];
    const startMs = clock.now();
    const client = createClient(
      {
        clock,
        log: (level, message, code) => {
          if (level !== "warn") return;
          warnings.push(render(message));
          warned.push(String(code));
        },
        transport: async ({ url }, signal) => {
          const path = url.slice("http://service.local/v2".length);
          paths.push(path);
          await clock.sleep(this.latencyMs, signal);
          const serviceMs = clock.now() - this.clockAheadS * 1000;
          this.nowS = (serviceMs - EPOCH_MS) / 1000;
          const date = this.#hasDate ? { date: new Date(serviceMs).toUTCString() } : {};
          const answer = this.script?.(path) ?? this.service.answer(path, this.faults);
          if (answer === "nothing") {
            await clock.sleep(SILENCE_MS, signal);
            throw new ConnectionFault(say`no answer in time`);
          }
          return { ...answer, headers: { ...answer.headers, ...date } };
        },
      },
      { baseUrl: "http://service.local/v2" },
    );
    const { isComplete, incomplete, failures, records } = await syncInProcess(client, this.#replica, {
      surveyIds: ["s"],
      respondentUuids: [],
      lookbackMs: 600_000,
      ...options,
      streams: options.streams ?? [this.#stream],
      key: (_, record) => nameOf(record),
    });
    return {
      isComplete,
      incomplete,
      records,
      paths,
      requests: paths.length,
      warnings,
      warned,
      codes: [...new Set(failures.map(({ code }) => code))],
      failures: failures.map(({ message }) => message),
      emitted: records.map(nameOf),
      tookS: (clock.now() - startMs) / 1000,
    };
  }

  /** The service is healthy again: one sync brings all that is missing, and the next one has nothing to do. */
  async recovers(options: StorySync = {}): Promise<void> {
    this.heals();
    expect(await this.sync(options)).toMatchObject(COMPLETE);
    expect(this.missing()).toEqual([]);
    expect((await this.sync({ ...options, at: this.nowS + HOUR })).requests).toBeLessThan(8);
  }

  /** The service's answer, with other items on the page. */
  altered(path: string, change: (items: ListItem[]) => readonly unknown[]): HttpResponse {
    const answer = this.service.answer(path, this.faults);
    if (answer.status !== 200) return answer;
    const whole = JSON.parse(answer.body);
    return { ...answer, body: JSON.stringify({ ...whole, data: change(whole.data) }) };
  }

  /** The responses that were not delivered, or whose person's attributes were not. */
  missing(): string[] {
    const keyOf = ({ uuid, person }: { uuid: string; person: string }): string =>
      this.#stream === "respondent_attributes" ? `${person} 1` : uuid;
    return this.service.responses
      .filter((response) => !this.delivered.has(keyOf(response)))
      .map(({ uuid }) => uuid);
  }
}

/** Responses `r1`, `r2`, … an hour apart, each of the person of the same number, unless `layout` says otherwise. */
export function connectionOf(
  stream: StreamName,
  count: number,
  layout: Partial<Dialect> & {
    readonly at?: (number: number) => number;
    readonly person?: (number: number) => number;
  } = {},
): Connection {
  const { at = (number: number) => number * HOUR, person = (number: number) => number, ...dialect } = layout;
  const connection = new Connection(stream, dialect);
  for (let number = 1; number <= count; number++) connection.add(`r${number}`, person(number), at(number));
  return connection;
}

/** What tests call a record. */
const nameOf = ({ uuid, respondent_uuid, survey_id, id }: StreamRecord): string =>
  String(uuid ?? [respondent_uuid ?? survey_id ?? [], id].flat().join(" "));

export const page = (data: unknown[]): HttpResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ pagination_data: { has_more: false }, data }),
});
/** The number of the person whose list a path asks for. */
export const personOf = (path: string): number | undefined => {
  const [, digits] = /^\/respondents\/.{24}(\d{12})\//.exec(path) ?? [];
  return digits === undefined ? undefined : Number(digits);
};
export const isOfPerson = (path: string): boolean => personOf(path) !== undefined;
/** Whether a path is a link of the service. */
export const isLink = (path: string): boolean => path.includes("&after=");
export const answering = (status: number, body = ""): HttpResponse => ({ status, headers: {}, body });
export const NOT_FOUND: HttpResponse = answering(404);
