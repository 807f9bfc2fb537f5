import type { Span } from "./coverage.ts";
import { addMicroseconds, type Moment } from "./moment.ts";

/**
 * What a walk may claim as covered, told item by item from newest to oldest (spec/sync.md, I2).
 *
 * - A page with more behind it covers down to its oldest moment *above* its last item's: others of that very
 *   moment may be on the next page.
 * - Only the list's end, or an item below the walk's own end, covers down to that end.
 * - Around an item that cannot be read, and around a moment the paging cannot get past, nothing is covered.
 */
export interface Claims {
  /** An item of the walk, new or repeated. */
  item(moment: Moment): void;
  /** Something that cannot be read: it lies somewhere between its neighbours, or at the moment of one of them. */
  unreadable(): void;
  /** A page ended and more follows. */
  pageEnd(): void;
  /** Everything down to `end` has been seen. */
  reached(end: Moment | null): void;
  /** The list ended oddly, at the last item: nothing is known of what lies below it. */
  endedAtLastItem(): void;
  /** The walk goes on at `below`; what lies between the last whole moment and it stays open. */
  skipTo(below: Moment): void;
  /** What has been earned since the last call, newest first. */
  take(): Span[];
  /** False while something unreadable may lie below the last item, wherever that is. */
  readonly isWhole: boolean;
}

/** `top`: upper edge of the first claim; undefined = the newest item there is. */
export function createClaims(top: Moment | undefined): Claims {
  let earned: Span[] = [];
  let upper = top;
  let last: Moment | undefined;
  /** The oldest moment of which every item has been seen. */
  let whole: Moment | undefined;
  let open = true;

  const earn = (lower: Moment | null): void => {
    if (upper === undefined || (lower !== null && lower > upper)) return;
    earned.push([lower, upper]);
    if (lower !== null) upper = lower;
  };
  const close = (): void => {
    open = false;
    upper = undefined;
    last = undefined;
    whole = undefined;
  };

  return {
    item(moment) {
      // What could not be read may share this moment, which therefore stays open.
      if (!open) upper = addMicroseconds(moment, -1);
      open = true;
      upper ??= moment;
      if (last !== undefined && moment < last) whole = last;
      last = moment;
    },
    unreadable() {
      if (whole !== undefined) earn(whole);
      close();
    },
    pageEnd() {
      if (whole !== undefined) earn(whole);
    },
    reached(end) {
      if (open) earn(end);
    },
    endedAtLastItem() {
      if (last !== undefined) earn(last);
    },
    skipTo(below) {
      if (whole !== undefined) earn(whole);
      close();
      open = true;
      upper = below;
    },
    take() {
      const spans = earned;
      earned = [];
      return spans;
    },
    get isWhole() {
      return open;
    },
  };
}
