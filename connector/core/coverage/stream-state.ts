import { SurveyExportError } from "../errors.ts";
import { fixed, type Message, outside, outsideValue, say } from "../text/message.ts";
import { type Coverage, coverageOf, type Interval, mergedTo, widestOf } from "./coverage.ts";
import { MOST_RANGES } from "./open-ranges.ts";
import { parseTimestamp, type Timestamp } from "./timestamp.ts";

/**
 * A stream's state as it is stored: the intervals that were delivered, by survey (`null` = from the beginning).
 * Version 1 is a promise: later versions read it, and fields that a version does not know are ignored.
 */
export interface StreamState {
  readonly version: 1;
  readonly surveys: Readonly<Record<string, Coverage>>;
  /** What was seen there and could not be delivered: each sync tries these closed ranges again. At most 100 a survey. */
  readonly open?: Readonly<Record<string, Coverage>>;
  /** Where the next sync begins to try `open`, because the last one did not get further: a survey, and a timestamp. */
  readonly open_next?: readonly [surveyId: string, timestamp: Timestamp];
  readonly configured_respondents?: ConfiguredRespondents;
  /** The latest start date under which any of `surveys` was read; absent = none. */
  readonly start_date?: Timestamp;
  /** How personal data was treated when this state was written; absent = everything was kept. */
  readonly personal_data?: string;
}

/** How far the respondents that the configuration names were read. It names none of them. */
export interface ConfiguredRespondents {
  /** Of their UUIDs. For other people, the stream starts over. */
  readonly fingerprint: string;
  /** All their responses up to here were delivered. Null: some were not found, and nobody knows yet whether they exist. */
  readonly collected_at: Timestamp | null;
}

/** The state that belongs to the records of an event. Frozen with them; `JSON.stringify` writes it. */
export interface StateSnapshot {
  toJSON(): StreamState;
}

/** A stored state, parsed: where a sync begins. */
export interface InitialState {
  readonly surveys: ReadonlyMap<string, Coverage>;
  readonly open: ReadonlyMap<string, Coverage>;
  readonly openNext: readonly [surveyId: string, timestamp: Timestamp] | undefined;
  readonly configured: ConfiguredRespondents | undefined;
  readonly startDate: Timestamp | undefined;
  /** Whether version 0.1 wrote respondents into it: the streams that read respondents start over. */
  readonly namesRespondents: boolean;
  /** From a hand-written `{ "collected_at": … }`: everything up to there, of every survey and respondent. */
  readonly upTo: Timestamp | undefined;
  readonly personalData: string | undefined;
}

export const EMPTY_STATE: InitialState = {
  surveys: new Map(),
  open: new Map(),
  openNext: undefined,
  configured: undefined,
  startDate: undefined,
  namesRespondents: false,
  upTo: undefined,
  personalData: undefined,
};

/** The surveys of which any of the states tells: an earlier sync has read them. */
export const surveysIn = (states: Iterable<InitialState | undefined>): ReadonlySet<string> =>
  new Set([...states].flatMap((state = EMPTY_STATE) => [...state.surveys.keys(), ...state.open.keys()]));

/** Covered intervals of one survey that are taken from a state. Ours have a few. */
const MOST_INTERVALS = 200;

const EXAMPLE = say`2026-01-31T00:00:00.000000Z`;

/**
 * Parses a stored state. `null`, `undefined` and `{}` are a first sync. Of each survey it takes at most 200 covered
 * intervals, the newest and the widest ones, and joins the open ranges to at most 100: what is forgotten is read again,
 * and nothing becomes covered that was not.
 *
 * @throws SurveyExportError `invalid_state`: a state that cannot be read is never a silent full read
 */
export function parseStreamState(value: unknown, stream: string): InitialState {
  if (value === undefined || value === null) return EMPTY_STATE;
  if (!isObject(value)) throw invalid(stream, say`it is not an object`);
  if (Object.keys(value).length === 0) return EMPTY_STATE;
  if (value.version === undefined && "collected_at" in value) {
    const upTo = parseTimestamp(value.collected_at);
    if (upTo === undefined) throw invalid(stream, say`its collected_at is not a timestamp like ${EXAMPLE}`);
    return { ...EMPTY_STATE, upTo };
  }
  if (value.version !== 1) {
    throw invalid(
      stream,
      value.version === undefined
        ? say`it has no version`
        : say`its version is ${outsideValue(value.version)}, and this program reads version 1`,
    );
  }
  const { start_date: startDate } = value;
  const parsedStartDate = parseTimestamp(startDate);
  if (startDate !== undefined && startDate !== null && parsedStartDate === undefined) {
    throw invalid(stream, say`its start_date is not a timestamp like ${EXAMPLE}`);
  }
  return {
    surveys: parseCoverages(value.surveys, stream, "surveys", (covered) => widestOf(MOST_INTERVALS, covered)),
    open: parseCoverages(value.open ?? {}, stream, "open", (open) => mergedTo(MOST_RANGES, open)),
    openNext: parseOpenNext(value.open_next, stream),
    configured: parseConfigured(value.configured_respondents, stream),
    startDate: parsedStartDate,
    namesRespondents: "respondents" in value || "not_found" in value,
    upTo: undefined,
    personalData: typeof value.personal_data === "string" ? value.personal_data : undefined,
  };
}

function parseCoverages(
  value: unknown,
  stream: string,
  field: string,
  bounded: (coverage: Coverage) => Coverage,
): Map<string, Coverage> {
  if (!isObject(value)) throw invalid(stream, say`its field ${fixed(field)} is missing or is not an object`);
  return new Map(
    Object.entries(value).map(([id, intervals]) => {
      if (!Array.isArray(intervals))
        throw invalid(stream, say`entry ${outside(id)} of ${fixed(field)} is not a list`);
      return [id, bounded(coverageOf(intervals.map((interval) => parseInterval(interval, stream, id))))];
    }),
  );
}

function parseInterval(value: unknown, stream: string, id: string): Interval {
  const [older, newer] = Array.isArray(value) && value.length === 2 ? value : [];
  const [from, to] = [older === null ? null : parseTimestamp(older), parseTimestamp(newer)];
  if (from === undefined || to === undefined || (from !== null && from > to)) {
    throw invalid(
      stream,
      say`${outsideValue(value)} of ${outside(id)} is not a pair of timestamps, the older one first`,
    );
  }
  return [from, to];
}

function parseOpenNext(value: unknown, stream: string): InitialState["openNext"] {
  if (value === undefined || value === null) return undefined;
  const [surveyId, at] = Array.isArray(value) ? value : [];
  const timestamp = parseTimestamp(at);
  if (typeof surveyId !== "string" || timestamp === undefined)
    throw invalid(stream, say`its field open_next is not a survey and a timestamp`);
  return [surveyId, timestamp];
}

function parseConfigured(value: unknown, stream: string): ConfiguredRespondents | undefined {
  if (value === undefined || value === null) return undefined;
  const { fingerprint, collected_at: at } = isObject(value) ? value : {};
  const collectedAt = at === null ? null : parseTimestamp(at);
  if (typeof fingerprint !== "string" || collectedAt === undefined)
    throw invalid(stream, say`its field configured_respondents is not a fingerprint and a collected_at`);
  return { fingerprint, collected_at: collectedAt };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function invalid(stream: string, reason: Message): SurveyExportError {
  return new SurveyExportError(
    "config",
    "invalid_state",
    say`The state of stream ${fixed(stream)} cannot be read: ${reason}.`,
    {
      advice: say`Pass a state that this source wrote, or clear the stream's state to read everything again.`,
    },
  );
}
