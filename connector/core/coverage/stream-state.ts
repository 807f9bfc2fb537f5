import { SurveyExportError } from "../errors.ts";
import { quoteValue } from "../text/quote.ts";
import { type Coverage, coverageOf, type Interval } from "./coverage.ts";
import { parseTimestamp, type Timestamp } from "./timestamp.ts";

/**
 * A stream's state as it is stored: the intervals that were delivered, by survey (`null` = from the beginning).
 * Version 1 is a promise: later versions read it, and fields that a version does not know are ignored.
 */
export interface StreamState {
  readonly version: 1;
  readonly surveys: Readonly<Record<string, Coverage>>;
  /** Of respondents named in the configuration: the coverage of each one's own list. */
  readonly respondents?: Readonly<Record<string, Coverage>>;
  /** The latest start date under which any of `surveys` was read; absent = none. */
  readonly start_date?: Timestamp;
  /** Respondents that the service did not know (404) and that the next sync asks for once more. At most 100. */
  readonly not_found?: readonly NotFoundRespondent[];
  /** How personal data was treated when this state was written; absent = everything was kept. */
  readonly personal_data?: string;
}

/** A respondent's UUID and `collected_at` of the response that led there. */
export type NotFoundRespondent = readonly [uuid: string, collectedAt: string];

/** The state that belongs to the records of an event. Frozen with them; `JSON.stringify` writes it. */
export interface StateSnapshot {
  toJSON(): StreamState;
}

/** A stored state, parsed: where a sync begins. */
export interface InitialState {
  readonly surveys: ReadonlyMap<string, Coverage>;
  readonly respondents: ReadonlyMap<string, Coverage>;
  readonly startDate: Timestamp | undefined;
  readonly notFound: readonly NotFoundRespondent[];
  /** From a hand-written `{ "collected_at": … }`: everything up to there, of every survey and respondent. */
  readonly upTo: Timestamp | undefined;
  readonly personalData: string | undefined;
}

export const EMPTY_STATE: InitialState = {
  surveys: new Map(),
  respondents: new Map(),
  startDate: undefined,
  notFound: [],
  upTo: undefined,
  personalData: undefined,
};

const EXAMPLE = "2026-01-31T00:00:00.000000Z";

/**
 * Parses a stored state. `null`, `undefined` and `{}` are a first sync.
 *
 * @throws SurveyExportError `invalid_state`: a state that cannot be read is never a silent full read
 */
export function parseStreamState(value: unknown, stream: string): InitialState {
  if (value === undefined || value === null) return EMPTY_STATE;
  if (!isObject(value)) throw invalid(stream, "it is not an object");
  if (Object.keys(value).length === 0) return EMPTY_STATE;
  if (value.version === undefined && "collected_at" in value) {
    const upTo = parseTimestamp(value.collected_at);
    if (upTo === undefined) throw invalid(stream, `its collected_at is not a timestamp like ${EXAMPLE}`);
    return { ...EMPTY_STATE, upTo };
  }
  if (value.version !== 1) {
    throw invalid(
      stream,
      value.version === undefined
        ? "it has no version"
        : `its version is ${quoteValue(value.version)}, and this program reads version 1`,
    );
  }
  const { start_date: startDate } = value;
  const parsedStartDate = parseTimestamp(startDate);
  if (startDate !== undefined && startDate !== null && parsedStartDate === undefined) {
    throw invalid(stream, `its start_date is not a timestamp like ${EXAMPLE}`);
  }
  return {
    surveys: parseCoverages(value.surveys, stream, "surveys"),
    respondents: parseCoverages(value.respondents ?? {}, stream, "respondents"),
    startDate: parsedStartDate,
    notFound: parseNotFound(value.not_found ?? [], stream),
    upTo: undefined,
    personalData: typeof value.personal_data === "string" ? value.personal_data : undefined,
  };
}

function parseCoverages(value: unknown, stream: string, field: string): Map<string, Coverage> {
  if (!isObject(value)) throw invalid(stream, `its field ${field} is missing or is not an object`);
  return new Map(
    Object.entries(value).map(([id, intervals]) => {
      if (!Array.isArray(intervals))
        throw invalid(stream, `entry ${quoteValue(id)} of ${field} is not a list`);
      return [id, coverageOf(intervals.map((interval) => parseInterval(interval, stream, id)))];
    }),
  );
}

function parseInterval(value: unknown, stream: string, id: string): Interval {
  const [older, newer] = Array.isArray(value) && value.length === 2 ? value : [];
  const [from, to] = [older === null ? null : parseTimestamp(older), parseTimestamp(newer)];
  if (from === undefined || to === undefined || (from !== null && from > to)) {
    throw invalid(
      stream,
      `${quoteValue(value)} of ${quoteValue(id)} is not a pair of timestamps, the older one first`,
    );
  }
  return [from, to];
}

function parseNotFound(value: unknown, stream: string): NotFoundRespondent[] {
  if (!Array.isArray(value)) throw invalid(stream, "its field not_found is not a list");
  return value.map((entry: unknown) => {
    const [uuid, collectedAt] = Array.isArray(entry) ? entry : [];
    if (typeof uuid !== "string" || typeof collectedAt !== "string") {
      throw invalid(stream, `${quoteValue(entry)} in not_found is not a respondent and a timestamp`);
    }
    return [uuid, collectedAt];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function invalid(stream: string, reason: string): SurveyExportError {
  return new SurveyExportError(
    "config",
    "invalid_state",
    `The state of stream ${stream} cannot be read: ${reason}.`,
    { advice: "Pass a state that this source wrote, or clear the stream's state to read everything again." },
  );
}
