import type { ConfiguredRespondents } from "../coverage/stream-state.ts";
import { addMicroseconds, DAY_MICROSECONDS, earlier, later, type Timestamp } from "../coverage/timestamp.ts";
import { respondentKey } from "./people-read.ts";

export interface ConfiguredOptions {
  readonly uuids: readonly string[];
  /** What the state says of the people who were configured then. */
  readonly stored: ConfiguredRespondents | undefined;
  /** From a hand-written state: everything up to here was delivered, of whomever. */
  readonly upTo: Timestamp | undefined;
  readonly lookbackMs: number;
  readonly endDate: Timestamp | undefined;
  /** When the sync begins: a state above it is cut there. */
  readonly present: Timestamp;
}

/**
 * How far the lists of the people whom the configuration names were read, as one timestamp for all of them. It counts
 * only while the same people are configured. So a state does not grow with them, and it names nobody.
 */
export class ConfiguredProgress {
  readonly #options: ConfiguredOptions;
  readonly #fingerprint: string;
  readonly #known: Timestamp | undefined;
  #stored: ConfiguredRespondents | undefined;

  constructor(options: ConfiguredOptions) {
    const { uuids, stored, upTo } = options;
    this.#options = options;
    this.#stored = stored;
    this.#fingerprint = fingerprintOf(uuids);
    const known = upTo ?? (this.#isSame ? stored?.collected_at : undefined);
    this.#known = known ? earlier(known, options.present) : undefined;
  }

  /** Their responses below this were delivered by earlier syncs; undefined = none certainly was. */
  get deliveredBelow(): Timestamp | undefined {
    return this.#known === undefined
      ? undefined
      : addMicroseconds(this.#known, -1000 * this.#options.lookbackMs);
  }

  /** For the state. */
  get stored(): ConfiguredRespondents | undefined {
    return this.#stored;
  }

  /**
   * Everybody was read. Somebody who was not found (404) counts as read if an earlier sync did not find them all either,
   * and others are found (`hasControl`); then the last day stays unread, since they may come back.
   */
  wereRead(present: Timestamp, someAreMissing: boolean, hasControl: boolean): void {
    const { uuids, endDate } = this.#options;
    if (uuids.length === 0) return;
    const isFirst = this.#known === undefined && !this.#isSame;
    if (someAreMissing && !isFirst && !hasControl) return;
    const readTo = someAreMissing ? addMicroseconds(present, -DAY_MICROSECONDS) : present;
    const upTo = earlier(readTo, endDate ?? readTo);
    const collected_at = someAreMissing && isFirst ? null : later(this.#known ?? upTo, upTo);
    this.#stored = { fingerprint: this.#fingerprint, collected_at };
  }

  get #isSame(): boolean {
    return this.#stored?.fingerprint === this.#fingerprint;
  }
}

/** A checksum of all UUIDs together, however they are written and in whatever order. By itself it identifies nobody. */
function fingerprintOf(uuids: readonly string[]): string {
  const text = [...new Set(uuids.map(respondentKey))].sort().join();
  let [high, low] = [0x811c9dc5, 0x01000193];
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code ^ (high >>> 13), 0x85ebca6b);
  }
  return [high, low].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
