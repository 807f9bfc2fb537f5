import {
  createClient,
  type HttpResponse,
  render,
  type StreamName,
  type StreamRecord,
  type StreamState,
  type SyncEvent,
  type SyncOptions,
} from "@survey-export/core";
import { createSimulatedClock } from "./clock.ts";
import {
  createListService,
  type Dialect,
  EPOCH_MS,
  HEALTHY,
  type ListService,
  type ServiceFaults,
} from "./list-service.ts";
import { randomFrom } from "./random.ts";
import { Replica } from "./replica.ts";
import { syncInProcess } from "./sync.ts";

export const PLAIN: Dialect = {
  ...{ shape: "wrapped", link: "next_item", linkOnLastPage: false, closesEmpty: false },
  ...{ honoursEnd: true, shows: "microseconds", hasDate: true },
};
export const SECOND = 1_000_000;
export const personId = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

export interface ListItem {
  readonly response: { readonly uuid: string; readonly collected_at: string };
}

/** What a sync of one stream brought. */
export interface Synced {
  readonly isComplete: boolean | undefined;
  readonly failures: readonly string[];
  readonly requests: number;
  /** The path of each request, in order. */
  readonly paths: readonly string[];
  readonly records: readonly StreamRecord[];
  /** The key of each record, in order: what came twice is here twice. */
  readonly emitted: readonly string[];
  readonly warnings: readonly string[];
  /** How long it took, in seconds. */
  readonly tookS: number;
}

/** One stream of one connection, over as many syncs as a test wants: what was delivered, and the state. */
export class Connection {
  readonly service: ListService;
  /** How long each answer takes. */
  latencyMs = 1;
  /** Decides whom a sync tries while everybody fails. */
  random: () => number = randomFrom(1);
  faults: ServiceFaults = HEALTHY;
  /** How far the machine's clock is ahead of the service's. */
  clockAheadS = 0;
  readonly warnings: string[] = [];
  /** The service's time at its last answer, in seconds since its epoch. */
  nowS = 0;
  /** Answers in the service's place if it gives something. */
  script: ((path: string) => HttpResponse | undefined) | undefined;
  readonly #stream: StreamName;
  readonly #hasDate: boolean;
  readonly #replica = new Replica();

  constructor(stream: StreamName, dialect: Dialect = PLAIN, attributes = new Map<string, number>()) {
    this.#stream = stream;
    this.#hasDate = dialect.hasDate;
    this.service = createListService(dialect, attributes);
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
    this.service.add({ uuid, survey, person: personId(person), at: Math.round(at * SECOND) });
  }

  /** A sync that begins `nowS` seconds after the service's epoch. `until` ends it early, as a kill does. */
  async sync(
    nowS: number,
    options: Partial<SyncOptions> = {},
    until: (event: SyncEvent, nowMs: number) => boolean = () => false,
  ): Promise<Synced> {
    const clock = createSimulatedClock(EPOCH_MS + (nowS + this.clockAheadS) * 1000);
    const paths: string[] = [];
    const [startMs, warned] = [clock.now(), this.warnings.length];
    const client = createClient(
      {
        ...{ clock, random: this.random },
        log: (level, message) => {
          if (level === "warn") this.warnings.push(render(message));
        },
        transport: async ({ url }, signal) => {
          const path = url.slice("http://service.local/v2".length);
          paths.push(path);
          await clock.sleep(this.latencyMs, signal);
          const serviceMs = clock.now() - this.clockAheadS * 1000;
          this.nowS = (serviceMs - EPOCH_MS) / 1000;
          const date = this.#hasDate ? { date: new Date(serviceMs).toUTCString() } : {};
          return { ...(this.script?.(path) ?? this.service.answer(path, this.faults)), headers: date };
        },
      },
      { baseUrl: "http://service.local/v2" },
    );
    const { isComplete, failures, records } = await syncInProcess(client, this.#replica, {
      ...{ surveyIds: ["s"], respondentUuids: [], lookbackMs: 600_000, ...options },
      ...{ streams: [this.#stream], key: (_, record) => nameOf(record) },
      onEvent: (event) => ({ isLast: until(event, clock.now()) }),
    });
    return {
      ...{ isComplete, records, paths, requests: paths.length },
      failures: failures.map(({ message }) => message),
      emitted: records.map(nameOf),
      warnings: this.warnings.slice(warned),
      tookS: (clock.now() - startMs) / 1000,
    };
  }

  /** The service's answer, with other items on the page. */
  altered(path: string, change: (items: ListItem[]) => readonly unknown[]): HttpResponse {
    const answer = this.service.answer(path, this.faults);
    if (answer.status !== 200) return answer;
    const whole = JSON.parse(answer.body);
    return { ...answer, body: JSON.stringify({ ...whole, data: change(whole.data) }) };
  }

  /** The responses that were not delivered yet. */
  missing(): string[] {
    return this.service.responses.map(({ uuid }) => uuid).filter((uuid) => !this.delivered.has(uuid));
  }
}

/** What tests call a record. */
const nameOf = ({ uuid, respondent_uuid, id }: StreamRecord): string =>
  String(uuid ?? `${respondent_uuid} ${id}`);

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
export const answering = (status: number): HttpResponse => ({ status, headers: {}, body: "" });
export const NOT_FOUND: HttpResponse = answering(404);
