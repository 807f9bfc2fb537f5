import { isObject } from "../client/page.ts";
import { type Coverage, coverageOf, isStrictlyInside, newestOf, reopenNewest } from "../coverage/coverage.ts";
import { parseStreamState, type StreamState } from "../coverage/stream-state.ts";
import { microsecondsBetween, parseTimestamp, type Timestamp } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import { say } from "../text/message.ts";

/** UUIDs of the lookback that are remembered of one survey. If it has more, the lookback of that survey is shorter. */
export const MOST_UUIDS = 10_000;

/** What is remembered of one survey. */
export interface WatchedSurvey {
  /** Nothing that lies strictly inside can be new. Stored, it is without the lookback. */
  readonly coverage: Coverage;
  /** The part of it that was stored before. */
  readonly covered: Coverage;
  /** The responses that were handed over, by UUID: those at least that the coverage does not account for. */
  readonly handedOver: ReadonlyMap<string, Timestamp>;
}

/** What a watch remembers, by survey. */
export type WatchState = ReadonlyMap<string, WatchedSurvey>;

/** A watch's memory as it is stored, as JSON. */
export interface StoredWatch {
  /** The coverage without the lookback, in the form of a stream's state. */
  readonly state: StreamState;
  readonly handed_over: readonly (readonly [
    surveyId: string,
    responses: readonly (readonly [uuid: string, collectedAt: Timestamp])[],
  ])[];
}

/**
 * Parses what `storedWatch` has made.
 *
 * @throws SurveyExportError `invalid_state`
 */
export function parseWatch(value: unknown): WatchState {
  const { state, handed_over: lists } = isObject(value) ? value : {};
  // What is empty would be a first read.
  if (!isObject(state) || state.version === undefined) throw invalid();
  const { surveys } = parseStreamState(state, "survey_responses");
  const handedOver = new Map(listOf(lists).map(([id, responses]) => [id, parseResponses(responses)]));
  return new Map(
    [...surveys].map(([id, coverage]): [string, WatchedSurvey] => [
      id,
      { coverage, covered: coverage, handedOver: handedOver.get(id) ?? new Map() },
    ]),
  );
}

function parseResponses(value: unknown): ReadonlyMap<string, Timestamp> {
  return new Map(
    listOf(value).map(([uuid, at]): [string, Timestamp] => {
      const timestamp = parseTimestamp(at);
      if (timestamp === undefined) throw invalid();
      return [uuid, timestamp];
    }),
  );
}

/** Pairs whose first part is a string. */
function listOf(value: unknown): (readonly [string, unknown])[] {
  const isList =
    Array.isArray(value) && value.every((pair) => Array.isArray(pair) && typeof pair[0] === "string");
  if (!isList) throw invalid();
  return value;
}

const invalid = (): SurveyExportError =>
  new SurveyExportError("config", "invalid_state", say`The memory of what was handed over cannot be read.`);

/** The memory as it is stored: without the newest `lookbackMs` of each survey, and only the UUIDs that this needs. */
export function storedWatch(state: WatchState, lookbackMs: number): StoredWatch {
  const watched = [...state].map(([id, { coverage, covered, handedOver }]) => {
    // Of what was covered before, the UUIDs are forgotten, should the lookback have become longer.
    const kept = coverageOf([...covered, ...withoutLookback(coverage, lookbackMs, handedOver)]);
    const needed = [...handedOver].filter(([, at]) => !isStrictlyInside(kept, at));
    return { id, kept, needed };
  });
  return {
    state: { version: 1, surveys: Object.fromEntries(watched.map(({ id, kept }) => [id, kept])) },
    handed_over: watched.map(({ id, needed }) => [id, needed]),
  };
}

/** A response may show up late, so the newest part is read again, and what was handed over there is known by UUID. */
function withoutLookback(
  coverage: Coverage,
  lookbackMs: number,
  handedOver: ReadonlyMap<string, Timestamp>,
): Coverage {
  const kept = reopenNewest(coverage, lookbackMs);
  const inLookback = [...handedOver.values()]
    .filter((at) => isStrictlyInside(coverage, at) && !isStrictlyInside(kept, at))
    .sort();
  const first = inLookback.at(-MOST_UUIDS - 1);
  const newest = newestOf(coverage);
  if (first === undefined || newest === undefined) return kept;
  return reopenNewest(coverage, microsecondsBetween(first, newest) / 1_000);
}
