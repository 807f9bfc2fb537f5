/** A position in a list that runs from the newest to the oldest. Survey, then order, decide between equal times. */
export interface Position {
  readonly micros: number;
  readonly survey: number;
  readonly order: number;
}

/** Before every response. */
export const NEWEST: Position = { micros: Infinity, survey: Infinity, order: Infinity };

/** Before every response collected at or before a timestamp. */
export const startingAt = (micros: number): Position => ({ ...NEWEST, micros });

/** Greater than 0 if `one` comes before `other` in a list. */
export function comparePositions(one: Position, other: Position): number {
  return (
    compare(one.micros, other.micros) || compare(one.survey, other.survey) || compare(one.order, other.order)
  );
}

/** A subtraction of two infinities would be NaN. */
const compare = (one: number, other: number): number => (one === other ? 0 : one > other ? 1 : -1);
