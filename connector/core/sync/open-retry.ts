import { surveyResponsesPath } from "../client/endpoints.ts";
import type { Interval } from "../coverage/coverage.ts";
import { addMicroseconds, EARLIEST, earlier, LATEST, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { type Item, type ItemPage, isReadable, parseItemPage } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import { given, say } from "../text/message.ts";
import type { SyncEvent } from "./events.ts";
import type { ListTask } from "./list-task.ts";
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
}

/** A survey's open ranges, in the order of their tries: those below `from`, down to and without `to`. */
interface Turn {
  readonly surveyId: string;
  from: Timestamp | undefined;
  readonly to: Timestamp | undefined;
}

/**
 * Tries the open ranges of one stream again, after the surveys' gaps have been read: in turn, the newest of each survey
 * first, each request for all that one page spans. After an outage everything is read in one sync. What fails for good
 * costs some 50 requests a sync, however much it is: then the state says where the next sync goes on.
 */
export class OpenRetry {
  readonly #options: OpenRetryOptions;
  readonly #budget = new TriesBudget();
  #turns: Turn[] | undefined;
  /** A task that has covered nothing yet. */
  #unfinished: OpenPageTask | undefined;
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
    const range = this.#nextRange();
    const { inVain, outstanding } = this.#budget;
    const isUsedUp = inVain + outstanding + largestTry > MOST_IN_VAIN;
    if (range === undefined || stream.isGivenUp || (isUsedUp && outstanding === 0)) {
      this.#hasEnded = true;
      stream.cursor.stopTriesAt(range && [this.#turns![0]!.surveyId, range[1]]);
      return undefined;
    }
    if (isUsedUp) return undefined;
    this.#isUnderWay = true;
    const { surveyId } = this.#turns![0]!;
    if (this.#unfinished?.surveyId === surveyId) return this.#unfinished;
    return new OpenPageTask(this, surveyId, range, this.#walkFrom(surveyId, range));
  }

  /** Takes what is covered now; the next request begins below that. Until something is covered, the walk goes on. */
  accept(task: OpenPageTask, page: ItemPage): SyncEvent[] {
    const { surveyId, walk } = task;
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
    this.#turns![0]!.from = (lowest === undefined ? triedTo : lowest) ?? EARLIEST;
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
    this.#turns = this.#turns!.filter(({ surveyId }) => surveyId !== task.surveyId);
    return this.#options.stream.failed(error, task.surveyId);
  }

  returned(): void {
    this.#isUnderWay = false;
  }

  /** The newest range that is still to be tried, from where the last request ended. */
  #nextRange(): Interval | undefined {
    const { cursor } = this.#options.stream;
    this.#turns ??= this.#inTurn();
    for (let [turn] = this.#turns; turn; this.#turns.shift(), [turn] = this.#turns) {
      const { surveyId, from, to } = turn;
      const below = from === undefined ? LATEST : addMicroseconds(from, -1);
      const range = cursor.toRetry(surveyId).findLast(([older]) => (older ?? EARLIEST) <= below);
      if (range === undefined) continue;
      const newer = earlier(range[1], below);
      if (to === undefined || newer > to) return [range[0], newer];
    }
    return undefined;
  }

  /** Each survey's ranges once, from where the last sync stopped. */
  #inTurn(): Turn[] {
    const { stream, surveyIds } = this.#options;
    const turnOf = (surveyId: string): Turn => ({ surveyId, from: undefined, to: undefined });
    const [id = "", next] = stream.cursor.openNext ?? [];
    const place = surveyIds.indexOf(id);
    if (next === undefined || place < 0) return surveyIds.map(turnOf);
    const others = [...surveyIds.slice(place + 1), ...surveyIds.slice(0, place)].map(turnOf);
    const first: Turn = { surveyId: id, from: addMicroseconds(next, 1), to: undefined };
    return [first, ...others, { surveyId: id, from: undefined, to: next }];
  }

  /** One request for what one page spans, down to the oldest open range of the survey. */
  #walkFrom(surveyId: string, [, newer]: Interval): ListWalk {
    const { attributes, itemsPerPage, stream } = this.#options;
    const older = stream.cursor.toRetry(surveyId)[0]![0];
    return new ListWalk({
      ...{ older, newer, requestEnd: older, itemsPerPage, list: say`survey ${given(surveyId)}` },
      pathOf: (window) => surveyResponsesPath(surveyId, window, attributes),
    });
  }
}

/** One page of an open range as a unit of work. */
class OpenPageTask implements ListTask<ItemPage> {
  readonly surveyId: string;
  readonly range: Interval;
  readonly walk: ListWalk;
  /** What its pages brought. */
  readonly items: Item[] = [];
  readonly open: Interval[] = [];
  readonly #retry: OpenRetry;

  constructor(retry: OpenRetry, surveyId: string, range: Interval, walk: ListWalk) {
    this.#retry = retry;
    this.surveyId = surveyId;
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
