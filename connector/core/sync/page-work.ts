import type { Read } from "../lists/coverage-tracker.ts";
import type { Lead, PageWork, People, Person } from "./people.ts";
import type { StreamCursor } from "./stream-cursor.ts";

/** A response that a page shows, and who gave it. */
export interface Shown {
  readonly lead: Lead;
  readonly respondentUuid: string;
}

/** What a walk has read of a part of a survey's list: a slice, or a page of an open range. */
export interface Part {
  readonly of: object;
  readonly read: Read;
}

/** The pages of one stream that wait for people. */
export class PageWorks {
  readonly #cursor: StreamCursor;
  readonly #people: People;
  readonly #doubt: (lead: Lead, person: Person, work: PageWork) => void;
  /** Responses that no page waits for yet, by the part of the survey's list that they came with. */
  readonly #carried = new WeakMap<object, readonly Shown[]>();

  /** `doubt` is told of a response whose respondent was not found before the page came. */
  constructor(
    cursor: StreamCursor,
    people: People,
    doubt: (lead: Lead, person: Person, work: PageWork) => void,
  ) {
    this.#cursor = cursor;
    this.#people = people;
    this.#doubt = doubt;
  }

  /**
   * The responses of a page wait with what their walk covers: those below that wait for the next page, those at its
   * lower edge for both, since the next page, with what was covered before, may put the edge inside.
   */
  add(
    { of, read }: Part,
    shown: readonly Shown[],
    page: Pick<PageWork, "surveyId" | "newestSeen" | "tries">,
  ): void {
    const all = [...(this.#carried.get(of) ?? []), ...shown];
    this.#carried.set(of, all);
    const lowest = read.covered.at(-1);
    if (lowest === undefined) {
      page.tries?.answered(true);
      return;
    }
    const [lower] = lowest;
    const isBelow = ({ lead }: Shown): boolean => lower !== null && lead.timestamp < lower;
    const taken = all.filter((one) => !isBelow(one));
    this.#carried.set(
      of,
      all.filter((one) => isBelow(one) || one.lead.timestamp === lower),
    );
    const work: PageWork = {
      ...page,
      ...{ intervals: read.covered, upTo: read.upTo, isInVain: read.open.length > 0 },
      ...{ taken: taken.length, delivered: 0, open: [], doubtful: 0, waitingFor: 0 },
    };
    for (const one of taken) this.#waitFor(one, work);
    if (work.waitingFor === 0) this.#settle(work);
  }

  /** The respondent has answered: pages wait for them no longer. */
  release(person: Person, take: (lead: Lead, work: PageWork) => void): void {
    for (const { lead, work } of person.waits.splice(0)) {
      take(lead, work);
      if (--work.waitingFor === 0) this.#settle(work);
    }
  }

  #waitFor({ lead, respondentUuid }: Shown, work: PageWork): void {
    const person = this.#people.find(respondentUuid);
    if (person === undefined) {
      if (this.#people.held(respondentUuid, lead.timestamp)) work.delivered++;
      else work.open.push(lead);
    } else if (person.state === "waiting" || person.state === "asked") {
      person.waits.push({ lead, work });
      work.waitingFor++;
    } else this.#doubt(lead, person, work);
  }

  #settle(work: PageWork): void {
    this.#cursor.settle({ ...work, isRetry: work.tries !== undefined });
    work.tries?.answered(work.isInVain || work.open.length > 0);
  }
}
