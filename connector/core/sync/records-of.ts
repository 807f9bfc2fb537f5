import { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import type { Origin } from "../streams/definition.ts";

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
