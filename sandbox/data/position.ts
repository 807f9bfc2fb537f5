/** A place in a list that runs from the latest to the oldest; ties are decided by survey, then by order. */
export interface Position {
  readonly micros: number;
  readonly survey: number;
  readonly order: number;
}

/** Before everything. */
export const newest: Position = { micros: Infinity, survey: Infinity, order: Infinity };

/** Before everything collected at or before a moment. */
export const startingAt = (micros: number): Position => ({ ...newest, micros });

/** Above 0 when `one` comes before `other` in a list. */
export function comparePositions(one: Position, other: Position): number {
  return (
    compare(one.micros, other.micros) || compare(one.survey, other.survey) || compare(one.order, other.order)
  );
}

/** Subtraction would make NaN of two infinities. */
const compare = (one: number, other: number): number => (one === other ? 0 : one > other ? 1 : -1);
