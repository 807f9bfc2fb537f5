import { leaveOut } from "../coverage/coverage.ts";
import type { InitialState } from "../coverage/stream-state.ts";
import { parseTimestamp } from "../coverage/timestamp.ts";
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
 * A stored state, as this sync may write it again. Where respondents may not be named, the responses that led to those
 * not found are open again, since no note in the state stands for them any more.
 */
export function treatedState(state: InitialState, treatment: RecordTreatment): InitialState {
  if (treatment.identifiers === "keep") return state;
  const open = state.notFound.map(([, collectedAt]) => parseTimestamp(collectedAt));
  const surveys = [...state.surveys].map(([id, coverage]) => {
    const isKnown = open.every((timestamp) => timestamp !== undefined);
    return [id, isKnown ? coverage.flatMap((interval) => leaveOut(interval, new Set(open))) : []] as const;
  });
  const respondents = [...state.respondents].flatMap(([uuid, coverage]) => {
    const key = treatment.respondentKey(uuid);
    return key === undefined ? [] : [[key, coverage] as const];
  });
  return { ...state, surveys: new Map(surveys), respondents: new Map(respondents), notFound: [] };
}
