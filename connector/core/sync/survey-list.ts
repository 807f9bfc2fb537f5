import type { Gap } from "../coverage/coverage.ts";
import { type Seen, seenTogether } from "../coverage/list-coverage.ts";
import { addMicroseconds, COARSEST_GRAIN, earliest, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Findings } from "../lists/coverage-tracker.ts";
import { surveyResponsesPath } from "../lists/endpoints.ts";
import { type Item, type ItemPage, isReadable, type ListedSurvey, seenOn } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import { given, say } from "../text/message.ts";
import type { Settings } from "./sync-options.ts";

/** A page of a survey's list, as the streams see it. */
export interface SurveyPage {
  readonly surveyId: string;
  /** What the list of surveys says of it, if an item does not name it. */
  readonly survey?: ListedSurvey | undefined;
  readonly items: readonly Item[];
  readonly seen: Seen;
  /** What was read now: by the page's own slice first, then by the slices below that it has ended. */
  readonly read: readonly Findings[];
  readonly problem: SurveyExportError | undefined;
  /** Whether it says that the list ends, though another page has shown more below: that range is deferred to the next sync. */
  readonly endsAboveOthers: boolean;
  /** Whether the survey was read to its end. */
  readonly isLast: boolean;
}

/** A gap, with the oldest timestamp that any page has shown in it. */
interface GapInSync extends Gap {
  oldest?: Timestamp | undefined;
}

/** A gap, or a part of one, that is walked by itself. */
export interface Slice {
  readonly survey: SurveyList;
  readonly walk: ListWalk;
  readonly gap: GapInSync;
  /** Whether a page of it is under way. */
  isUnderWay: boolean;
  /** It failed, so it waits for the second look. */
  isSetAside: boolean;
  /** A page that says that the list ends, until the pages that are under way below it have come. */
  kept: ItemPage | undefined;
}

/** Where a slice and the new ones below it end, inclusive. */
export interface Cut {
  readonly slice: Slice;
  /** Newest last. */
  readonly at: readonly Timestamp[];
}

export interface SurveyListOptions {
  readonly id: string;
  /** Disjoint, oldest first. */
  readonly gaps: readonly Gap[];
  /** Where some stream's coverage begins: no slice does, since touching would put a timestamp inside that was not read. */
  readonly edges: ReadonlySet<Timestamp>;
  readonly settings: Pick<Settings, "itemsPerPage" | "attributes">;
}

/** One survey's list in a sync: the gaps that any stream still has, newest first, cut into slices if slots are idle. */
export class SurveyList {
  /** How many pages have come. */
  pages = 0;
  /** How many responses they held. */
  seen = 0;
  /** Whether it was taken up again, and no page of it has come since. */
  isTriedAgain = false;
  readonly #options: SurveyListOptions;
  /** Those that no slice reads yet, oldest first. */
  readonly #gaps: Gap[];
  /** Something newer failed, so that these gaps wait for the second look. */
  #areGapsSetAside = false;
  /** Those that have not ended, newest first. */
  #slices: Slice[] = [];
  /** On all pages, also on those whose respondents are still being read. */
  #shown: Seen | undefined;
  readonly #unreadable = new Set<string>();

  constructor(options: SurveyListOptions) {
    this.#options = options;
    this.#gaps = [...options.gaps];
  }

  get id(): string {
    return this.#options.id;
  }

  get edges(): ReadonlySet<Timestamp> {
    return this.#options.edges;
  }

  /** The coarsest unit that all timestamps seen are multiples of, in microseconds. */
  get grain(): number {
    return this.#shown?.grain ?? COARSEST_GRAIN;
  }

  get slices(): readonly Slice[] {
    return this.#slices;
  }

  /** Whether no page is to be requested now, or under way. */
  get isRead(): boolean {
    const areGapsDone = this.#gaps.length === 0 || this.#areGapsSetAside;
    return areGapsDone && this.#slices.every((each) => each.walk.path === undefined || isWaiting(each));
  }

  /** Whether nothing of it waits for the second look either. */
  get isReadToItsEnd(): boolean {
    return this.#gaps.length === 0 && this.#slices.every(({ walk }) => walk.path === undefined);
  }

