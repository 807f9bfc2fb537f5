import type { Interval } from "../coverage/coverage.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Read } from "../lists/coverage-tracker.ts";
import type { StreamRecord } from "../streams/column.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import { say } from "../text/message.ts";
import type { Channel } from "./channel.ts";
import type { Lists, StreamCursor } from "./stream-cursor.ts";
import type { Warnings } from "./warnings.ts";

/** This many unreadable places, or people who fail, make a stream incomplete. */
export const TOO_MANY = 10;

/** A part of a list that a stream is done with. */
export interface Settled {
  /** Of `cursor.surveys` or `cursor.respondents`. */
  readonly lists: Lists;
  readonly id: string;
  readonly read: readonly Read[];
  readonly newestSeen: Timestamp | undefined;
  /** Responses that were shown and not delivered: closed ranges. */
  readonly left: readonly Interval[];
}

/** What everything that still goes on is told when the sync ends early. */
export const ENDED = new Error("the sync has ended");

/** One stream in a sync: what it has covered, and what it tells the caller. */
export class StreamInSync {
  readonly definition: StreamDefinition;
  readonly cursor: StreamCursor;
  readonly warnings: Warnings;
  /** Whether something could not be read, so that the stream ends incomplete. */
  isIncomplete = false;
  readonly #channel: Channel;
  #unreadable: { readonly first: SurveyExportError; count: number } | undefined;

  constructor(definition: StreamDefinition, cursor: StreamCursor, warnings: Warnings, channel: Channel) {
    this.definition = definition;
    this.cursor = cursor;
    this.warnings = warnings;
    this.#channel = channel;
  }

  /**
   * Covers what is settled, and emits the records that it holds with the state that says so.
   *
   * @returns a promise of the moment when the caller has taken them
   * @throws `ENDED` after an early end of the sync: then nothing is covered
   */
  async deliver(records: readonly StreamRecord[], surveyId?: string, settled?: Settled): Promise<void> {
    if (this.#channel.isOver) throw ENDED;
    if (settled) this.#settle(settled, surveyId);
    const stream = this.definition.name;
    await this.#channel.put({
      ...{ type: "records", stream, records, state: this.cursor.state() },
      ...(surveyId !== undefined && { surveyId }),
    });
  }

  /** Marks the stream as incomplete. */
  failed(error: SurveyExportError, surveyId?: string): void {
    this.isIncomplete = true;
    void this.#channel.put({
      ...{ type: "failure", stream: this.definition.name, error },
      ...(surveyId !== undefined && { surveyId }),
    });
  }

  /** Something that cannot be read was left out in `ranges`. A few of them leave the stream complete. */
  leftOut(error: SurveyExportError, surveyId: string | undefined, ranges: readonly Interval[]): void {
    this.#unreadable ??= { first: error, count: 0 };
    this.#unreadable.count++;
    this.isIncomplete ||= this.#unreadable.count >= TOO_MANY;
    void this.#channel.put({
      ...{ type: "unreadable", stream: this.definition.name, error, ranges },
      ...(surveyId !== undefined && { surveyId }),
    });
  }

  /** Nothing more is requested: what is left to tell. */
  finish(): void {
    const { definition, warnings } = this;
    if (this.#unreadable === undefined) return;
    const { first, count } = this.#unreadable;
    if (count < TOO_MANY) warnings.leftOut(definition.name, count, first);
    else this.failed(first.adding(say`There are ${count} such places in this stream.`));
  }

  #settle({ lists, id, read, newestSeen, left }: Settled, surveyId: string | undefined): void {
    const list = lists.of(id);
    list.sees(newestSeen);
    for (const { range, error } of read.flatMap(({ unreadable }) => unreadable)) {
      const isKnown = list.isLeft(range);
      const parts = list.leave([range]);
      if (parts.length > 0 && !isKnown) this.leftOut(error, surveyId, parts);
    }
    list.leave([...left, ...read.flatMap(({ doubtful }) => doubtful)]);
    for (const { covered } of read)
      for (const interval of covered) list.cover(interval, this.definition.isSnapshot === true);
    this.cursor.changed();
  }
}
