import type { AttributePair } from "./record.ts";

/** A response that a survey keeps in memory. */
export interface StoredResponse {
  readonly uuid: string;
  readonly micros: number;
  /** Higher for responses that were added later. Decides between responses of one microsecond. */
  readonly order: number;
  readonly respondent: string;
  readonly attributes: readonly AttributePair[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The responses of one survey that are kept in memory, oldest first, with an index by respondent. */
export class StoredResponses {
  #responses: StoredResponse[] = [];
  readonly #byRespondent = new Map<string, Set<StoredResponse>>();

  get count(): number {
    return this.#responses.length;
  }

  /** The response at an index, oldest first. */
  at(place: number): StoredResponse | undefined {
    return this.#responses[place];
  }

  /** Inserts responses by their timestamps. */
  add(added: readonly StoredResponse[]): void {
    const last = this.#responses.at(-1);
    this.#responses.push(...added);
    const inOrder = added.every((response, place) => compare(added[place - 1] ?? last, response) <= 0);
    if (!inOrder) this.#responses.sort(compare);
    for (const response of added) {
      const theirs = this.#byRespondent.get(response.respondent);
      if (theirs === undefined) this.#byRespondent.set(response.respondent, new Set([response]));
      else theirs.add(response);
    }
  }

  /** Removes a response. False if it is not here. */
  remove(uuid: string): boolean {
    const stored = this.#responses.find((response) => response.uuid === uuid);
    if (stored === undefined) return false;
    this.#responses = this.#responses.filter((response) => response !== stored);
    this.#byRespondent.get(stored.respondent)?.delete(stored);
    return true;
  }

  /** All responses of one respondent, in no order. */
  of(respondent: string): StoredResponse[] {
    return [...(this.#byRespondent.get(respondent) ?? [])];
  }

  /** The index of the newest response for which `isBelow` holds, or -1. It must hold for all older ones too. */
  lastBelow(isBelow: (response: StoredResponse) => boolean): number {
    const below = countWhile(this.count, (place) => {
      const response = this.at(place);
      return response !== undefined && isBelow(response);
    });
    return below - 1;
  }
}

/** At how many of the places from 0 to `count - 1` something holds. It must hold nowhere after the first place without it. */
export function countWhile(count: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(one: StoredResponse | undefined, other: StoredResponse): number {
  return one === undefined ? -1 : one.micros - other.micros || one.order - other.order;
}
