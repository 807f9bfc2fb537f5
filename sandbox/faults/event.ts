import type { CollectedCount, Dataset, Removal } from "../data/dataset.ts";
import type { RespondentInput } from "../data/respondents.ts";
import type { ResponseInput } from "../data/response-input.ts";
import type { Endpoint } from "../http/request-and-reply.ts";

/** A change of the data itself. */
export type DataChange =
  | {
      readonly collect: {
        readonly surveyId: string;
        readonly responses: readonly ResponseInput[] | CollectedCount;
      };
    }
  | { readonly remove: Removal }
  | { readonly describe: RespondentInput };

/** A change that happens once, right after this many requests were answered. The next request sees it. */
export interface DataEvent {
  readonly afterRequest: number;
  /** Counts only requests to this endpoint. Default: all requests, refused ones included. */
  readonly on?: Endpoint;
  readonly change: DataChange;
}

/** Changes the data. */
export function apply(dataset: Dataset, change: DataChange): void {
  if ("collect" in change) dataset.collect(change.collect.surveyId, change.collect.responses);
  else if ("remove" in change) dataset.remove(change.remove);
  else dataset.describe(change.describe);
}

/** The events that have not happened yet. Each counts the requests since it was added. */
export class EventPlan {
  #waiting: { readonly event: DataEvent; seen: number }[] = [];

  add(events: readonly DataEvent[]): void {
    this.#waiting.push(...events.map((event) => ({ event, seen: 0 })));
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Counts an answered request. Returns the changes that are due after it, in the order in which they were added. */
  answered(endpoint: Endpoint | undefined): DataChange[] {
    if (this.#waiting.length === 0) return [];
    for (const waiting of this.#waiting) {
      if (waiting.event.on === undefined || waiting.event.on === endpoint) waiting.seen += 1;
    }
    const due = this.#waiting.filter(({ event, seen }) => seen >= event.afterRequest);
    if (due.length > 0) this.#waiting = this.#waiting.filter((waiting) => !due.includes(waiting));
    return due.map(({ event }) => event.change);
  }
}
