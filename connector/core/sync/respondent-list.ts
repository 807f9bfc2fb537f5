import { respondentResponsesPath } from "../client/endpoints.ts";
import { parsePage } from "../client/page.ts";
import { type Gap, type Interval, leaveOut, liesIn } from "../coverage/coverage.ts";
import {
  grainOf,
  latest,
  microsecondsBetween,
  microsecondsOf,
  type Timestamp,
} from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import { AttributeWalk } from "../lists/attribute-walk.ts";
import { type Item, isReadable, parseItemPage } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import type { Origin, RespondentAttributeStream, RespondentResponseStream } from "../streams/definition.ts";
import { quote } from "../text/quote.ts";
import { recordsOf } from "./records-of.ts";
import { WHOLE_LIST } from "./respondent-depths.ts";

/** What a page of a respondent's list brought. */
export interface RespondentPage {
  readonly records: readonly StreamRecord[];
  /** Intervals of the respondent's own list that are covered now, and the newest response seen in it. */
  readonly covered: readonly Interval[];
  readonly newestSeen: Timestamp | undefined;
  readonly problems: readonly SurveyExportError[];
  readonly warning: string | undefined;
}

/** Reading one respondent's list. `parse` gives a step that moves on when it is called. */
export interface RespondentList {
  readonly path: string | undefined;
  /** How far down the list was read, in microseconds since the epoch. */
  readonly depth: number;
  /**
   * Timestamp of a response that led to the respondent, where the list was read there and does not hold it. Undefined
   * where that is so long ago that the lists of the service agree.
   */
  readonly lacking: Timestamp | undefined;
  parse(body: string, present: Timestamp): () => RespondentPage;
}

export interface ResponseListOptions {
  readonly uuid: string;
  readonly itemsPerPage: number;
  /** Oldest first. */
  readonly gaps: readonly Gap[];
  readonly origin: Origin;
  /** Timestamps of the responses that led to the respondent. They may change while the list is read. */
  readonly leads: () => readonly (Timestamp | undefined)[];
  /** The lists of the service agree with each other up to here, as far as is known now. */
  readonly settledUpTo: () => Timestamp;
  readonly mayEndAt: ((item: Item) => boolean) | undefined;
}

/** The responses of one respondent: its gaps, the newest one first. */
export class RespondentResponseList implements RespondentList {
  depth = WHOLE_LIST;
  readonly #stream: RespondentResponseStream;
  readonly #options: ResponseListOptions;
  readonly #gaps: Gap[];
  /** Timestamps of items that no record could be made of. */
  readonly #open = new Set<Timestamp>();
  #walk: ListWalk | undefined;
  #newestSeen: Timestamp | undefined;
  /** The recent responses that the list has shown. */
  readonly #shown = new Set<Timestamp>();

  constructor(stream: RespondentResponseStream, options: ResponseListOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#gaps = [...options.gaps];
    this.#walk = this.#nextWalk();
  }

  get path(): string | undefined {
    return this.#walk?.path;
  }

  get lacking(): Timestamp | undefined {
    const { leads, gaps, settledUpTo } = this.#options;
    const shown = [...this.#shown];
    return leads().find(
      (lead) =>
        lead !== undefined &&
        lead > settledUpTo() &&
        !shown.some((timestamp) => isSameTime(timestamp, lead)) &&
        liesIn(gaps, lead) &&
        // Below it, the rest of the list is read next.
        microsecondsOf(lead) >= this.depth,
    );
  }

  parse(body: string, present: Timestamp): () => RespondentPage {
    const walk = this.#walk!;
    const page = parseItemPage(body, walk.notAfter, present);
    return () => {
      for (const item of page.items) {
        if (isReadable(item) && item.timestamp > this.#options.settledUpTo()) this.#shown.add(item.timestamp);
      }
      const { items, covered, problem, warning } = walk.accept(page);
      const newest = items.find(({ timestamp }) => timestamp <= present);
      this.#newestSeen = latest(this.#newestSeen, newest?.timestamp);
      if (walk.path === undefined) this.#walk = this.#nextWalk();
      const problems = problem ? [problem] : [];
      const records = recordsOf(items, this.#stream, this.#options.origin, (item, error) => {
        this.#open.add(item.timestamp);
        problems.push(error);
      });
      const whole = covered.flatMap((interval) => leaveOut(interval, this.#open));
      return { records, covered: whole, newestSeen: this.#newestSeen, problems, warning };
    };
  }

  #nextWalk(): ListWalk | undefined {
    const { uuid, itemsPerPage, mayEndAt } = this.#options;
    const gap = this.#gaps.pop();
    if (gap === undefined) return undefined;
    return new ListWalk({
      ...gap,
      requestEnd: null,
      itemsPerPage,
      pathOf: (window) => respondentResponsesPath(uuid, window),
      list: `respondent ${quote(uuid)}`,
      ...(mayEndAt && {
        mayEndAt: (item) => {
          if (!mayEndAt(item)) return false;
          this.depth = Math.max(this.depth, microsecondsOf(item.timestamp));
          return true;
        },
      }),
    });
  }
}

/** Lists may show different digits of one timestamp: they are compared as far as both show them. */
function isSameTime(a: Timestamp, b: Timestamp): boolean {
  const grain = Math.max(grainOf(a), grainOf(b));
  return Math.abs(microsecondsBetween(a, b)) < grain;
}

/** The attributes of one respondent. */
export class RespondentAttributeList implements RespondentList {
  readonly depth = WHOLE_LIST;
  readonly lacking = undefined;
  readonly #stream: RespondentAttributeStream;
  readonly #origin: Origin;
  readonly #walk: AttributeWalk;

  constructor(stream: RespondentAttributeStream, uuid: string, itemsPerPage: number, origin: Origin) {
    this.#stream = stream;
    this.#origin = origin;
    this.#walk = new AttributeWalk(uuid, itemsPerPage);
  }

  get path(): string | undefined {
    return this.#walk.path;
  }

  parse(body: string): () => RespondentPage {
    const page = parsePage(body);
    return () => {
      const { items, problem, warning } = this.#walk.accept(page);
      const problems = problem ? [problem] : [];
      const records = recordsOf(items, this.#stream, this.#origin, (_, error) => problems.push(error));
      return { records, covered: [], newestSeen: undefined, problems, warning };
    };
  }
}
