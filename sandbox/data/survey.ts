import { requireMoment } from "../moment.ts";
import { seedOf } from "./chance.ts";
import { Contents, type Variant } from "./content.ts";
import { type GeneratedResponses, GeneratedSource } from "./generated.ts";
import type { HeldResponse, ResponseInput } from "./given.ts";
import { HeldList } from "./held-list.ts";
import type { People } from "./people.ts";
import { type Position, startingAt } from "./position.ts";
import type { SurveyType } from "./record.ts";
import { uuidOf } from "./uuid.ts";

export interface SurveyOptions {
  readonly id: string;
  readonly type?: SurveyType;
  readonly name?: string;
  /** Written down one by one, or computed. Later ones come by `collect`. */
  readonly responses: readonly ResponseInput[] | GeneratedResponses;
  /** `little` leaves out the answers, for simulations that care for pages and not for what is on them. */
  readonly content?: "full" | "little";
}

/** A response in a list: where it stands, and either its index in the generated ones or itself. */
export interface Listed extends Position {
  readonly of: Survey;
  readonly held: HeldResponse | undefined;
}

/** One survey's responses, generated and given ones in one order. */
export class Survey {
  readonly id: string;
  readonly type: SurveyType;
  readonly name: string;
  /** The survey's own part of a response item, as JSON. */
  readonly json: string;
  readonly number: number;
  readonly contents: Contents;
  readonly #seed: number;
  readonly #grain: number;
  readonly #people: People;
  readonly #source: GeneratedSource | undefined;
  readonly #removed = new Set<number>();
  readonly #held = new HeldList();
  #nextOrder: number;

