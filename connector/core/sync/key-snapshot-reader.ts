import { addMicroseconds, type Timestamp } from "../coverage/timestamp.ts";
import type { KeySnapshotStream } from "../streams/definition.ts";
import type { Ledger } from "./failures/ledger.ts";
import type { SurveyPage } from "./slice.ts";
import type { StreamInSync } from "./stream-in-sync.ts";

/**
 * Reads a stream whose records say which surveys were read whole, and how many responses each has. `began`: when the sync
 * began, by the host's clock. `startDate`: null to read from the beginning.
 */
export function keySnapshotReader(
  stream: StreamInSync,
  definition: KeySnapshotStream,
  began: Timestamp,
  startDate: Timestamp | null,
  ledger: Ledger,
) {
  const { coverage, warnings } = stream;
  const counts = new Map<string, number>();
  return {
    stream,
    async take(page: SurveyPage): Promise<void> {
      const items = stream.wantedOf(page);
      counts.set(page.surveyId, (counts.get(page.surveyId) ?? 0) + items.length);
      await stream.deliverPage(page, items, []);
    },
    finish(): void {
      for (const [surveyId, numberOfResponses] of counts) {
        const [interval, ...others] = coverage.of(surveyId).covered;
        const isWhole = others.length === 0 && interval?.[0] === startDate;
        if (interval === undefined || !isWhole || ledger.lacks(definition.name, surveyId)) continue;
        const [older, edge] = interval;
        // An edge proves nothing.
        const survey = { numberOfResponses, older, newer: addMicroseconds(edge, -1) };
        const origin = { surveyId, began, unknown: warnings.unknown };
        // Not after an early end.
        stream.deliver(definition.records(survey, origin), 0, surveyId).catch(() => {});
      }
    },
  };
}
