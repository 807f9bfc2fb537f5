import { type Gap, unionOfGaps } from "../coverage/coverage.ts";
import { seenTogether } from "../coverage/list-coverage.ts";
import { surveyResponsesPath, type Window } from "../lists/endpoints.ts";
import { type ItemPage, seenOn } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import { given, say } from "../text/message.ts";
import type { Slice, SurveyInSync, SurveyPage } from "./slice.ts";
import { type Cut, type CutOptions, chooseCut } from "./split.ts";
import type { Settings } from "./sync-options.ts";

export interface SlicesOptions extends Pick<CutOptions, "listed"> {
  readonly settings: Pick<Settings, "itemsPerPage" | "attributes" | "inOrder">;
  /** What is to be read of a survey: gaps of each stream, which may overlap. Asked when the survey is first taken. */
  readonly gapsOf: (surveyId: string) => readonly Gap[];
  /** How many slices are read at once. */
  readonly slots: number;
}

/**
 * All that a sync has to read of surveys, in slices: decides which page is requested next. No I/O and no clock. A worker takes a
 * slice, reads a page of it, and gives it back. Without slices, one survey would be read by one request at a time.
 */
export class Slices {
  readonly #options: SlicesOptions;
  /** The surveys that wait, the next one last. Thousands take no memory. */
  readonly #waiting: string[];
  /** Those of which something is to be requested, or under way. */
  readonly #open = new Set<SurveyInSync>();
  /** Responses of surveys that are not open any more. */
  #responses = 0;
  /** Undefined until the list of surveys was read: then slices are cut. */
  #share: number | undefined;
  /** Resolves when a slice may be free that is not free now. */
  #change = Promise.withResolvers<void>();

  /** `surveyIds`: those of which something is wanted. */
  constructor(surveyIds: readonly string[], options: SlicesOptions) {
    this.#waiting = surveyIds.toReversed();
    this.#options = options;
  }

  /** The list of surveys was read, as far as it can be: large surveys come first, and are cut into parts. */
  plan(): void {
    const { settings, slots, listed } = this.#options;
    // Each survey is read from its newest response down.
    if (settings.inOrder) return;
    this.#share = (this.responses + this.toCome) / slots;
    const sizeOf = (id: string): number => listed(id)?.responses ?? Number.MAX_SAFE_INTEGER;
    this.#waiting.sort((one, other) => sizeOf(one) - sizeOf(other));
    this.#wake();
  }

  /** Surveys of which something is to be requested, or under way. */
  get remaining(): number {
    return this.#waiting.length + this.#open.size;
  }

