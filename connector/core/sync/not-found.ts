import { addMicroseconds, DAY_MICROSECONDS, EARLIEST, type Timestamp } from "../coverage/timestamp.ts";
import type { Lead, PageWork, People, Person } from "./people.ts";
import { HELD_NOTHING, heldBetween } from "./people-read.ts";
import type { StreamCursor } from "./stream-cursor.ts";

/** Somebody who was not found is asked for once more after this time, if nothing else is left to do; */
const AGAIN_AFTER_MS = 60_000;
/** and after this time in any case. */
const AGAIN_AT_LATEST_MS = 900_000;
/** A response younger than this never counts as one of a deleted respondent. */
const YOUNG_MICROSECONDS = DAY_MICROSECONDS;
/** At most this many respondents who were not found twice wait for the control. */
const MOST_UNDECIDED = 100;

/**
 * The respondents of one stream whom the service does not find (404). The responses that led to them are open at once.
 *
 * A second 404 counts as a deletion, for responses older than a day and if others are found: then these are closed. The
 * answer is the second one if an earlier sync has already tried the same responses; else they are asked for once more, a
 * minute later or more. A quiet sync waits for nobody, since young responses wait for the next sync. All else stays open.
 */
export class NotFound {
  readonly #cursor: StreamCursor;
  readonly #people: People;
  readonly #bound: { readonly at: Timestamp | undefined };
  /** In the order of their answers. */
  readonly #askAgain: Person[] = [];
  #twice: Person[] = [];
  /** Those of them who were not found before the control was asked. */
  #deciding: Person[] = [];
  #underWay = 0;
  /** Keys of those who count as deleted. */
  readonly #deleted: Set<string>;

  constructor(
    cursor: StreamCursor,
    people: People,
    bound: { readonly at: Timestamp | undefined },
    deleted: Set<string>,
  ) {
    this.#cursor = cursor;
    this.#people = people;
    this.#bound = bound;
    this.#deleted = deleted;
  }

  /** The person to ask for once more now. */
  next(nowMs: number, isIdle: boolean): Person | undefined {
    const waitMs = isIdle || this.#underWay > 0 ? AGAIN_AFTER_MS : AGAIN_AT_LATEST_MS;
    const [first] = this.#askAgain;
    if (first === undefined || nowMs - first.notFoundAtMs < waitMs) return undefined;
    first.state = "asked again";
    first.isAskedTwice = true;
    this.#underWay++;
    return this.#askAgain.shift();
  }

  get wakeAtMs(): number | undefined {
    const [first] = this.#askAgain;
    return first && first.notFoundAtMs + AGAIN_AFTER_MS;
  }

  /** Whether the control is to be asked for, so that `decide` can follow. */
  awaitsControl(isIdle: boolean): boolean {
    if (this.#underWay > 0) return false;
    return (
      this.#twice.length >= MOST_UNDECIDED ||
      (isIdle && this.#twice.length > 0 && this.#askAgain.length === 0)
    );
  }

  /** The first 404 in this sync. The caller has put their responses in doubt. */
  once(person: Person, nowMs: number): void {
    person.state = "not found";
    person.notFoundAtMs = nowMs;
    if (person.leads.length === 0) this.#people.done(person, HELD_NOTHING);
    else this.judge(person);
  }

  /** The second one. */
  again(person: Person): void {
    this.#underWay--;
    this.#isTwice(person);
  }

  /** Somebody who was not found once gets another answer. */
  answered(person: Person, isDelivered: (lead: Lead) => boolean): void {
    if (person.state !== "asked again") return;
    this.#underWay--;
    this.#close(person.doubts.splice(0), isDelivered);
  }

  /** Whether somebody who was not found once is asked for again, after another response led to them, too. */
  judge(person: Person): void {
    const old = person.leads.filter((lead) => this.#isOld(lead));
    if (old.length === 0 || this.#askAgain.includes(person)) return;
    if (old.every((lead) => this.#wasDealtWith(lead))) this.#isTwice(person);
    else this.#askAgain.push(person);
  }

  /** The response is open until `decide` or `answered`. `hasControl`: somebody's list was good in this sync. */
  doubt(lead: Lead, person: Person, work: PageWork, hasControl: boolean): void {
    work.doubtful++;
    work.isInVain ||= !(hasControl && this.#isOld(lead));
    person.doubts.push(lead);
    this.#cursor.open.doubt(lead);
  }

  /** Whoever is not found twice from now on waits for the next control. */
  controlIsAsked(): void {
    this.#deciding = this.#twice;
    this.#twice = [];
  }

  /** Those who were not found twice count as deleted, or nobody does. */
  decide(areDeleted: boolean): void {
    const closed = new Set<Lead>();
    for (const { doubts, isAskedTwice } of areDeleted ? this.#deciding : []) {
      for (const lead of doubts)
        if (this.#isOld(lead) && (isAskedTwice || this.#wasDealtWith(lead))) closed.add(lead);
    }
    this.#close(
      this.#deciding.flatMap(({ doubts }) => doubts.splice(0)),
      (lead) => closed.has(lead),
    );
    const held = heldBetween(EARLIEST, this.#youngFrom);
    for (const person of this.#deciding) {
      this.#people.done(person, areDeleted && person.isAskedTwice ? held : HELD_NOTHING);
      if (areDeleted) this.#deleted.add(person.key);
    }
    this.#deciding = [];
  }

  #isTwice(person: Person): void {
    person.state = "not found twice";
    this.#twice.push(person);
  }

  #close(doubts: readonly Lead[], isClosed: (lead: Lead) => boolean): void {
    if (doubts.length === 0) return;
    this.#cursor.open.decide(doubts, isClosed);
    this.#cursor.changed();
  }

  /** The lookback shows again what an earlier sync covered. */
  #wasDealtWith(lead: Lead): boolean {
    return this.#cursor.wasCovered(lead) || this.#cursor.open.wasOpen(lead);
  }

  #isOld({ timestamp }: Lead): boolean {
    return timestamp <= this.#youngFrom;
  }

  get #youngFrom(): Timestamp {
    return addMicroseconds(this.#bound.at ?? EARLIEST, -YOUNG_MICROSECONDS);
  }
}
