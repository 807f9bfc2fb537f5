import { type Coverage, clipBelow, leaveOut, NOTHING } from "../coverage/coverage.ts";
import type { InitialState } from "../coverage/stream-state.ts";
import { parseTimestamp, type Timestamp } from "../coverage/timestamp.ts";
import type { StreamRecord } from "../generated/records.ts";
import { KEEP_ALL, type RecordTreatment } from "../privacy/record-treatment.ts";
import type { Origin, StreamDefinition } from "../streams/definition.ts";

/** The same stream, whose records may leave. This is the one place where records are treated. */
export function treatedStream(stream: StreamDefinition, treatment: RecordTreatment): StreamDefinition {
  if (treatment === KEEP_ALL) return stream;
  const records = stream.records as (item: unknown, origin: Origin) => readonly StreamRecord[];
  return {
    ...stream,
    records: (item: unknown, origin: Origin) =>
      records(item, origin).map((record) => treatment.record(record, stream.columns)),
  } as StreamDefinition;
}

/**
 * A stored state, as this sync may write it again. Where respondents may not be named, what a note in the state stood for
 * is open again: for attributes the response that led to the respondent, for responses everything from there down.
 */
export function treatedState(
  state: InitialState,
  reads: StreamDefinition["reads"],
  treatment: RecordTreatment,
): InitialState {
  if (treatment.identifiers === "keep") return state;
  const surveys = [...state.surveys].map(([id, coverage]) => {
    const noted = state.notFound.map(([, collectedAt]) => parseTimestamp(collectedAt));
    return [id, noted.reduce((left, at) => withoutNoted(left, at, reads), coverage)] as const;
  });
  const respondents = [...state.respondents].flatMap(([uuid, coverage]) => {
    const key = treatment.respondentKey(uuid);
    return key === undefined ? [] : [[key, coverage] as const];
  });
  return { ...state, surveys: new Map(surveys), respondents: new Map(respondents), notFound: [] };
}

function withoutNoted(
  coverage: Coverage,
  noted: Timestamp | undefined,
  reads: StreamDefinition["reads"],
): Coverage {
  if (noted === undefined) return NOTHING;
  return reads === "respondent attributes"
    ? coverage.flatMap((interval) => leaveOut(interval, new Set([noted])))
    : clipBelow(coverage, noted);
}
