import { isObject } from "../api/page.ts";
import { SurveyExportError } from "../errors.ts";
import { type Coverage, coverageOf, type Span } from "./coverage.ts";
import { type Moment, parseMoment } from "./moment.ts";

/**
 * A stream's state as it is stored: what has been delivered, by survey, as closed spans (`null` = from the
 * beginning). Version 1 is a promise: later versions read it.
 */
export interface StreamState {
  readonly version: 1;
  readonly surveys: Readonly<Record<string, Coverage>>;
  /** Of respondents named in the configuration: what was delivered of each one's own list. */
  readonly respondents?: Readonly<Record<string, Coverage>>;
  /** The latest start date under which any of `surveys` was made; absent = none. */
  readonly start_date?: Moment;
}

/** A stored state, read. */
export interface Delivered {
  readonly surveys: ReadonlyMap<string, Coverage>;
  readonly respondents: ReadonlyMap<string, Coverage>;
  readonly startDate: Moment | undefined;
  /** From a hand-written `{ "collected_at": … }`: everything up to there, of every survey and respondent. */
  readonly upTo: Moment | undefined;
}

export const NOTHING_DELIVERED: Delivered = {
  surveys: new Map(),
  respondents: new Map(),
  startDate: undefined,
  upTo: undefined,
};

/**
 * Reads a stored state. `null`, `undefined` and `{}` are a first sync.
 *
 * @throws SurveyExportError `invalid_state`: a state that cannot be read is never a silent full read
 */
export function parseStreamState(value: unknown, stream: string): Delivered {
  if (value === undefined || value === null) return NOTHING_DELIVERED;
  if (!isObject(value)) throw invalid(stream, "it is not an object");
  if (Object.keys(value).length === 0) return NOTHING_DELIVERED;
  if (value.version === undefined && "collected_at" in value) {
    const upTo = parseMoment(value.collected_at);
    if (upTo === undefined)
      throw invalid(stream, "its collected_at is not a time like 2026-01-31T00:00:00.000000Z");
    return { ...NOTHING_DELIVERED, upTo };
  }
  if (value.version !== 1) {
    throw invalid(
      stream,
      `its version is ${JSON.stringify(value.version) ?? "missing"}, and this program reads version 1`,
    );
  }
  const { start_date: startDate } = value;
  const parsedStartDate = parseMoment(startDate);
  if (startDate !== undefined && startDate !== null && parsedStartDate === undefined) {
    throw invalid(stream, "its start_date is not a time like 2026-01-31T00:00:00.000000Z");
  }
  return {
    surveys: parseCoverages(value.surveys, stream, "surveys"),
    respondents: parseCoverages(value.respondents ?? {}, stream, "respondents"),
    startDate: parsedStartDate,
    upTo: undefined,
  };
}

function parseCoverages(value: unknown, stream: string, field: string): Map<string, Coverage> {
  if (!isObject(value)) throw invalid(stream, `its ${field} are missing or no object`);
  return new Map(
    Object.entries(value).map(([id, spans]) => {
      if (!Array.isArray(spans))
        throw invalid(stream, `what it says of ${JSON.stringify(id)} in ${field} is no list`);
      return [id, coverageOf(spans.map((span) => parseSpan(span, stream, id)))];
    }),
  );
}

function parseSpan(value: unknown, stream: string, id: string): Span {
  const [older, newer] = Array.isArray(value) && value.length === 2 ? value : [];
  const span: [Moment | null | undefined, Moment | undefined] = [
    older === null ? null : parseMoment(older),
    parseMoment(newer),
  ];
  if (span[0] === undefined || span[1] === undefined || (span[0] !== null && span[0] > span[1])) {
    throw invalid(
      stream,
      `${JSON.stringify(value)} of ${JSON.stringify(id)} is not a pair of times, the older one first`,
    );
  }
  return [span[0], span[1]];
}

function invalid(stream: string, what: string): SurveyExportError {
  return new SurveyExportError(
    "config",
    "invalid_state",
    `The state of stream ${stream} cannot be read: ${what}. Pass a state that this source wrote, or clear the stream's state to read everything again.`,
  );
}
