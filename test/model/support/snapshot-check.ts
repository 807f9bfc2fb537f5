import assert from "node:assert/strict";
import type { SyncEvent } from "@survey-export/core";
import type { Response } from "../../support/list-service.ts";

interface Snapshot {
  readonly snapshot_id: string;
  readonly survey_id: string;
  readonly number_of_keys: number;
  readonly covered_from: string | null;
  readonly covered_to: string;
}
type Key = Pick<Snapshot, "snapshot_id" | "survey_id"> & { readonly response_uuid: string };

/**
 * The snapshot of one sync, taken as its destination takes it: a survey's is whole if its record came and as many keys as
 * it says. Then every response that was there during the whole sync, and in the time that it covers, is among them (I9).
 */
export class SnapshotCheck {
  readonly snapshots: Snapshot[] = [];
  readonly #keys: Key[] = [];
  #hasEnded = false;

  take(event: Exclude<SyncEvent, { readonly type: "waiting" }>): void {
    if (event.type === "end") this.#hasEnded = true;
    if (event.type !== "records") return;
    const records: unknown[] = [...event.records];
    if (event.stream === "response_keys") this.#keys.push(...(records as Key[]));
    else this.snapshots.push(...(records as Snapshot[]));
  }

  /** `responses`: those that were there from the beginning of the sync to its end, and in reach. */
  check(responses: readonly Response[], shownOf: (response: Response) => string): void {
    const ids = new Set([...this.#keys, ...this.snapshots].map(({ snapshot_id }) => snapshot_id));
    assert.ok(ids.size <= 1, "all records of a sync belong to one snapshot");
    assert.equal(new Set(this.surveys).size, this.surveys.length, "a survey has one record in a snapshot");
    for (const snapshot of this.snapshots) {
      const { survey_id: id, number_of_keys: count, covered_from: from, covered_to: to } = snapshot;
      const keys = new Set(
        this.#keys.filter(({ survey_id }) => survey_id === id).map(({ response_uuid }) => response_uuid),
      );
      if (this.#hasEnded) assert.equal(keys.size, count, `the keys of ${id} are as many as its record says`);
      if (keys.size !== count) continue;
      const missing = responses.filter((response) => {
        if (response.survey !== id || keys.has(response.uuid)) return false;
        const timestamp = shownOf(response);
        return (from === null || from <= timestamp) && timestamp <= to;
      });
      assert.deepEqual(missing, [], `a whole snapshot has everything: ${JSON.stringify(snapshot)}`);
    }
  }

  /** The surveys that are whole. */
  get surveys(): string[] {
    return this.snapshots.map(({ survey_id }) => survey_id);
  }
}
