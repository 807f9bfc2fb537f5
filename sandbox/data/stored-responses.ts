import type { StoredResponse } from "./response-input.ts";

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
    const stored = this.find(uuid);
    if (stored === undefined) return false;
    this.#responses = this.#responses.filter((response) => response !== stored);
    this.#byRespondent.get(stored.respondent)?.delete(stored);
    return true;
  }

  find(uuid: string): StoredResponse | undefined {
    return this.#responses.find((response) => response.uuid === uuid);
  }

  /** All responses of one respondent, in no order. */
  of(respondent: string): StoredResponse[] {
    return [...(this.#byRespondent.get(respondent) ?? [])];
  }

  /** The index of the newest response for which `isBelow` holds, or -1. It must hold for all older ones too. */
  lastBelow(isBelow: (response: StoredResponse) => boolean): number {
    let [low, high] = [0, this.#responses.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBelow(this.#responses[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function compare(one: StoredResponse | undefined, other: StoredResponse): number {
  return one === undefined ? -1 : one.micros - other.micros || one.order - other.order;
}
