import { type CutOptions, chooseCut } from "./split.ts";
import type { Slice, SurveyList } from "./survey-list.ts";
import type { Settings } from "./sync-options.ts";

/** Decides which page of which survey is requested next. No I/O and no clock. */
export class Surveys {
  /** Those that wait, the next one last. */
  readonly #ids: string[];
  readonly #listed: CutOptions["listed"];
  readonly #slots: number;
  readonly #open: (id: string) => SurveyList;
  readonly #settings: Settings;
  readonly #opened = new Set<SurveyList>();
  /** Of surveys that were read to their end. */
  #seen = 0;
  /** Undefined until the list of surveys was read: then slices are cut. */
  #share: number | undefined;
  /** Resolves when a slice may be free that is not free now. */
  #change = Promise.withResolvers<void>();

  /**
   * `ids`: those of which something is wanted. `open`: makes the list of one. Called once for each, at its first turn:
   * thousands that wait take no memory. `listed`: what the list of surveys says of one; `slots`: how many are read at once.
   */
  constructor(
    ids: readonly string[],
    open: (id: string) => SurveyList,
    settings: Settings,
    listed: CutOptions["listed"],
    slots: number,
  ) {
    this.#ids = ids.toReversed();
    this.#open = open;
    this.#settings = settings;
    this.#listed = listed;
    this.#slots = slots;
  }

  /** The list of surveys was read, as far as it can be: large surveys come first, and are cut into parts. */
  plan(): void {
    if (this.#settings.inOrder) return;
    this.#share = (this.seen + this.toCome) / this.#slots;
    const sizeOf = (id: string): number => this.#listed(id)?.responses ?? Number.MAX_SAFE_INTEGER;
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
    const countOf = (id: string): number => this.#listed(id)?.responses ?? 0;
    const waiting = this.#ids.reduce((sum, id) => sum + countOf(id), 0);
    return [...this.#opened].reduce((sum, { id, seen }) => sum + Math.max(0, countOf(id) - seen), waiting);
  }

  /**
   * One turn of a worker. `readPage` reads the page of a slice; `rest` is what the page led to and goes on without the slot.
   * @returns `end`: when the worker may have its next turn; undefined: at once
   */
  async turn(
    readPage: (slice: Slice) => Promise<{ readonly rest?: Promise<unknown> }>,
  ): Promise<{ readonly end?: Promise<void> }> {
    const slice = this.#nextOpened() ?? this.#openNext() ?? this.#cut();
    // All may have been read while the worker waited for its slot.
    if (slice === undefined) return this.remaining > 0 ? { end: this.#change.promise } : {};
    slice.survey.lend(slice);
    const { rest } = await readPage(slice);
    const giveBack = (): void => {
      slice.survey.giveBack(slice);
      this.#changed(slice.survey);
    };
    if (rest) {
      this.#changed(slice.survey);
      return { end: rest.then(giveBack) };
    }
    giveBack();
    return {};
  }

  #changed(survey: SurveyList): void {
    if (survey.isRead && this.#opened.delete(survey)) this.#seen += survey.seen;
    this.#wake();
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
      // Each has its turn.
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
    const [share, listed] = [this.#share, this.#listed];
    if (share === undefined) return undefined;
    const slices = [...this.#opened].flatMap(({ slices }) => slices);
    const idle = this.#slots - slices.filter(({ isUnderWay }) => isUnderWay).length;
    const { itemsPerPage } = this.#settings;
    const cut = chooseCut(slices, { itemsPerPage, idle, listed, share });
    if (cut === undefined) return undefined;
    cut.slice.survey.split(cut);
    return this.#nextOpened();
  }
}
