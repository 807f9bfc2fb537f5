import { microsecondsBetween } from "../coverage/timestamp.ts";
import { chooseCut } from "./split.ts";
import type { Slice, SurveyList } from "./survey-list.ts";
import type { Settings } from "./sync-options.ts";

/** Decides which page of which survey is requested next. No I/O and no clock. */
export class Surveys {
  readonly #ids: readonly string[];
  readonly #open: (id: string) => SurveyList;
  readonly #settings: Settings;
  readonly #opened = new Set<SurveyList>();
  #count = 0;
  /** Resolves when `next` may give something that it does not give now. */
  change = Promise.withResolvers<void>();

  /**
   * `ids`: those of which something is wanted. `open`: makes the list of one. Called once for each, at its first turn:
   * thousands that wait take no memory.
   */
  constructor(ids: readonly string[], open: (id: string) => SurveyList, settings: Settings) {
    this.#ids = ids;
    this.#open = open;
    this.#settings = settings;
  }

  /** Surveys of which something is left to request or under way. */
  get left(): number {
    return this.#ids.length - this.#count + this.#opened.size;
  }

  /** How many requests for pages have ended. */
  pages = 0;

  /**
   * An estimate of the pages that are left, by the density of each slice, or of the one above if nothing of it has come.
   * Infinite without a start date.
   */
  get pagesLeft(): number {
    let pagesLeft = 0;
    for (const { slices } of this.#opened) {
      let perMicrosecond = 0;
      for (const { walk } of slices) {
        const { older, position, density = perMicrosecond } = walk;
        perMicrosecond = density;
        if (older === null) return Number.POSITIVE_INFINITY;
        if (position === undefined) continue;
        pagesLeft += (microsecondsBetween(older, position) * density) / this.#settings.itemsPerPage;
      }
    }
    const begun = this.#count / this.#ids.length;
    return (this.pages + pagesLeft) / begun - this.pages;
  }

  /**
   * The slice whose page to request now, which is under way then: of a survey that is being read, in turn, else the
   * newest gap of the next survey, else the older part of a slice that is worth a cut.
   */
  next(): Slice | undefined {
    const slice = this.#nextOpened() ?? this.#openNext() ?? this.#cut();
    if (slice) slice.isUnderWay = true;
    return slice;
  }

  /** The page of `slice` came, or failed. `goesOn`: what it led to is not done yet. */
  cameBack(slice: Slice, goesOn: boolean): void {
    this.pages++;
    if (goesOn) this.#changed(slice.survey);
    else this.done(slice);
  }

  /** Everything that the page of `slice` led to is done: the slice waits for its next turn. */
  done(slice: Slice): void {
    slice.survey.giveBack(slice);
    this.#changed(slice.survey);
  }

  #changed(survey: SurveyList): void {
    if (survey.isRead) this.#opened.delete(survey);
    const { resolve } = this.change;
    this.change = Promise.withResolvers();
    resolve();
  }

  #nextOpened(): Slice | undefined {
    for (const survey of this.#opened) {
      const slice = survey.next();
      if (slice === undefined) continue;
      // Each has its turn.
      this.#opened.delete(survey);
      this.#opened.add(survey);
      return slice;
    }
    return undefined;
  }

  #openNext(): Slice | undefined {
    const id = this.#ids[this.#count];
    if (id === undefined) return undefined;
    this.#count++;
    const survey = this.#open(id);
    this.#opened.add(survey);
    return survey.next();
  }

  #cut(): Slice | undefined {
    if (this.#settings.inOrder) return undefined;
    const slices = [...this.#opened].flatMap(({ slices }) => slices);
    const cut = chooseCut(slices, this.#settings.itemsPerPage);
    return cut?.slice.survey.split(cut);
  }
}
