import type { HeldResponse } from "./given.ts";

/** Given responses of one survey, oldest first, and whose they are. */
export class HeldList {
  #responses: HeldResponse[] = [];
  readonly #byRespondent = new Map<string, Set<HeldResponse>>();

  get count(): number {
    return this.#responses.length;
  }

  /** The response at a place of the rising order. */
  at(place: number): HeldResponse | undefined {
    return this.#responses[place];
  }

  /** Puts responses where their moments belong. */
  add(added: readonly HeldResponse[]): void {
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

  /** Takes a response away; false when it is not here. */
  remove(uuid: string): boolean {
    const held = this.find(uuid);
    if (held === undefined) return false;
    this.#responses = this.#responses.filter((response) => response !== held);
    this.#byRespondent.get(held.respondent)?.delete(held);
    return true;
  }

  find(uuid: string): HeldResponse | undefined {
    return this.#responses.find((response) => response.uuid === uuid);
  }

  /** All of one person, in no order. */
  of(respondent: string): HeldResponse[] {
    return [...(this.#byRespondent.get(respondent) ?? [])];
  }

  /** The place of the latest response for which `isBelow` holds, -1 for none; it must hold for all before that. */
  lastBelow(isBelow: (response: HeldResponse) => boolean): number {
    let [low, high] = [0, this.#responses.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBelow(this.#responses[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function compare(one: HeldResponse | undefined, other: HeldResponse): number {
  return one === undefined ? -1 : one.micros - other.micros || one.order - other.order;
}
