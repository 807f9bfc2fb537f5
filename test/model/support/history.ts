import type { OnUnreadable, StreamName } from "@survey-export/core";
import fc from "fast-check";
import { RESUMABLE } from "../../../tools/demo/expected-keys.ts";
import type { Dialect } from "./list-service.ts";

/** Everything that happens to one connection: the data, what users change, what goes wrong, and when it is killed. */
export interface History {
  readonly dialect: Dialect;
  /** How many attributes each person has. Its length is the number of people. */
  readonly attributeCounts: readonly number[];
  readonly responses: readonly Given[];
  /** All times and the lookback are this many times as long: 25 ms of data become 17 s, or eight days. */
  readonly stretch: number;
  /** The shortest lookback ever configured, in milliseconds: nothing arrives later than that. */
  readonly lookbackMs: number;
  /** How long after the last of these responses the first sync begins. */
  readonly ageMs: number;
  /** A response dated an hour ahead of the service's clock when the first sync begins. */
  readonly fromTheFuture: { readonly survey: number; readonly person: number } | undefined;
  /** Each response whose number is a multiple of this names nobody, for good. */
  readonly namelessEvery: number | undefined;
  readonly syncs: readonly Sync[];
  /** The longest that an answer takes. */
  readonly slowestMs: number;
  /** Decides how long each answer takes, and whether it tells of the moment when it was asked or came back. */
  readonly order: number;
}

export interface Given {
  readonly survey: number;
  readonly person: number;
  readonly at: number;
}

export interface Sync {
  readonly settings: Settings;
  /** How long after the sync before. */
  readonly pauseMs: number;
  readonly arrivals: readonly Arrival[];
  /** Responses deleted in mid-sync, by their place in the data. */
  readonly deletions: readonly { readonly afterRequest: number; readonly place: number }[];
  /** People deleted for good in mid-sync: their lists answer 404 from then on. Surveys show their responses. */
  readonly vanishing: { readonly afterRequest: number; readonly who: "half" | number } | undefined;
  readonly faults: readonly Fault[];
  readonly serviceFaults: DataFaults;
  /** Killed after this many events; undefined = it may end. */
  readonly killAfter: number | undefined;
  /** Which states reach the destination: a bit for each event in turn. Records without a later state are dropped at a kill. */
  readonly written: number;
}

/** What is wrong with the service's data for a whole sync. A place is a response, by its place in the data. */
export interface DataFaults {
  /** A survey that is not there. */
  readonly survey: number | undefined;
  /** A person, and which requests for each of their lists answer 404 (4) or as usual (.); the last one repeats. */
  readonly notFound: { readonly person: number; readonly pattern: string } | undefined;
  /** This many people who are next to each other in the data: their lists always answer with this status. */
  readonly failing:
    | { readonly place: number; readonly count: number; readonly status: 403 | 422 | 500 }
    | undefined;
  /** Respondents' lists of responses that hold nothing but the newest ones. */
  readonly short: { readonly who: "all" | number; readonly keeps: number } | undefined;
  /** Responses in a row that come without this field. */
  readonly unreadable: readonly {
    readonly place: number;
    readonly count: number;
    readonly field: "uuid" | "collected_at" | "respondent";
  }[];
  /** Responses that come after the next one of their page. */
  readonly disorder: readonly number[];
  /** The status of every answer to a link. */
  readonly links: 404 | 500 | undefined;
  /** A person whose first attribute comes without an id. */
  readonly attributes: number | undefined;
}

export const NO_DATA_FAULTS: DataFaults = {
  survey: undefined,
  notFound: undefined,
  failing: undefined,
  short: undefined,
  unreadable: [],
  disorder: [],
  links: undefined,
  attributes: undefined,
};

export interface Settings {
  readonly surveys: readonly number[];
  readonly respondents: readonly number[];
  /** How the configuration spells the UUIDs of `respondents`. */
  readonly spelling: "as shown" | "capitals" | "both";
  readonly startDate: number | undefined;
  readonly endDate: number | undefined;
  readonly moreLookbackMs: number;
  readonly itemsPerPage: number;
  readonly streams: readonly StreamName[];
  /** Streams read again from the start: their destination is emptied and their state forgotten. */
  readonly fresh: readonly StreamName[];
  /** Whether the sync also reads response_keys and response_key_snapshots. */
  readonly snapshots: boolean;
  readonly unreadable: OnUnreadable;
  readonly inOrder: boolean;
  readonly maxConcurrentRequests: number;
}

