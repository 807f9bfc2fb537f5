import type { Interval } from "../coverage/coverage.ts";
import type { Place } from "../coverage/open-ranges.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import { type Held, isHeld, PeopleRead, respondentKey } from "./people-read.ts";
import type { Tries } from "./tries.ts";

/** A response of a survey that led to a respondent. */
export interface Lead extends Place {
  readonly uuid: string;
}

/** A page of a survey, or what a cut leaves of it: it is settled when everybody whom it shows has answered. */
export interface PageWork {
  readonly surveyId: string;
  readonly intervals: readonly Interval[];
  readonly upTo: Timestamp | undefined;
  readonly newestSeen: Timestamp | undefined;
  /** Set if the page was requested because something of it was open. */
  readonly tries: Tries | undefined;
  readonly taken: number;
  delivered: number;
  readonly open: Lead[];
  /** How many are open until their respondents, who were not found, are asked for once more. */
  doubtful: number;
  /** Whether something of it stays open, after this sync. */
  isInVain: boolean;
  waitingFor: number;
}

/**
 * What this sync knows of a respondent whose list is not read yet. What follows from each state is a table of
 * docs/ARCHITECTURE.md. Those who have answered are kept in `PeopleRead` alone.
 */
export type PersonState =
  /** Somebody led to them. */
  | "waiting"
  /** Their list is being read. */
  | "asked"
  /** The service answered 404, once in this sync. */
  | "not found"
  /** Their list is being read once more. */
  | "asked again"
  /** Two answers were 404. */
  | "not found twice";

export interface Person {
  readonly key: string;
  /** As the service writes it in a response, else as the configuration does: a service may know no other. */
  spelling: string;
  readonly leads: Lead[];
  /** The pages that wait for them. */
  readonly waits: { readonly lead: Lead; readonly work: PageWork }[];
  state: PersonState;
  /** Number of the page that led to them first. */
  readonly page: number;
  /** Whether an open range alone led to them. */
  readonly isRetry: boolean;
  /** Monotonic milliseconds of the first 404. */
  notFoundAtMs: number;
  /** Whether this sync has asked for them twice. */
  isAskedTwice: boolean;
  /** Responses that are open until it is clear whether the respondent was deleted. */
  readonly doubts: Lead[];
}

/** Slots that have been taken from the front of the queue before it is shortened. */
const TAKEN_BEFORE_SHORTENED = 1024;

/** The respondents of one stream in one sync: those who wait, in the order in which they were found, and those read. */
export class People {
  readonly #read = new PeopleRead();
  readonly #known = new Map<string, Person>();
  #queue: Person[] = [];
  #taken = 0;
  #pages = 0;

  /** How many wait. */
  get waiting(): number {
    return this.#queue.length - this.#taken;
  }

  /** Another page begins: of the people whom it shows first, one is tried while nothing else answers. */
  nextPage(): void {
    this.#pages++;
  }

  find(uuid: string): Person | undefined {
    return this.#known.get(respondentKey(uuid));
  }

  /** Whether the respondent's list was read and held a response of this time; undefined if it was not read. */
  held(uuid: string, timestamp: Timestamp): boolean | undefined {
    const held = this.#read.get(respondentKey(uuid));
    return held && isHeld(held, timestamp);
  }

  isRead(uuid: string): boolean {
    return this.#read.get(respondentKey(uuid)) !== undefined;
  }

  add(spelling: string, isRetry: boolean): Person {
    const person: Person = {
      ...{ key: respondentKey(spelling), spelling, leads: [], waits: [], state: "waiting" },
      ...{ page: this.#pages, isRetry, notFoundAtMs: 0, isAskedTwice: false, doubts: [] },
    };
    this.#known.set(person.key, person);
    this.#queue.push(person);
    return person;
  }

  next(): Person | undefined {
    const person = this.#queue[this.#taken];
    if (person === undefined) return undefined;
    if (++this.#taken > TAKEN_BEFORE_SHORTENED) {
      this.#queue = this.#queue.slice(this.#taken);
      this.#taken = 0;
    }
    return person;
  }

  /** The first who waits of a page after `page`. */
  nextAfter(page: number): Person | undefined {
    const place = this.#queue.findIndex((person, at) => at >= this.#taken && person.page > page);
    return place < 0 ? undefined : this.#queue.splice(place, 1)[0];
  }

  /** This sync is done with the respondent. */
  done(person: Person, held: Held): void {
    this.#read.set(person.key, held);
    this.#known.delete(person.key);
  }
}
