import { KEEP_ALL, type RecordTreatment } from "../privacy/record-treatment.ts";
import type { StreamRecord } from "../streams/column.ts";
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