/** Somebody answers in mid-sync: the response is dated `late` steps of the grid before the service's clock. */
export interface Arrival {
  readonly afterRequest: number;
  readonly survey: number;
  readonly person: number;
  /** No more than the lookback counts. "tie": the timestamp of the newest response, if the lookback allows it. */
  readonly late: number | "tie";
}

export const FAULTS = [
  "reset",
  "status_500",
  "status_429",
  "status_429_wait",
  "status_503",
  "html",
  "truncated",
  "no_has_more",
  "no_link",
  "reversed",
  "empty_page",
  "empty_page",
  "empty_page_link_on",
  "link_elsewhere",
  "link_back",
  "link_stays",
] as const;
export interface Fault {
  readonly request: number;
  readonly fault: (typeof FAULTS)[number];
}

const SURVEYS = 3;
const PEOPLE = 6;
/** Enough for ten in a row. If there are fewer, a number means the person of that number again from 0. */
const CROWD = 30;
/** Timestamps lie on a coarse grid, so that ties, and dates that meet data to the microsecond, are common. */
export const GRID = 500;
const HOUR_MS = 3_600_000;
const at = fc.integer({ min: 0, max: 50 }).map((place) => place * GRID);
const survey = fc.nat(SURVEYS - 1);
const person = fc.oneof(
  { weight: 3, arbitrary: fc.nat(PEOPLE - 1) },
  { weight: 1, arbitrary: fc.nat(CROWD - 1) },
);
const place = fc.nat(200);
/** Snapshots are read beside them. */
const streamNames = RESUMABLE;
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
/** Mostly undefined, so that what is rare does not hide everything else. */
const oneIn = <T>(parts: number, value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: parts - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const rarely = <T>(value: fc.Arbitrary<T>) => oneIn(6, value);
const mostlyNone = <T>(value: fc.Arbitrary<T>, maxLength: number) =>
  rarely(fc.array(value, { minLength: 1, maxLength })).map((values) => values ?? []);

const date = fc.oneof(
  at,
  fc.tuple(at, fc.constantFrom(-1, 1)).map(([timestamp, by]) => Math.max(0, timestamp + by)),
);

const settings: fc.Arbitrary<Settings> = fc
  .record({
    surveys: fc.uniqueArray(survey, { minLength: 0, maxLength: SURVEYS }),
    respondents: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.uniqueArray(person, { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constant([0, 1]) },
    ),
    spelling: fc.constantFrom("as shown" as const, "as shown" as const, "capitals" as const, "both" as const),
    startDate: maybe(date),
    endDate: rarely(date),
    moreLookbackMs: fc.constantFrom(0, 0, 1, 4),
    itemsPerPage: fc.constantFrom(1, 2, 2, 3, 4, 7, 100),
    streams: fc.uniqueArray(fc.constantFrom(...streamNames), { minLength: 1 }),
    snapshots: fc.nat(2).map((draw) => draw === 2),
    unreadable: fc.constantFrom("fail" as const, "fail" as const, "warn" as const),
    fresh: rarely(fc.uniqueArray(fc.constantFrom(...streamNames), { minLength: 1 })).map(
      (names) => names ?? [],
    ),
    inOrder: fc.nat(4).map((draw) => draw === 4),
    maxConcurrentRequests: fc.constantFrom(1, 2, 5, 5, 5),
  })
  .filter(
    ({ startDate, endDate }) => startDate === undefined || endDate === undefined || startDate < endDate,
  );

const request = fc.nat(40);

const arrival: fc.Arbitrary<Arrival> = fc.record({
  afterRequest: fc.oneof(fc.nat(4), request),
  survey,
  person,
  late: fc.oneof(fc.constant(0), fc.nat(12), fc.constant("tie" as const)),
});
/** People who answer one survey one after the other, after they were read and before that survey is. */
const burst: fc.Arbitrary<Arrival[]> = fc
  .record({ from: fc.nat(15), survey, people: fc.array(person, { minLength: 2, maxLength: 4 }) })
  .map(({ from, survey, people }) =>
    people.map((each, place) => ({ afterRequest: from + place, survey, person: each, late: 0 })),
  );

const dataFaults: fc.Arbitrary<DataFaults> = fc.record({
  survey: rarely(survey),
  notFound: rarely(
    fc.record({ person, pattern: fc.constantFrom("4.", "4.", "4", "4", "4", "4.4.", ".4.", ".4") }),
  ),
  failing: rarely(
    fc.record({
      place,
      count: fc.constantFrom(1, 1, 2, 3, 12),
      status: fc.constantFrom(403 as const, 422 as const, 500 as const),
    }),
  ),
  short: oneIn(
    8,
    fc.record({
      who: fc.oneof(fc.constant("all" as const), person),
      keeps: fc.constantFrom(0, 0, 1, 2, 5),
    }),
  ),
  unreadable: mostlyNone(
    fc.record({
      place,
      count: fc.constantFrom(1, 1, 1, 5, 60),
      field: fc.constantFrom("uuid" as const, "collected_at" as const, "respondent" as const),
    }),
    3,
  ),
  disorder: mostlyNone(place, 3),
  links: oneIn(12, fc.constantFrom(404 as const, 500 as const)),
  attributes: rarely(person),
});

const sync: fc.Arbitrary<Sync> = fc.record({
  settings,
  pauseMs: fc.oneof(
    { weight: 3, arbitrary: fc.constant((2 / 3) * HOUR_MS) },
    { weight: 2, arbitrary: fc.constantFrom(100, 5 * HOUR_MS, 30 * HOUR_MS) },
  ),
  arrivals: fc.oneof(
    { weight: 3, arbitrary: fc.array(arrival, { maxLength: 6 }) },
    { weight: 1, arbitrary: fc.array(burst, { minLength: 1, maxLength: 3 }).map((bursts) => bursts.flat()) },
  ),
  deletions: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ afterRequest: request, place }), { maxLength: 2 }),
    },
  ),
  vanishing: oneIn(
    10,
    fc.record({
      afterRequest: fc.oneof(fc.constant(0), request),
      who: fc.oneof(fc.constant("half" as const), person, person),
    }),
  ),
  faults: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ request, fault: fc.constantFrom(...FAULTS) }), { maxLength: 8 }),
    },
  ),
  serviceFaults: fc.oneof(
    { weight: 1, arbitrary: fc.constant(NO_DATA_FAULTS) },
    { weight: 2, arbitrary: dataFaults },
  ),
  killAfter: maybe(fc.nat(25)),
  written: fc.nat(0xffff),
});

