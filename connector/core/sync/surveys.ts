import { type CutOptions, chooseCut } from "./split.ts";
import type { Slice, SurveyList } from "./survey-list.ts";

export interface SurveysOptions extends Pick<CutOptions, "itemsPerPage" | "listed"> {
  /** How many slices are read at once. */
  readonly slots: number;
  /** Each survey is read from its newest response down: none is cut, and none comes before another. */
  readonly inOrder: boolean;
}

/** Decides which page of which survey is requested next. No I/O and no clock. */
export class Surveys {
  /** Those that wait, the next one last. */
  readonly #ids: string[];
  readonly #open: (id: string) => SurveyList;
  readonly #options: SurveysOptions;
  readonly #opened = new Set<SurveyList>();
  /** Of surveys that were read to their end. */
  #seen = 0;
  /** Undefined until the list of surveys was read: then slices are cut. */
  #share: number | undefined;
  /** Resolves when a slice may be free that is not free now. */
  #change = Promise.withResolvers<void>();

  /**
   * `ids`: those of which something is wanted. `open`: makes the list of one. Called once for each, when it is first taken:
   * thousands that wait take no memory.
   */
  constructor(ids: readonly string[], open: (id: string) => SurveyList, options: SurveysOptions) {
    this.#ids = ids.toReversed();
    this.#open = open;
    this.#options = options;
  }

  /** The list of surveys was read, as far as it can be: large surveys come first, and are cut into parts. */
  plan(): void {
    const { inOrder, slots, listed } = this.#options;
    if (inOrder) return;
    this.#share = (this.seen + this.toCome) / slots;
    const sizeOf = (id: string): number => listed(id)?.responses ?? Number.MAX_SAFE_INTEGER;
    this.#ids.sort((one, other) => sizeOf(one) - sizeOf(other));
    this.#wake();
  }

  /** Surveys of which something is to be requested, or under way. */
  get remaining(): number {
    return this.#ids.length + this.#opened.size;
  }

  /** How many responses have come. */
  get seen(): number {
    return [...this.#opened].reduce((sum, { seen }) => sum + seen, this.#seen);
  }

  /** About how many are still to come of the surveys of which the list says it. */
  get toCome(): number {
    const countOf = (id: string): number => this.#options.listed(id)?.responses ?? 0;
    const waiting = this.#ids.reduce((sum, id) => sum + countOf(id), 0);
    return [...this.#opened].reduce((sum, { id, seen }) => sum + Math.max(0, countOf(id) - seen), waiting);
  }

  /** The slice whose next page is read now, once there is one; undefined if nothing remains. The caller gives it back. */
  async take(): Promise<Slice | undefined> {
    while (this.remaining > 0) {
      const slice = this.#nextOpened() ?? this.#openNext() ?? this.#cut();
      if (slice) {
        slice.survey.lend(slice);
        return slice;
      }
      await this.#change.promise;
    }
    return undefined;
  }

  /** A page of the slice was read: other slices may be free now. */
  pageRead({ survey }: Slice): void {
    if (survey.isRead && this.#opened.delete(survey)) this.#seen += survey.seen;
    this.#wake();
  }

  /** The second look: the survey is read on, of which something failed. */
  takeUp(survey: SurveyList): void {
    survey.takeUp();
    // Newer pages may have shown meanwhile that nothing follows.
    if (survey.isRead) return;
    this.#seen -= survey.seen;
    this.#opened.add(survey);
  }

  /** Everything that the page of the slice led to was read. */
  giveBack(slice: Slice): void {
    slice.survey.giveBack(slice);
    this.pageRead(slice);
  }

  #wake(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }

  /** A slice of a survey that is being read. */
  #nextOpened(): Slice | undefined {
    for (const survey of this.#opened) {
      const slice = survey.next();
      if (slice === undefined) continue;
      // One after the other.
      this.#opened.delete(survey);
      this.#opened.add(survey);
      return slice;
    }
    return undefined;
  }

  /** The newest gap of the next survey. */
  #openNext(): Slice | undefined {
    const id = this.#ids.pop();
    if (id === undefined) return undefined;
    const survey = this.#open(id);
    this.#opened.add(survey);
    return survey.next();
  }

  /** The older part of a slice that is worth a cut. */
  #cut(): Slice | undefined {
    if (this.#share === undefined) return undefined;
    const slices = [...this.#opened].flatMap(({ slices }) => slices);
    const idle = this.#options.slots - slices.filter(({ isUnderWay }) => isUnderWay).length;
    const cut = chooseCut(slices, { ...this.#options, idle, share: this.#share });
    if (cut === undefined) return undefined;
    cut.slice.survey.split(cut);
    return this.#nextOpened();
  }
}
