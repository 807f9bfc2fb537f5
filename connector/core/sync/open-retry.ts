import { surveyResponsesPath } from "../client/endpoints.ts";
import type { Interval } from "../coverage/coverage.ts";
import { addMicroseconds, EARLIEST, earlier, LATEST, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { type Item, type ItemPage, isReadable, parseItemPage } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import { given, say } from "../text/message.ts";
import type { GoneSurveys } from "./gone-surveys.ts";
import type { ListTask, SyncEvent } from "./list-task.ts";
import type { StreamProgress } from "./stream-progress.ts";
import { Tries, TriesBudget } from "./tries.ts";
import type { Warnings } from "./warnings.ts";

/** Requests for open ranges that may close nothing, in one sync of a stream. */
const MOST_IN_VAIN = 50;

export interface OpenRetryOptions {
  readonly stream: StreamProgress;
  readonly surveyIds: readonly string[];
  readonly attributes: readonly string[];
  readonly itemsPerPage: number;
  /** The largest number of requests that one page can lead to, itself included. */
  readonly largestTry: number;
  readonly warnings: Warnings;
  readonly gone: GoneSurveys;
}

/** A survey's open ranges, in the order of their tries: those below `from`, down to and without `to`. */
interface Turn {
  readonly surveyId: string;
  from: Timestamp | undefined;
  readonly to: Timestamp | undefined;
}

/** The range to try next, and where the oldest one of its survey begins. */
interface OpenRange {
  readonly turn: Turn;
  readonly range: Interval;
  readonly oldest: Timestamp | null;
}

/**
 * Tries the open ranges of one stream again, after the surveys' gaps have been read: in turn, the newest of each survey
 * first, each request for all that one page spans. After an outage everything is read in one sync. What fails for good
 * costs some 50 requests a sync, however much it is: then the state says where the next sync goes on, which is after a
 * range that used up all of them.
 */
export class OpenRetry {
  readonly #options: OpenRetryOptions;
  readonly #budget = new TriesBudget();
  #turns: Turn[] | undefined;
  /** A task that has covered nothing yet. */
  #unfinished: OpenPageTask | undefined;
  /** The first task of this sync. */
  #first: OpenPageTask | undefined;
  #isUnderWay = false;
  #hasEnded = false;

  constructor(options: OpenRetryOptions) {
    this.#options = options;
  }

  /** Whether no page is left to request or under way. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  next(): ListTask | undefined {
    if (this.#isUnderWay || this.#hasEnded) return undefined;
    const { stream, largestTry } = this.#options;
    const next = this.#nextRange();
    const { inVain, outstanding } = this.#budget;
    const isUsedUp = inVain + outstanding + largestTry > MOST_IN_VAIN;
    if (next === undefined || stream.isGivenUp || (isUsedUp && outstanding === 0)) {
      this.#hasEnded = true;
      this.#stop();
      return undefined;
    }
    if (isUsedUp) return undefined;
    this.#isUnderWay = true;
    if (this.#unfinished?.turn === next.turn) return this.#unfinished;
    const task = new OpenPageTask(this, next, this.#walkFrom(next));
    this.#first ??= task;
    return task;
  }

  /** Takes what is covered now; the next request begins below that. Until something is covered, the walk goes on. */
  accept(task: OpenPageTask, page: ItemPage): SyncEvent[] {
    const { turn, walk } = task;
    const { surveyId } = turn;
    const { stream, warnings } = this.#options;
    const { items, covered, open, problem, warning } = walk.accept(page);
    if (warning) warnings.emptyPage(warning);
    const failures = problem ? stream.failed(problem, surveyId) : [];
    task.items.push(...items);
    task.open.push(...open);
    this.#unfinished = covered.length === 0 && walk.path !== undefined ? task : undefined;
    if (this.#unfinished) {
      if (!page.items.some(isReadable)) this.#budget.inVain++;
      return failures;
    }
    const lowest = covered.at(-1)?.[0];
    const taken = task.items.filter(
      ({ timestamp }) => lowest !== undefined && timestamp >= (lowest ?? timestamp),
    );
    const triedTo = task.items.length > 0 ? walk.position : task.range[0];
    turn.from = (lowest === undefined ? triedTo : lowest) ?? EARLIEST;
    const tries = new Tries(this.#budget);
    const read = { covered, open: task.open, upTo: walk.newer };
    return [...stream.acceptOpenPage({ surveyId, items: taken, read, tries }), ...failures];
  }

  fail(task: OpenPageTask, error: SurveyExportError): SyncEvent[] {
    const { walk } = task;
    if (error.code === "rejected" && walk.retryWithoutEnd()) {
      this.#unfinished = task;
      return [];
    }
    this.#budget.inVain++;
    this.#unfinished = undefined;
    const failed = task.turn.surveyId;
    this.#turns = this.#turns?.filter(({ surveyId }) => surveyId !== failed);
    if (error.code === "not_found" && this.#options.gone.add(failed, error)) return [];
    return this.#options.stream.failed(error, failed);
  }

  returned(): void {
    this.#isUnderWay = false;
  }

  /** Tells the state where the next sync goes on. A range that has used up all tries comes after all others. */
  #stop(): void {
    if (this.#first && this.#first === this.#unfinished)
      this.#first.turn.from = this.#first.range[0] ?? EARLIEST;
    const next = this.#nextRange();
    this.#options.stream.cursor.stopTriesAt(next && [next.turn.surveyId, next.range[1]]);
  }

  /** The newest range that is still to be tried, from where the last request ended. */
  #nextRange(): OpenRange | undefined {
    const { cursor } = this.#options.stream;
    this.#turns ??= this.#inTurn();
    for (let [turn] = this.#turns; turn; this.#turns.shift(), [turn] = this.#turns) {
      const { surveyId, from, to } = turn;
      const below = from === undefined ? LATEST : addMicroseconds(from, -1);
      const ranges = cursor.toRetry(surveyId);
      const [oldest] = ranges;
      const range = ranges.findLast(([older]) => (older ?? EARLIEST) <= below);
      if (oldest === undefined || range === undefined) continue;
      const newer = earlier(range[1], below);
      if (to === undefined || newer > to) return { turn, range: [range[0], newer], oldest: oldest[0] };
    }
    return undefined;
  }

  /** Each survey's ranges once, from where the last sync stopped. */
  #inTurn(): Turn[] {
    const { stream, surveyIds } = this.#options;
    const turnOf = (surveyId: string): Turn => ({ surveyId, from: undefined, to: undefined });
    const { openNext } = stream.cursor;
    if (openNext === undefined || !surveyIds.includes(openNext[0])) return surveyIds.map(turnOf);
    const [id, next] = openNext;
    const place = surveyIds.indexOf(id);
    const others = [...surveyIds.slice(place + 1), ...surveyIds.slice(0, place)].map(turnOf);
    const first: Turn = { surveyId: id, from: addMicroseconds(next, 1), to: undefined };
    return [first, ...others, { surveyId: id, from: undefined, to: next }];
  }

  /** One request for what one page spans, down to the oldest open range of the survey. */
  #walkFrom({ turn: { surveyId }, range: [, newer], oldest: older }: OpenRange): ListWalk {
    const { attributes, itemsPerPage } = this.#options;
    return new ListWalk({
      ...{ older, newer, requestEnd: older, itemsPerPage, list: say`survey ${given(surveyId)}` },
      pathOf: (window) => surveyResponsesPath(surveyId, window, attributes),
    });
  }
}

/** One page of an open range as a unit of work. */
class OpenPageTask implements ListTask<ItemPage> {
  readonly turn: Turn;
  readonly range: Interval;
  readonly walk: ListWalk;
  /** What its pages brought. */
  readonly items: Item[] = [];
  readonly open: Interval[] = [];
  readonly #retry: OpenRetry;

  constructor(retry: OpenRetry, { turn, range }: OpenRange, walk: ListWalk) {
    this.#retry = retry;
    this.turn = turn;
    this.range = range;
    this.walk = walk;
  }

  get path(): string | undefined {
    return this.walk.path;
  }

  parse(body: string, present: Timestamp): ItemPage {
    return parseItemPage(body, this.walk.notAfter, present);
  }

  accept(page: ItemPage): SyncEvent[] {
    return this.#retry.accept(this, page);
  }

  fail(error: SurveyExportError): SyncEvent[] {
    return this.#retry.fail(this, error);
  }

  returned(): void {
    this.#retry.returned();
  }
}