const dialect: fc.Arbitrary<Dialect> = fc.record({
  shape: fc.constantFrom("wrapped", "bare", "mixed"),
  link: fc.constantFrom("next_timestamp", "last_timestamp", "next_item", "last_item"),
  linkOnLastPage: fc.boolean(),
  closesEmpty: fc.nat(5).map((draw) => draw === 5),
  honoursEnd: fc.nat(5).map((draw) => draw !== 5),
  shows: fc.constantFrom("microseconds" as const, "microseconds" as const, "milliseconds" as const),
  peopleShow: rarely(fc.constantFrom("milliseconds" as const, "seconds" as const)),
  hasDate: fc.nat(5).map((draw) => draw !== 5),
});

const someAttributes = (people: number) =>
  fc.array(fc.constantFrom(0, 1, 1, 2, 5), { minLength: people, maxLength: people });

export const histories: fc.Arbitrary<History> = fc.record({
  dialect,
  attributeCounts: fc.oneof(
    { weight: 4, arbitrary: someAttributes(PEOPLE) },
    { weight: 1, arbitrary: someAttributes(CROWD) },
  ),
  responses: fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.record({ survey, person, at }), { maxLength: 30 }) },
    {
      weight: 1,
      arbitrary: fc.array(
        fc.record({ survey: fc.constantFrom(0, 0, 0, 1, 2), person: fc.nat(CROWD - 1), at }),
        { minLength: 40, maxLength: 90 },
      ),
    },
  ),
  stretch: fc.constantFrom(1, 1, 700, 8 * HOUR_MS),
  lookbackMs: fc.constantFrom(0, 1, 3, 6),
  ageMs: fc.constantFrom(50, 10_000, 10_000, 48 * HOUR_MS),
  fromTheFuture: rarely(fc.record({ survey, person })),
  namelessEvery: oneIn(12, fc.constantFrom(2, 3, 7)),
  syncs: fc.array(sync, { minLength: 1, maxLength: 5 }),
  slowestMs: fc.constantFrom(4, 4, 4, 3_000, 10_000, 40_000),
  order: fc.nat(),
});