  constructor(options: SurveyOptions, number: number, seed: number, people: People, grainMicros: number) {
    this.id = options.id;
    this.type = options.type ?? "PageSurvey";
    this.name = options.name ?? `Survey ${options.id}`;
    this.json = JSON.stringify({ id: this.id, type: this.type, name: this.name });
    this.number = number;
    this.#seed = seedOf(`${seed} ${options.id}`);
    this.#grain = grainMicros;
    this.#people = people;
    this.contents = new Contents(this.#seed, number, options.content === "little");
    const where = `surveys["${options.id}"].responses`;
    const generated = "count" in options.responses ? options.responses : undefined;
    this.#source = generated && new GeneratedSource(generated, this.#grain, where);
    this.#nextOrder = this.#source?.count ?? 0;
    people.widen(this.#source?.respondents ?? 0);
    if (!("count" in options.responses)) this.add(options.responses);
  }

  get count(): number {
    return (this.#source?.count ?? 0) - this.#removed.size + this.#held.count;
  }

  /** How many responses were computed from a seed at the start, and how many people could give them. */
  get generated(): { readonly count: number; readonly respondents: number } | undefined {
    return this.#source;
  }

  /** Adds responses, at their own moments, and returns them as held. */
  add(responses: readonly ResponseInput[]): HeldResponse[] {
    const added = responses.map((response, place) => this.#hold(response, place));
    this.#held.add(added);
    for (const { respondent } of added) this.#people.meet(respondent);
    return added;
  }

  /** Takes a response away; false when it is not here. */
  remove(uuid: string): boolean {
    const index = this.#source?.indexOf(uuid);
    if (index !== undefined && !this.#removed.has(index)) {
      this.#removed.add(index);
      return true;
    }
    return this.#held.remove(uuid);
  }

  /** Up to `limit` responses from a position downwards, none older than `oldestMicros`. */
  list(from: Position, oldestMicros: number, limit: number): Listed[] {
    const listed: Listed[] = [];
    let index = this.#indexBelow(from);
    let place = this.#heldBelow(from);
    while (listed.length < limit) {
      while (this.#removed.has(index)) index -= 1;
      const held = this.#held.at(place);
      const micros = index < 0 ? -Infinity : this.#source!.micros(index);
      const takesHeld = held !== undefined && held.micros >= micros;
      if (!takesHeld && index < 0) break;
      if ((takesHeld ? held.micros : micros) < oldestMicros) break;
      if (takesHeld) {
        listed.push(this.#listed(held.micros, held.order, held));
        place -= 1;
      } else {
        listed.push(this.#listed(micros, index, undefined));
        index -= 1;
      }
    }
    return listed;
  }

  /** All responses of one person, in no order. */
  listOf(respondent: string): Listed[] {
    const number = this.#people.numberOf(respondent);
    const computed = number === undefined ? [] : (this.#source?.itemsOf(number) ?? []);
    return [
      ...computed
        .filter((index) => !this.#removed.has(index))
        .map((index) => this.#listed(this.#source!.micros(index), index, undefined)),
      ...this.#held.of(respondent).map((held) => this.#listed(held.micros, held.order, held)),
    ];
  }

  find(uuid: string): Listed | undefined {
    const index = this.#source?.indexOf(uuid);
    if (index !== undefined && !this.#removed.has(index)) {
      return this.#listed(this.#source!.micros(index), index, undefined);
    }
    const held = this.#held.find(uuid);
    return held && this.#listed(held.micros, held.order, held);
  }

  /** Everything here in rising order, by plain counting: what the lists are checked against. */
  *ascending(): Generator<Listed> {
    let place = 0;
    for (let index = 0; index <= (this.#source?.count ?? 0); index += 1) {
      const ended = index === (this.#source?.count ?? 0);
      if (this.#removed.has(index)) continue;
      const micros = ended ? Infinity : this.#source!.micros(index);
      for (
        let held = this.#held.at(place);
        held !== undefined && held.micros < micros;
        held = this.#held.at(place)
      ) {
        yield this.#listed(held.micros, held.order, held);
        place += 1;
      }
      if (!ended) yield this.#listed(micros, index, undefined);
    }
  }

  uuid(listed: Listed): string {
    return listed.held?.uuid ?? this.#source!.uuid(listed.order);
  }

  respondent(listed: Listed): string {
    return listed.held?.respondent ?? this.#people.uuid(this.#source!.respondent(listed.order));
  }

  variant(listed: Listed): Variant {
    return this.contents.variant(listed.held ? listed.order : this.#source!.content(listed.order));
  }

  /** The newest moment here, or undefined when there is nothing. */
  newestMicros(): number | undefined {
    return this.list(startingAt(Infinity), -Infinity, 1)[0]?.micros;
  }

  #hold(response: ResponseInput, place: number): HeldResponse {
    const exact = requireMoment(
      response.collected_at,
      `surveys["${this.id}"]: collected_at of response ${place}`,
    );
    const order = this.#nextOrder++;
    return {
      uuid: response.uuid ?? uuidOf(this.#seed ^ 0x5eed, order),
      micros: exact - (((exact % this.#grain) + this.#grain) % this.#grain),
      order,
      respondent: response.respondent_uuid ?? uuidOf(this.#seed ^ 0xfeed, order),
      attributes: response.attributes ?? [],
      fields: response.fields ?? {},
    };
  }

  #listed(micros: number, order: number, held: HeldResponse | undefined): Listed {
    return { micros, survey: this.number, order, of: this, held };
  }

  /** The last generated item at or below a position, -1 for none. */
  #indexBelow(from: Position): number {
    if (this.#source === undefined) return -1;
    let index = this.#source.countUpTo(from.micros) - 1;
    while (index >= 0 && this.#isAbove(from, this.#source.micros(index), index)) index -= 1;
    return index;
  }

  #heldBelow(from: Position): number {
    return this.#held.lastBelow(
      (held) => held.micros <= from.micros && !this.#isAbove(from, held.micros, held.order),
    );
  }

  /** Whether an item at or below the position's moment still stands before the position. */
  #isAbove(from: Position, micros: number, order: number): boolean {
    if (micros !== from.micros || from.survey > this.number) return false;
    return from.survey < this.number || order > from.order;
  }
}
