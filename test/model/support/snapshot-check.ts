import assert from "node:assert/strict";
import type { SyncEvent } from "@survey-export/core";
import type { Response } from "./list-service.ts";

interface Key {
  readonly snapshot_id: string;
  readonly survey_id: string;
  readonly response_uuid: string;
}
interface Snapshot {
  readonly snapshot_id: string;
  readonly survey_id: string;
  readonly number_of_keys: number;
  readonly covered_from: string | null;
  readonly covered_to: string;
}

/**
 * The snapshot of one sync, taken as its destination takes it: a survey's is whole if its record came and as many keys as
 * it says. Then every response that was there during the whole sync, and in the time that it covers, is among them.
 */
export class SnapshotCheck {
  readonly #existing: ReadonlySet<Response>;
  readonly #shownOf: (response: Response) => string;
  readonly #keys: Key[] = [];
  readonly #snapshots: Snapshot[] = [];
  #hasEnded = false;

  constructor(existing: ReadonlySet<Response>, shownOf: (response: Response) => string) {
    this.#existing = existing;
    this.#shownOf = shownOf;
  }

  take(event: Exclude<SyncEvent, { readonly type: "waiting" }>): void {
    if (event.type === "end") this.#hasEnded = true;
    if (event.type !== "records") return;
    const records: unknown[] = [...event.records];
    if (event.stream === "response_keys") this.#keys.push(...(records as Key[]));
    else this.#snapshots.push(...(records as Snapshot[]));
  }

  /** @returns how many surveys are whole */
  check(responses: readonly Response[]): number {
    const ids = new Set([...this.#keys, ...this.#snapshots].map(({ snapshot_id }) => snapshot_id));
    assert.ok(ids.size <= 1, "all records of a sync belong to one snapshot");
    assert.deepEqual(this.#surveys, [...new Set(this.#surveys)], "a survey has one record in a snapshot");
    for (const snapshot of this.#snapshots) this.#checkOne(snapshot, responses);
    return this.#snapshots.length;
  }

  /** After a sync that nothing disturbed. */
  checkWhole(surveys: readonly string[]): void {
    assert.deepEqual(
      surveys.filter((id) => !this.#surveys.includes(id)),
      [],
      "every survey of a healthy service has a whole snapshot",
    );
  }

  get #surveys(): string[] {
    return this.#snapshots.map(({ survey_id }) => survey_id);
  }

  #checkOne(snapshot: Snapshot, responses: readonly Response[]): void {
    const { survey_id: id, number_of_keys: count, covered_from: from, covered_to: to } = snapshot;
    const keys = new Set(
      this.#keys.filter(({ survey_id }) => survey_id === id).map(({ response_uuid }) => response_uuid),
    );
    if (this.#hasEnded) assert.equal(keys.size, count, `the keys of ${id} are as many as its record says`);
    if (keys.size !== count) return;
    const missing = responses.filter((response) => {
      if (response.survey !== id || !this.#existing.has(response) || keys.has(response.uuid)) return false;
      const timestamp = this.#shownOf(response);
      return (from === null || from <= timestamp) && timestamp <= to;
    });
    assert.deepEqual(
      missing.map(({ uuid }) => uuid),
      [],
      `a whole snapshot of ${id} has everything: ${JSON.stringify(snapshot)}`,
    );
  }
}
