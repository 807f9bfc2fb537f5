import { SurveyExportError } from "../errors.ts";
import { isObject } from "../text/json.ts";
import { fixed, type Message, outside, say } from "../text/message.ts";
import { type Coverage, coverageOf, holeAround, type Interval, NOTHING, remove } from "./coverage.ts";
import { parseTimestamp, type Timestamp } from "./timestamp.ts";

/**
 * A stream's state as it is stored: the intervals that were delivered (`null` = from the beginning).
 * Version 1 is a promise: later versions read it, and fields that a version does not know are ignored.
 */
export interface StreamState {
  readonly version: 1;
  /** Without an interval, a survey that was to be read, and of which nothing is covered. */
  readonly surveys: Readonly<Record<string, Coverage>>;
  /** The latest start date under which any of it was read; absent = none. */
  readonly start_date?: Timestamp;
  /** As somebody wrote it by hand, in the state of a sync that did not get to know all its surveys. */
  readonly collected_at?: Timestamp;
  /** How personal data was treated when this state was written; absent = everything was kept. */
  readonly personal_data?: string;
}

/**
 * The state of a stream, for `JSON.stringify`: as of the moment when that is called. It covers the records of all events that
 * the caller has been given (I1). As long as it says the same, it is the same object.
 */
export interface StateSnapshot {
  toJSON(): StreamState;
}

/** A stored state, parsed: where a sync begins. */
export interface InitialState {
  readonly surveys: ReadonlyMap<string, Coverage>;
  readonly startDate: Timestamp | undefined;
  /** From a hand-written `{ "collected_at": … }`: everything up to there, of every survey. */
  readonly collectedAt: Timestamp | undefined;
  readonly personalData: string | undefined;
}

export const EMPTY_STATE: InitialState = {
  surveys: new Map(),
  startDate: undefined,
  collectedAt: undefined,
  personalData: undefined,
};

/** The surveys of earlier syncs: `listed` were to be read, and of `read` something was. */
export interface KnownSurveys {
  readonly listed: ReadonlySet<string>;
  readonly read: ReadonlySet<string>;
}

/** The surveys that any of the states names. */
export function surveysIn(states: Iterable<InitialState | undefined>): KnownSurveys {
  const surveys = [...states].flatMap((state = EMPTY_STATE) => [...state.surveys]);
  const read = surveys.filter(([, { length }]) => length > 0);
  return { listed: new Set(surveys.map(([id]) => id)), read: new Set(read.map(([id]) => id)) };
}

const EXAMPLE = say`2026-01-31T00:00:00.000000Z`;

/**
 * Parses a stored state. `null`, `undefined` and `{}` are a first sync. What a state of before lists as `open` is not
 * covered, and its points (intervals of one timestamp) cover nothing.
 * @throws SurveyExportError `invalid_state`: a state that cannot be read is never a silent full read
 */
export function parseStreamState(value: unknown, stream: string): InitialState {
  if (value === undefined || value === null) return EMPTY_STATE;
  if (!isObject(value)) throw invalid(stream, say`it is not an object`);
  if (Object.keys(value).length === 0) return EMPTY_STATE;
  const collectedAt = parseTimestamp(value.collected_at);
  if (value.version === undefined && "collected_at" in value) {
    if (collectedAt !== undefined) return { ...EMPTY_STATE, collectedAt };
    throw invalid(stream, say`its collected_at is not a timestamp like ${EXAMPLE}`);
  }
  if (value.version !== 1) {
    if (value.version === undefined) throw invalid(stream, say`it has no version`);
    const version = outside(JSON.stringify(value.version));
    throw invalid(stream, say`its version is ${version}, and this program reads version 1`);
  }
  const startDate = parseTimestamp(value.start_date);
  if ((value.start_date ?? undefined) !== undefined && startDate === undefined)
    throw invalid(stream, say`its start_date is not a timestamp like ${EXAMPLE}`);
  const surveys = parseCoverages(value.surveys, stream, "surveys");
  for (const [id, ranges] of parseCoverages(value.open ?? {}, stream, "open"))
    surveys.set(id, ranges.map(holeAround).reduce(without, surveys.get(id) ?? NOTHING));
  return {
    surveys,
    startDate,
    collectedAt,
    personalData: typeof value.personal_data === "string" ? value.personal_data : undefined,
  };
}

function without(coverage: Coverage, hole: Interval): Coverage {
  const rest = [...coverage];
  remove(rest, hole);
  return rest;
}

function parseCoverages(value: unknown, stream: string, field: string): Map<string, Coverage> {
  if (!isObject(value)) throw invalid(stream, say`its field ${fixed(field)} is missing or is not an object`);
  return new Map(
    Object.entries(value).map(([id, intervals]) => {
      if (!Array.isArray(intervals))
        throw invalid(stream, say`entry ${outside(id)} of ${fixed(field)} is not a list`);
      const parsed = intervals.map((interval) => parseInterval(interval, stream, id));
      // A point has no inside, so it covers nothing. It may be an open range.
      return [id, coverageOf(parsed.filter(([older, newer]) => older !== newer || field === "open"))];
    }),
  );
}

function parseInterval(value: unknown, stream: string, id: string): Interval {
  if (Array.isArray(value) && value.length === 2) {
    const [older, newer] = [value[0] === null ? null : parseTimestamp(value[0]), parseTimestamp(value[1])];
    if (older !== undefined && newer !== undefined && (older === null || older <= newer))
      return [older, newer];
  }
  throw invalid(stream, say`an interval of ${outside(id)} is not a pair of timestamps, the older one first`);
}

function invalid(stream: string, reason: Message): SurveyExportError {
  const facts = say`The state of stream ${fixed(stream)} cannot be read: ${reason}.`;
  const advice = say`Pass a state that this source wrote, or clear the stream's state to read everything again.`;
  return new SurveyExportError("config", "invalid_state", facts, { advice });
}
