import { type Interval, liesIn } from "../coverage/coverage.ts";
import type { Seen } from "../coverage/list-coverage.ts";
import type { InitialState } from "../coverage/stream-state.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Item } from "../lists/item.ts";
import type { Hole, Unreadable } from "../lists/list-walk.ts";
import type { RecordTreatment } from "../privacy/record-treatment.ts";
import type { StreamRecord } from "../streams/column.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import type { Channel } from "./channel.ts";
import type { SurveyPage } from "./slice.ts";
import { StreamCoverage } from "./stream-coverage.ts";
import type { Settings } from "./sync-options.ts";
import type { Warnings } from "./warnings.ts";

/** A part of a survey that a stream is done with. */
export interface Settled {
  readonly id: string;
  /** Everything in it was delivered, or lies in a hole. */
  readonly covered: Interval | undefined;
  readonly holes: readonly Hole[];
  readonly seen: Seen;
  /** Closed ranges of responses that were shown and not delivered. */
  readonly undelivered: readonly Interval[];
  /** The UUIDs of the responses that are new in it. */
  readonly responses: readonly string[];
}

/** What everything under way gets when the sync ends early. */
export const ENDED = new Error("the sync has ended");

/** One stream in a sync: emits its records, with the state that covers them. */
export class StreamInSync {
  readonly definition: StreamDefinition;
  readonly warnings: Warnings;
  readonly coverage: StreamCoverage;
  /** How many items of the stream could be read. */
  items = 0;
  /** Items that could not be read, and the error of the first. */
  unreadable: { readonly first: SurveyExportError; readonly count: number } | undefined;
  readonly #channel: Channel;
  readonly #treatment: RecordTreatment;

  /** `stored`: its state when the sync began. */
  constructor(
    definition: StreamDefinition,
    stored: InitialState,
    settings: Settings,
    warnings: Warnings,
    channel: Channel,
  ) {
    this.definition = definition;
    this.warnings = warnings;
    this.coverage = new StreamCoverage(definition, stored, settings);
    this.#channel = channel;
    this.#treatment = settings.treatment;
    if (this.coverage.isOtherTreatment) warnings.otherPersonalData(definition.name);
  }

  /** The items of a page that earlier syncs have not delivered. */
  wantedOf({ surveyId, items }: Pick<SurveyPage, "surveyId" | "items">): Item[] {
    const { gaps } = this.coverage.of(surveyId);
    return items.filter(({ timestamp }) => liesIn(gaps, timestamp));
  }

  /** Emits the records of a survey's page, with what that covers, without `undelivered`. `items`: those that are new. */
  deliverPage(
    { surveyId, covered, holes, seen, isLast }: SurveyPage,
    items: readonly Item[],
    records: readonly StreamRecord[],
    undelivered: readonly Interval[] = [],
  ): Promise<void> {
    const responses = items.map(({ uuid }) => uuid);
    const settled = { id: surveyId, covered, holes, seen, undelivered, responses };
    return this.deliver(records, items.length, surveyId, settled, isLast);
  }

  /**
   * Emits records. When the caller takes them, what is settled is covered, and the state says so (I1). `items`: how many of
   * the list these were. This is the one place where a sync treats personal data of records.
   * @returns a promise of the moment when the caller has taken them
   * @throws `ENDED` after an early end of the sync: then nothing is covered
   */
  async deliver(
    all: readonly StreamRecord[],
    items: number,
    surveyId?: string,
    settled?: Settled,
    isLast = false,
  ): Promise<void> {
    this.items += items;
    if (this.#channel.isOver) throw ENDED;
    if (settled) this.#tellOmitted(settled);
    const { name: stream, columns } = this.definition;
    const records = all.map((record) => this.#treatment.record(record, columns));
    const responses = settled?.responses ?? [];
    await this.#channel.put(() => {
      if (settled) this.#settle(settled);
      const state = this.coverage.state();
      return { type: "records", stream, surveyId, records, responses, state, isLast };
    });
  }

  /** Items that cannot be read were omitted. The caller hears of it at once; what it means is judged at the end. */
  omitted({ error, count }: Unreadable, surveyId?: string): void {
    // Another page may have reported all of them.
    if (count === 0) return;
    const { first, count: before } = this.unreadable ?? { first: error, count: 0 };
    this.unreadable = { first, count: before + count };
    const { name: stream } = this.definition;
    void this.#channel.put(() => ({ type: "unreadable", stream, count, error, surveyId }));
  }

  /** An earlier sync may have delivered what lies around an item that cannot be read. */
  #tellOmitted({ id, holes }: Settled): void {
    const list = this.coverage.of(id);
    for (const { range, unreadable } of holes)
      if (unreadable && list.reads(range)) this.omitted(unreadable, id);
  }

  #settle({ id, covered, holes, seen, undelivered }: Settled): void {
    const list = this.coverage.of(id);
    for (const range of [...holes.map((hole) => hole.range), ...undelivered]) list.defer(range);
    if (covered) list.cover(covered, seen);
  }
}
