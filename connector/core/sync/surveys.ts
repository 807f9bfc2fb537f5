import type { Gap } from "../coverage/coverage.ts";
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

  /** What is left of the survey under way that was read least far down. Undefined while one has shown nothing. */
  get unread(): Gap | undefined {
    let least: Gap | undefined;
    for (const { unread } of this.#opened) {
      if (unread.newer === undefined) return undefined;
      if (least?.newer === undefined || unread.newer > least.newer) least = unread;
    }
    return least;
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
