import { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import { KEEP_ALL, type RecordTreatment } from "../privacy/record-treatment.ts";
import type { Origin, StreamDefinition } from "../streams/definition.ts";

/** The records of `items`. An item that no record can be made of is left out, and the others go on. */
export function recordsOf<I>(
  items: readonly I[],
  stream: { records(item: I, origin: Origin): readonly StreamRecord[] },
  origin: Origin,
  onUnreadable: (item: I, error: SurveyExportError) => void,
): StreamRecord[] {
  const records: StreamRecord[] = [];
  for (const item of items) {
    try {
      for (const record of stream.records(item, origin)) records.push(record);
    } catch (thrown) {
      onUnreadable(item, SurveyExportError.from(thrown));
    }
  }
  return records;
}

/**
 * The same stream, whose records may leave. This is the one place where records are treated. What the service does not
 * document is left out before, by `Unknown.isLeftOut`.
 */
export function treatedStream(stream: StreamDefinition, treatment: RecordTreatment): StreamDefinition {
  if (treatment === KEEP_ALL) return stream;
  const records = stream.records as (item: unknown, origin: Origin) => readonly StreamRecord[];
  return {
    ...stream,
    records: (item: unknown, origin: Origin) =>
      records(item, origin).map((record) => treatment.record(record, stream.columns)),
  } as StreamDefinition;
}