  /** How many responses have come. */
  get responses(): number {
    return [...this.#open].reduce((sum, { responses }) => sum + responses, this.#responses);
  }

  /** About how many are still to come of the surveys of which the list says it. */
  get toCome(): number {
    const countOf = (id: string): number => this.#options.listed(id)?.responses ?? 0;
    const waiting = this.#waiting.reduce((sum, id) => sum + countOf(id), 0);
    return [...this.#open].reduce(
      (sum, { id, responses }) => sum + Math.max(0, countOf(id) - responses),
      waiting,
    );
  }

  /** The slice whose next page is read now, once there is one; undefined if nothing remains. The caller gives it back. */
  async take(): Promise<Slice | undefined> {
    while (this.remaining > 0) {
      const slice = this.#nextOpen() ?? this.#openNext() ?? this.#nextCut();
      if (slice) {
        slice.isUnderWay = true;
        return slice;
      }
      await this.#change.promise;
    }
    return undefined;
  }

  /** Takes a page of a slice in. */
  accept({ survey, walk }: Slice, page: ItemPage): SurveyPage {
    const walked = walk.accept(page);
    survey.pages++;
    survey.responses += walked.items.length;
    survey.isTriedAgain = false;
    survey.seen = seenTogether(survey.seen, seenOn(page, walked.items));
    return { ...walked, surveyId: survey.id, seen: survey.seen, isLast: isReadToItsEnd(survey) };
  }

  /** A page of the slice was read: other slices may be free now. */
  pageRead({ survey }: Slice): void {
    if (isRead(survey) && this.#open.delete(survey)) this.#responses += survey.responses;
    this.#wake();
  }

  /** Everything that the page of the slice led to was read. */
  giveBack(slice: Slice): void {
    const { survey } = slice;
    slice.isUnderWay = false;
    survey.slices = survey.slices.filter(({ walk, isUnderWay }) => isUnderWay || walk.path !== undefined);
    this.pageRead(slice);
  }

  /** `slice` failed: it waits for the second look, and so does everything older. What is newer is read all the same. */
  setAside(slice: Slice): void {
    const { survey } = slice;
    survey.areGapsSetAside = true;
    for (const each of survey.slices.slice(survey.slices.indexOf(slice))) each.isSetAside = true;
  }

  /** The second look: what was set aside is read on from where it failed. So nothing comes a second time. */
  takeUp(survey: SurveyInSync): void {
    survey.isTriedAgain = true;
    survey.areGapsSetAside = false;
    for (const each of survey.slices) each.isSetAside = false;
    this.#responses -= survey.responses;
    this.#open.add(survey);
  }

  #wake(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }

  /** A slice of a survey that is being read. */
  #nextOpen(): Slice | undefined {
    for (const survey of this.#open) {
      const slice = this.#nextOf(survey);
      if (slice === undefined) continue;
      // One after the other.
      this.#open.delete(survey);
      this.#open.add(survey);
      return slice;
    }
    return undefined;
  }

  /** The newest slice of a survey whose next page can be requested now, or its newest gap that nobody reads. */
  #nextOf(survey: SurveyInSync): Slice | undefined {
    const { slices, gaps } = survey;
    // The first page says whether the survey is there.
    if (survey.pages === 0 && slices.some(({ isUnderWay }) => isUnderWay)) return undefined;
    const free = slices.find(({ isUnderWay, isSetAside }) => !isUnderWay && !isSetAside);
    if (free || survey.areGapsSetAside) return free;
    const gap = gaps.pop();
    if (gap === undefined) return undefined;
    const slice = sliceOf(survey, this.#walkOf(survey, gap));
    slices.push(slice);
    return slice;
  }

  /** The newest gap of the next survey. */
  #openNext(): Slice | undefined {
    const id = this.#waiting.pop();
    if (id === undefined) return undefined;
    const gaps = this.#options.gapsOf(id);
    const survey: SurveyInSync = {
      id,
      gaps: unionOfGaps(gaps),
      areGapsSetAside: false,
      slices: [],
      edges: new Set(gaps.flatMap(({ newer }) => newer ?? [])),
      pages: 0,
      responses: 0,
      isTriedAgain: false,
      seen: undefined,
      unreadable: new Set(),
    };
    this.#open.add(survey);
    return this.#nextOf(survey);
  }

  /** The newest of the parts of a slice that is worth a cut. The slice goes on as the part above them. */
  #nextCut(): Slice | undefined {
    if (this.#share === undefined) return undefined;
    const { slots, settings, listed } = this.#options;
    const slices = [...this.#open].flatMap((survey) => survey.slices);
    const idle = slots - slices.filter(({ isUnderWay }) => isUnderWay).length;
    const cut = chooseCut(slices, { ...settings, listed, idle, share: this.#share });
    if (cut === undefined) return undefined;
    this.#cut(cut);
    return this.#nextOf(cut.slice.survey);
  }

  #cut({ slice, at: times }: Cut): void {
    const { survey, walk } = slice;
    for (const at of times)
      survey.slices.splice(survey.slices.indexOf(slice) + 1, 0, sliceOf(survey, walk.cutAt(at)));
  }

  #walkOf({ id, unreadable }: SurveyInSync, gap: Gap): ListWalk {
    const { itemsPerPage, attributes } = this.#options.settings;
    const pathOf = (window: Window): string => surveyResponsesPath(id, window, attributes);
    return new ListWalk({ ...gap, itemsPerPage, list: say`survey ${given(id)}`, unreadable, pathOf });
  }
}

const sliceOf = (survey: SurveyInSync, walk: ListWalk): Slice => ({
  survey,
  walk,
  isUnderWay: false,
  isSetAside: false,
});

/** Whether nothing of the survey waits for the second look either. */
export const isReadToItsEnd = ({ gaps, slices }: SurveyInSync): boolean =>
  gaps.length === 0 && slices.every(({ walk }) => walk.path === undefined);

/** Whether no page is to be requested now, or under way. */
const isRead = ({ gaps, areGapsSetAside, slices }: SurveyInSync): boolean =>
  (gaps.length === 0 || areGapsSetAside) &&
  slices.every(({ walk, isSetAside, isUnderWay }) => walk.path === undefined || (isSetAside && !isUnderWay));
