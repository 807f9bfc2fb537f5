import { STREAMS, type StreamName } from "@survey-export/core";
import fc from "fast-check";
import type { Dialect } from "./list-service.ts";

/** Everything that happens to one connection: the data, what users change, what goes wrong, and when it is killed. */
export interface History {
  readonly dialect: Dialect;
  /** How many attributes each person has. */
  readonly attributeCounts: readonly number[];
  readonly responses: readonly Given[];
  /** The shortest lookback ever configured, in milliseconds: nothing arrives later than that. */
  readonly lookbackMs: number;
  /** All responses were given two days before the first sync: then the lists of the service agree with each other. */
  readonly isOld: boolean;
  /** A response dated an hour ahead of the service's clock, which reaches it after the second sync. */
  readonly fromTheFuture: Given | undefined;
  readonly syncs: readonly Sync[];
  /** The longest that an answer takes: more than the minute between two requests for a respondent who was not found. */
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
  readonly arrivals: readonly Arrival[];
  /** Responses deleted in mid-sync, by their place in the data. */
  readonly deletions: readonly { readonly afterRequest: number; readonly place: number }[];
  readonly faults: readonly Fault[];
  readonly serviceFaults: {
    /** A survey that is not there for the whole sync. */
    readonly survey: number | undefined;
    /** A person, and which requests for each of their lists answer 404 (4) or as usual (.); the last one repeats. */
    readonly notFound: { readonly person: number; readonly pattern: string } | undefined;
    readonly failing: number | undefined;
    /** Responses in a row that come without this field. */
    readonly unreadable:
      | {
          readonly place: number;
          readonly count: number;
          readonly field: "uuid" | "collected_at" | "respondent";
        }
      | undefined;
    readonly attributes: number | undefined;
  };
  /** Killed when so many events have come; undefined = it may end. */
  readonly killAfter: number | undefined;
  /** Which states reach the destination: a bit for each event in turn. Records without a later state are dropped at a kill. */
  readonly written: number;
}

export interface Settings {
  readonly surveys: readonly number[];
  readonly respondents: readonly number[];
  readonly startDate: number | undefined;
  readonly endDate: number | undefined;
  readonly moreLookbackMs: number;
  readonly itemsPerPage: number;
  readonly streams: readonly StreamName[];
  /** Streams read afresh: their destination is emptied and their state forgotten. */
  readonly fresh: readonly StreamName[];
  readonly inOrder: boolean;
  readonly maxConcurrentRequests: number;
}

/** Somebody answers in mid-sync: `later` microseconds after the newest response of the service, or before it, if negative. */
export interface Arrival {
  readonly afterRequest: number;
  readonly survey: number;
  readonly person: number;
  readonly later: number;
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
  "empty_page_link_on",
  "link_elsewhere",
] as const;
export interface Fault {
  readonly request: number;
  readonly fault: (typeof FAULTS)[number];
}

const SURVEYS = 3;
const PEOPLE = 6;
/** Timestamps lie on a coarse grid, so that ties, and dates that meet data to the microsecond, are common. */
const GRID = 500;
/** In microseconds, above everything else. */
const HOUR = 3_600_000_000;
const at = fc.integer({ min: 0, max: 50 }).map((place) => place * GRID);
const survey = fc.nat(SURVEYS - 1);
const person = fc.nat(PEOPLE - 1);
const streamNames = Object.keys(STREAMS) as StreamName[];
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
/** Mostly `usual`, so that what is rare does not hide everything else. */
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

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
    ),
    startDate: maybe(date),
    endDate: rarely(date),
    moreLookbackMs: fc.constantFrom(0, 0, 1, 4),
    itemsPerPage: fc.constantFrom(1, 2, 2, 3, 4, 7, 100),
    streams: fc.uniqueArray(fc.constantFrom(...streamNames), { minLength: 1 }),
    fresh: rarely(fc.uniqueArray(fc.constantFrom(...streamNames), { minLength: 1 })).map(
      (names) => names ?? [],
    ),
    inOrder: fc.nat(4).map((draw) => draw === 0),
    maxConcurrentRequests: fc.constantFrom(1, 2, 5, 5, 5),
  })
  .filter(
    ({ startDate, endDate }) => startDate === undefined || endDate === undefined || startDate < endDate,
  );

const request = fc.nat(40);

const sync: fc.Arbitrary<Sync> = fc.record({
  settings,
  arrivals: fc.array(
    fc.record({
      // Often while the sync still finds out how far up it goes (I6).
      afterRequest: fc.oneof(fc.nat(4), request),
      survey,
      person,
      later: fc.oneof(
        fc.constant(0),
        fc.nat(6).map((place) => place * GRID),
        fc.integer({ min: -12, max: 0 }).map((place) => place * GRID),
      ),
    }),
    { maxLength: 6 },
  ),
  deletions: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ afterRequest: request, place: fc.nat(200) }), { maxLength: 2 }),
    },
  ),
  faults: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ request, fault: fc.constantFrom(...FAULTS) }), { maxLength: 8 }),
    },
  ),
  serviceFaults: fc.record({
    survey: rarely(survey),
    notFound: rarely(
      fc.record({ person, pattern: fc.constantFrom("4.", "4.", "4", "4", "4.4.", ".4.", ".4") }),
    ),
    failing: rarely(person),
    unreadable: rarely(
      fc.record({
        place: fc.nat(200),
        count: fc.constantFrom(1, 1, 1, 5, 60),
        field: fc.constantFrom("uuid" as const, "collected_at" as const, "respondent" as const),
      }),
    ),
    attributes: rarely(person),
  }),
  killAfter: maybe(fc.nat(25)),
  written: fc.nat(0xffff),
});

const dialect: fc.Arbitrary<Dialect> = fc.record({
  shape: fc.constantFrom("wrapped", "bare", "mixed"),
  link: fc.constantFrom("next_timestamp", "last_timestamp", "next_item", "last_item"),
  linkOnLastPage: fc.boolean(),
  closesEmpty: fc.nat(5).map((draw) => draw === 0),
  honoursEnd: fc.nat(5).map((draw) => draw !== 0),
  shows: fc.constantFrom("microseconds" as const, "microseconds" as const, "milliseconds" as const),
  hasDate: fc.nat(5).map((draw) => draw !== 0),
});

export const histories: fc.Arbitrary<History> = fc.record({
  dialect,
  attributeCounts: fc.array(fc.constantFrom(0, 1, 1, 2, 5), { minLength: PEOPLE, maxLength: PEOPLE }),
  responses: fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.record({ survey, person, at }), { maxLength: 30 }) },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ survey: fc.constantFrom(0, 0, 0, 1, 2), person, at }), {
        minLength: 40,
        maxLength: 90,
      }),
    },
  ),
  lookbackMs: fc.constantFrom(0, 1, 3, 6),
  isOld: fc.nat(3).map((draw) => draw === 0),
  fromTheFuture: rarely(fc.record({ survey, person, at: fc.constant(HOUR) })),
  syncs: fc.array(sync, { minLength: 1, maxLength: 5 }),
  slowestMs: fc.constantFrom(4, 4, 4, 40_000),
  order: fc.nat(),
});
