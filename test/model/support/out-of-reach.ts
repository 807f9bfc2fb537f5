import type { StreamName } from "@survey-export/core";
import type { Response } from "./list-service.ts";

/** What a service must have shown before a stream may leave something out for good (spec/sync.md, "What this gives up"). */
export class OutOfReach {
  readonly #streams = new Map<StreamName, Shown>();
  #sync = 0;

  /** A sync of these streams begins. Those in `fresh` have forgotten everything. */
  begin(streams: readonly StreamName[], fresh: readonly StreamName[]): void {
    this.#sync++;
    for (const stream of streams) {
      if (fresh.includes(stream) || !this.#streams.has(stream)) this.#streams.set(stream, new Shown());
      this.#streams.get(stream)!.begin();
    }
  }

  of(stream: StreamName): Shown {
    return this.#streams.get(stream)!;
  }

  /** The person's list of that stream answered 404. */
  notFound(stream: StreamName, person: string, nowMs: number): void {
    this.of(stream).notFound(person, this.#sync, nowMs);
  }

  found(stream: StreamName, person: string): void {
    this.of(stream).found(person, this.#sync);
  }
}

interface Deletion {
  readonly person: string;
  readonly sync: number;
  readonly ms: number;
  /** The responses that it may concern; undefined = all. */
  readonly among: ReadonlySet<string> | undefined;
  readonly covers: (response: Response) => boolean;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** What one respondent stream has been shown. */
class Shown {
  /** People whose lists were odd in this sync: not found, not whole, or with an empty page. */
  readonly troubled = new Set<string>();
  /** Responses and attributes that a list left out while it looked whole. A response that led to the list is missed. */
  readonly hidden = new Set<string>();
  /** Left out by a list that holds another response of the same second: it may pass for the one that is missed. */
  readonly #mistaken = new Set<string>();
  /** Responses that named nobody. */
  readonly #nameless = new Map<string, Response>();
  readonly #notFound = new Map<string, { readonly sync: number; readonly ms: number }[]>();
  readonly #found = new Map<number, Set<string>>();
  /** A second 404: the person counts as deleted if the sync found somebody else. */
  readonly #deletions: Deletion[] = [];
  /** Responses that the state listed as open when the sync began. */
  #open = new Set<string>();

  /** Whether the state covered a response when the sync began, with its edges and before the lookback. */
  covers: (response: Response) => boolean = () => false;

  begin(): void {
    this.troubled.clear();
    this.#open = new Set();
    this.covers = () => false;
  }

  /**
   * The state does not say why something is open. So the first 404 may be taken for the second one, for responses that
   * are open for whatever reason.
   */
  wasOpen(uuid: string): void {
    this.#open.add(uuid);
  }

  notFound(person: string, sync: number, ms: number): void {
    this.troubled.add(person);
    const before = this.#notFound.get(person) ?? [];
    const isSecond = before.some((each) => each.sync !== sync || each.ms <= ms - MINUTE_MS);
    const among = isSecond ? undefined : this.#open;
    this.#deletions.push({ person, sync, ms, among, covers: this.covers });
    this.#notFound.set(person, [...before, { sync, ms }]);
  }

  found(person: string, sync: number): void {
    if (!this.#found.has(sync)) this.#found.set(sync, new Set());
    this.#found.get(sync)!.add(person);
  }

  /** A list that looked whole did not hold this. */
  hide(person: string, key: string): void {
    this.troubled.add(person);
    this.hidden.add(key);
  }

  mistake(uuid: string): void {
    this.#mistaken.add(uuid);
  }

  nameless(response: Response): void {
    this.#nameless.set(response.uuid, response);
  }

  wasEverNotFound(person: string): boolean {
    return this.#notFound.has(person);
  }

  /** Whether a response that leads to its person may be left out. */
  isExcused(response: Response, epochMs: number): boolean {
    const { uuid, person, at } = response;
    if (this.#nameless.has(uuid) || this.#mistaken.has(uuid)) return true;
    return this.#deletions.some(
      (deletion) =>
        deletion.person === person &&
        at <= 1000 * (deletion.ms - DAY_MS - epochMs) &&
        // One 404 is enough for what the lookback shows again: it was delivered, unless it appeared more than a day late.
        (deletion.covers(response) || (deletion.among?.has(uuid) ?? true)) &&
        [...(this.#found.get(deletion.sync) ?? [])].some((other) => other !== person),
    );
  }

  /** Whether a response that only its person's list shows may be left out. */
  isUnseen(response: Response, epochMs: number): boolean {
    if (this.isExcused(response, epochMs) || this.hidden.has(response.uuid)) return true;
    // A response without a name counts as delivered with all that its person gave before.
    return [...this.#nameless.values()].some(
      ({ person, at }) => person === response.person && at >= response.at,
    );
  }

  /** People who count as deleted, for the sums. */
  get deletedPeople(): number {
    const deleted = this.#deletions.filter(
      ({ person, sync, among }) =>
        among === undefined && [...(this.#found.get(sync) ?? [])].some((other) => other !== person),
    );
    return new Set(deleted.map(({ person }) => person)).size;
  }
}
