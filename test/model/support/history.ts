import fc from "fast-check";
import { KEYED_STREAMS } from "../../../sandbox/index.ts";
import type { Dialect, SurveyStatus } from "../../support/list-service.ts";

/** Everything that happens to one connection: the data, what users change, what goes wrong, and when it is killed. */
export type History = Value<typeof histories>;
export type Sync = Value<typeof sync>;
export type Arrival = Value<typeof arrival>;
export type Settings = Value<typeof settings>;
export type Fault = (typeof FAULTS)[number] | (typeof LIST_FAULTS)[number] | (typeof SPELLS)[number];
/** Everybody, every second or fifth one of all people, or one person. */
export type Who = Value<typeof who>;
type Value<Arbitrary> = Arbitrary extends fc.Arbitrary<infer T> ? T : never;

/** A sync as it is played: times in microseconds of this history, people and surveys by their ids. */
export interface PlayedSync extends Omit<Sync, "settings"> {
  readonly settings: PlayedSettings;
  readonly isQuiet?: boolean;
}
export interface PlayedSettings extends Omit<Settings, "surveys" | "respondents"> {
  /** Those that the sync reads; none if it reads every survey, or if all its streams are of named respondents. */
  readonly surveys: readonly string[];
  /** Of whom the respondent streams are read, as the service spells them. None: those whom the surveys show. */
  readonly respondents: ReadonlySet<string>;
  /** Whether it reads every survey that the service lists. */
  readonly isOfEverySurvey: boolean;
  readonly lookbackMs: number;
}

const FAULTS = [
  ...["reset", "status_500", "status_429", "status_429_wait", "status_503", "html", "truncated"],
  ...["no_has_more", "no_link", "link_elsewhere", "link_back", "link_stays"],
  ...["reversed", "empty_page", "empty_link_on", "false_end", "false_end"],
] as const;