  /** The newest slice whose next page can be requested now, or the newest gap that nobody reads. */
  next(): Slice | undefined {
    // The first page says whether the survey is there.
    if (this.pages === 0 && this.#slices.some(({ isUnderWay }) => isUnderWay)) return undefined;
    const isFree = (each: Slice): boolean =>
      !each.isUnderWay && !each.isSetAside && !(each.kept && this.#isUnderWayBelow(each));
    return this.#slices.find(isFree) ?? this.#nextGap();
  }

  /** A worker requests the next page of `slice`, until it gives the slice back. */
  lend(slice: Slice): void {
    slice.isUnderWay = true;
  }

  /** `slice` failed: it waits for the second look, and so does everything older. What is newer is read all the same. */
  setAside(slice: Slice): void {
    this.#areGapsSetAside = true;
    for (const each of this.#slices.slice(this.#slices.indexOf(slice))) each.isSetAside = true;
  }

  /** The second look: what was set aside is read on from where it failed. So nothing comes a second time. */
  takeUp(): void {
    this.#dropEnded();
    this.isTriedAgain = true;
    this.#areGapsSetAside = false;
    for (const each of this.#slices) each.isSetAside = false;
  }

  /** Takes a page in. @returns undefined for one that waits for those below, or that nobody wants any more */
  accept(slice: Slice, page: ItemPage): SurveyPage | undefined {
    const { walk, gap } = slice;
    if (walk.path === undefined) return undefined;
    const oldest = oldestOf(page, gap.older);
    const reached = earliest(oldest, walk.position);
    gap.oldest = earliest(gap.oldest, oldest);
    const ends = walk.endsAt(page);
    const endsAboveOthers = ends && reached !== undefined && gap.oldest !== undefined && gap.oldest < reached;
    slice.kept = ends && !endsAboveOthers && this.#isUnderWayBelow(slice) ? page : undefined;
    if (slice.kept) return undefined;
    this.pages++;
    this.isTriedAgain = false;
    const { items, problem, below, isUnbroken, ...own } = walk.accept(page);
    this.seen += items.length;
    this.#shown = seenTogether(this.#shown, seenOn(page, items));
    const read: Findings[] = [own];
    if (endsAboveOthers) read.push({ covered: [], unreadable: [], doubtful: [[walk.older, reached]] });
    for (const lower of this.#below(slice)) {
      const isUnread = lower.walk.pages === 0 && !lower.isUnderWay;
      const isEmpty = ends ? !endsAboveOthers : below !== undefined && lower.walk.isBelow(below);
      if (isUnread && isUnbroken && isEmpty) read.push(lower.walk.finishEmpty());
    }
    this.#dropEnded();
    const { id, isReadToItsEnd: isLast } = this;
    return { surveyId: id, items, seen: this.#shown, read, problem, endsAboveOthers, isLast };
  }

  /** `slice` is done with its page: it ends, or waits until a worker takes it again. */
  giveBack(slice: Slice): void {
    slice.isUnderWay = false;
    this.#dropEnded();
  }

  #dropEnded(): void {
    this.#slices = this.#slices.filter(({ walk, isUnderWay }) => isUnderWay || walk.path !== undefined);
  }

  /** Splits `cut.slice`; new slices read the older parts. */
  split({ slice, at: times }: Cut): void {
    for (const at of times) {
      const range = { older: slice.walk.older, newer: addMicroseconds(at, -1) };
      const lower = this.#newSlice(range, slice.gap, at);
      this.#slices.splice(this.#slices.indexOf(slice) + 1, 0, lower);
      slice.walk.cutAt(at);
    }
  }

  #nextGap(): Slice | undefined {
    if (this.#areGapsSetAside) return undefined;
    const gap = this.#gaps.pop();
    const slice = gap && this.#newSlice(gap, { ...gap }, undefined);
    if (slice) this.#slices.push(slice);
    return slice;
  }

  #newSlice(range: Gap, gap: GapInSync, coversFrom: Timestamp | undefined): Slice {
    const { id, settings } = this.#options;
    const { itemsPerPage, attributes } = settings;
    const walk = new ListWalk({
      ...range,
      gapOlder: gap.older,
      coversFrom,
      itemsPerPage,
      list: say`survey ${given(id)}`,
      unreadable: this.#unreadable,
      pathOf: (window) => surveyResponsesPath(id, window, attributes),
    });
    return { survey: this, walk, gap, isUnderWay: false, isSetAside: false, kept: undefined };
  }

  #isUnderWayBelow(slice: Slice): boolean {
    return this.#below(slice).some(({ isUnderWay }) => isUnderWay);
  }

  /** The slices of the same gap that read what is older. */
  #below({ walk: { older }, gap }: Slice): readonly Slice[] {
    return this.#slices.filter(
      (each) =>
        each.gap === gap && older !== null && each.walk.newer !== undefined && each.walk.newer < older,
    );
  }
}

const isWaiting = ({ isSetAside, isUnderWay }: Slice): boolean => isSetAside && !isUnderWay;

/** The oldest response of a page that is not below `older`, whichever slice it belongs to. */
const oldestOf = ({ items }: ItemPage, older: Timestamp | null): Timestamp | undefined =>
  items
    .filter(isReadable)
    .map(({ timestamp }) => timestamp)
    .filter((timestamp) => older === null || timestamp >= older)
    .reduce<Timestamp | undefined>(earliest, undefined);