/** Enough for a verdict on another workspace's key. Most histories are about the first three. */
export const SURVEYS = 6;
const PEOPLE = 6;
/** Enough for ten in a row. If there are fewer, a number means the person of that number again from 0. */
const CROWD = 30;
/** More than there are of anything. */
const ALL = 9999;
/** Timestamps lie on a coarse grid, so that ties, and dates that meet data to the microsecond, are common. */
export const GRID = 500;
const HOUR_MS = 3_600_000;

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
/** Mostly undefined, so that what is rare does not hide everything else. */
const oneIn = <T>(parts: number, value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: parts - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const rarely = <T>(value: fc.Arbitrary<T>) => oneIn(6, value);
const mostlyNone = <T>(parts: number, value: fc.Arbitrary<T>, maxLength: number) =>
  oneIn(parts, fc.array(value, { minLength: 1, maxLength })).map((values) => values ?? []);
/** `usual` so many times as often. */
const mostly = <Usual, Other>(times: number, usual: fc.Arbitrary<Usual>, other: fc.Arbitrary<Other>) =>
  fc.oneof({ weight: times, arbitrary: usual }, { weight: 1, arbitrary: other });

const at = fc.integer({ min: 0, max: 50 }).map((place) => place * GRID);
const survey = mostly(1, fc.nat(2), fc.nat(SURVEYS - 1));
const person = mostly(3, fc.nat(PEOPLE - 1), fc.nat(CROWD - 1));
const who = fc.oneof(person, fc.constantFrom("fifth", "fifth", "half", "all"));
/** A response, by its place in the data. */
const place = fc.nat(200);
const request = fc.nat(40);
const streams = fc.uniqueArray(fc.constantFrom(...KEYED_STREAMS), { minLength: 1 });
const date = fc.oneof(
  at,
  fc.tuple(at, fc.constantFrom(-1, 1)).map(([timestamp, by]) => Math.max(0, timestamp + by)),
);

const settings = fc
  .record({
    /** None: all that the service lists. */
    surveys: mostly(2, fc.uniqueArray(survey, { minLength: 1, maxLength: 3 }), fc.constant<number[]>([])),
    respondents: fc.oneof(
      { weight: 3, arbitrary: fc.constant<number[]>([]) },
      { weight: 1, arbitrary: fc.uniqueArray(person, { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constant<number[]>([0, 1]) },
    ),
    /** How the configuration spells the UUIDs of `respondents`. */
    spelling: fc.constantFrom("as shown", "as shown", "capitals", "both"),
    startDate: maybe(date),
    endDate: rarely(date),
    moreLookbackMs: fc.constantFrom(0, 0, 1, 4),
    itemsPerPage: fc.constantFrom(1, 2, 2, 3, 4, 7, 100),
    streams,
    /** Streams read again from the start: their destination is emptied and their state forgotten. */
    fresh: rarely(streams).map((names) => names ?? []),
    /** Whether the sync also reads response_keys and response_key_snapshots. */
    snapshots: fc.nat(2).map((draw) => draw === 2),
    /** Whether it also reads surveys and survey_questions. */
    facts: fc.nat(3).map((draw) => draw === 3),
    inOrder: fc.nat(4).map((draw) => draw === 4),
    maxConcurrentRequests: fc.constantFrom(1, 2, 5, 5, 5),
  })
  .filter(
    ({ startDate, endDate }) => startDate === undefined || endDate === undefined || startDate < endDate,
  );

/** Somebody answers in mid-sync: the response is dated `late` steps of the grid before the service's clock. */
const arrival = fc.record({
  afterRequest: fc.oneof(fc.nat(4), request),
  survey,
  person,
  /** No more than the lookback counts. "tie": the timestamp of the newest response, if the lookback allows it. */
  late: fc.oneof(fc.constant(0), fc.nat(12), fc.constant("tie" as const)),
});
/**
 * People who answer one survey one after the other, after they were read and before that survey is; or one person who
 * answers several surveys, of which some show it late.
 */
const burst = fc
  .tuple(
    fc.nat(15),
    fc.oneof(
      fc
        .tuple(survey, fc.array(person, { minLength: 2, maxLength: 4 }))
        .map(([survey, people]) => people.map((person) => ({ survey, person, late: 0 }))),
      fc
        .tuple(person, fc.array(fc.tuple(survey, fc.nat(12)), { minLength: 3, maxLength: 6 }))
        .map(([person, times]) => times.map(([survey, late]) => ({ survey, person, late }))),
    ),
  )
  .map(([from, answers]) => answers.map((each, place) => ({ ...each, afterRequest: from + place })));

const LIST_FAULTS = [
  ...["status_404", "status_500", "html", "truncated", "no_link", "link_elsewhere", "link_back"],
  ...["link_stays", "empty_page", "false_end", "without_id", "twice"],
] as const;
const SPELLS = [
  "status_401",
  "status_403",
  "status_404",
  "status_302",
  "status_500",
  "html",
  "reset",
] as const;
const status = fc.constantFrom<SurveyStatus>("listed", "listed", "archived", "gone");

/** What is wrong with the service's data for a whole sync. */
const dataFaults = fc.record({
  /** On each page of the list of surveys, or on those after the first one. */
  list: oneIn(8, fc.record({ isAfterFirst: fc.boolean(), fault: fc.constantFrom(...LIST_FAULTS) })),
  /** From one request of a kind on, and for so many seconds, each of that kind is answered in this way. */
  spell: oneIn(
    3,
    fc.record({
      of: fc.constantFrom("everything", "everything", "surveys", "respondents", "facts"),
      from: request,
      seconds: fc.constantFrom(1, 1, 5, 14, 16, 40, 100, 119),
      answer: fc.constantFrom(...SPELLS),
    }),
  ),
  /** A survey that is not there. */
  survey: rarely(survey),
  /** A survey of which everything is answered with this status. */
  refusal: rarely(fc.record({ survey, status: fc.constantFrom(400, 403, 405, 500) })),
  /** People whose lists answer 404 from one request of the sync to another. */
  notFound: rarely(
    fc.record({ who, from: mostly(1, fc.constant(0), request), requests: fc.constantFrom(2, 10, ALL, ALL) }),
  ),
  /** This many people who are next to each other in the data: their lists always answer with this status. */
  failing: rarely(
    fc.record({
      place,
      count: fc.constantFrom(1, 1, 2, 3, 12, CROWD),
      status: fc.constantFrom(403, 422, 500),
    }),
  ),
  /** Respondents' lists of responses that lack this many of the newest ones, and hold this many of the others. */
  short: oneIn(
    8,
    fc
      .record({ who, isOfNewest: fc.boolean(), number: fc.constantFrom(0, 0, 1, 2, 5) })
      .map(({ who, isOfNewest, number }) =>
        isOfNewest ? { who, lacks: 0, keeps: number } : { who, lacks: number + 1, keeps: ALL },
      ),
  ),
  /** Responses in a row that come without this field. */
  unreadable: mostlyNone(
    6,
    fc.record({
      place,
      count: fc.constantFrom(1, 1, 1, 5, 60),
      field: fc.constantFrom("uuid", "collected_at", "respondent"),
    }),
    3,
  ),
  /** Responses that come after the next one of their page. */
  disorder: mostlyNone(6, place, 3),
  /** The first request from which on nothing is answered but 503. */
  outage: oneIn(20, request),
  /** The status of every answer to a link. */
  links: oneIn(12, fc.constantFrom(404, 500)),
  /** A person whose first attribute comes without an id. */
  attributes: rarely(person),
});

export const NO_DATA_FAULTS: Value<typeof dataFaults> = {
  list: undefined,
  spell: undefined,
  survey: undefined,
  refusal: undefined,
  notFound: undefined,
  failing: undefined,
  short: undefined,
  unreadable: [],
  disorder: [],
  outage: undefined,
  links: undefined,
  attributes: undefined,
};

const sync = fc.record({
  settings,
  /** How long after the sync before. */
  pauseMs: fc.oneof(
    { weight: 3, arbitrary: fc.constant((2 / 3) * HOUR_MS) },
    { weight: 2, arbitrary: fc.constantFrom(100, 5 * HOUR_MS, 30 * HOUR_MS) },
  ),
  arrivals: fc.oneof(
    { weight: 3, arbitrary: fc.array<Arrival>(arrival, { maxLength: 6 }) },
    { weight: 1, arbitrary: fc.array<Arrival[]>(burst, { maxLength: 3 }).map((bursts) => bursts.flat()) },
  ),
  /** Responses that get one answer more in mid-sync: often one of the newest, so that it is younger than the lookback. */
  growths: mostlyNone(
    2,
    fc.record({ afterRequest: mostly(1, fc.nat(4), request), place: mostly(2, fc.nat(3), place) }),
    6,
  ),
  /** Responses deleted in mid-sync. */
  deletions: mostlyNone(5, fc.record({ afterRequest: request, place }), 2),
  /** People deleted permanently in mid-sync: their lists answer 404 from then on. Surveys show their responses. */
  vanishing: oneIn(
    10,
    fc.record({
      afterRequest: mostly(1, fc.constant(0), request),
      who: mostly(2, person, fc.constant("half" as const)),
    }),
  ),
  /** Surveys that are created, archived or deleted in mid-sync, or come back. */
  statuses: mostlyNone(4, fc.record({ afterRequest: mostly(2, fc.nat(4), request), survey, status }), 4),
  /** The key of another workspace: nothing may be read if something was read before. */
  isOfStranger: fc.nat(7).map((draw) => draw === 7),
  faults: mostlyNone(3, fc.record({ request, fault: fc.constantFrom(...FAULTS) }), 8),
  serviceFaults: fc.oneof(
    { weight: 1, arbitrary: fc.constant(NO_DATA_FAULTS) },
    { weight: 2, arbitrary: dataFaults },
  ),
  /** Killed after this many events; undefined = it may end. */
  killAfter: maybe(fc.nat(25)),
  /** Which states reach the destination: a bit for each event in turn. Records without a later state are dropped at a kill. */
  written: fc.nat(0xffff),
});

const dialect: fc.Arbitrary<Dialect> = fc.record({
  shape: fc.constantFrom("wrapped", "bare", "mixed"),
  link: fc.constantFrom("next_timestamp", "last_timestamp", "next_item", "last_item"),
  linkOnLastPage: fc.boolean(),
  honoursEnd: fc.nat(5).map((draw) => draw !== 5),
  shows: fc.constantFrom(
    ...(["microseconds", "microseconds", "milliseconds"] as const),
    ...(["nearest millisecond", "seconds", "nearest second"] as const),
  ),
  peopleShow: rarely(fc.constantFrom("milliseconds", "seconds")),
  reads: rarely(fc.constant("milliseconds" as const)),
  hasDate: fc.nat(5).map((draw) => draw !== 5),
  counts: fc.constantFrom(1, 1, 0, 0.5, 10, undefined),
});

const someAttributes = (people: number) =>
  fc.array(fc.constantFrom(0, 1, 1, 2, 5), { minLength: people, maxLength: people });

export const histories = fc.record({
  dialect,
  /** Whether no sync names surveys or people. */
  namesNothing: fc.nat(3).map((draw) => draw === 3),
  /** Surveys that are not listed when the first sync begins. */
  statuses: mostlyNone(4, fc.record({ survey, status }), 2),
  /** How many attributes each person has. Its length is the number of people. */
  attributeCounts: mostly(4, someAttributes(PEOPLE), someAttributes(CROWD)),
  responses: mostly(
    4,
    fc.array(fc.record({ survey, person, at }), { maxLength: 30 }),
    fc.array(fc.record({ survey: fc.constantFrom(0, 0, 0, 1, 2), person: fc.nat(CROWD - 1), at }), {
      minLength: 40,
      maxLength: 90,
    }),
  ),
  /** All times and the lookback are this many times as long: 25 ms of data become 17 s, or eight days. */
  stretch: fc.constantFrom(1, 1, 700, 8 * HOUR_MS),
  /** The shortest lookback ever configured, in milliseconds: nothing arrives later than that. */
  lookbackMs: fc.constantFrom(0, 1, 3, 6),
  /** How long after the last of these responses the first sync begins. */
  ageMs: fc.constantFrom(50, 10_000, 10_000, 48 * HOUR_MS),
  /** A response dated an hour ahead of the service's clock when the first sync begins. */
  fromTheFuture: rarely(fc.record({ survey, person })),
  /** People whose lists answer 404 during this many of the first syncs: they appear later. */
  absent: oneIn(8, fc.record({ who, syncs: fc.constantFrom(1, 2) })),
  /** Each response whose number is a multiple of this names nobody, permanently. */
  namelessEvery: oneIn(12, fc.constantFrom(2, 3, 7)),
  syncs: fc.array(sync, { minLength: 1, maxLength: 5 }),
  /** How far the machine's clock is ahead of the service's. Only a service that sends its `Date` corrects it. */
  clockAheadMs: fc.constantFrom(0, 0, 48 * HOUR_MS, -3 * HOUR_MS),
  /** The longest that an answer takes. */
  slowestMs: fc.constantFrom(4, 4, 4, 3_000, 10_000, 40_000),
  /** Decides how long each answer takes, whether it tells of the moment when it was asked or came back, and its date. */
  order: fc.nat(),
});
