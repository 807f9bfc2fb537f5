/** At each half second by the wall clock, which processes have in common. */
const OPENING_EVERY_MS = 500;
/** From so long before that moment until so long after it; a refused process asks within so long after it. */
const [OPENS_BEFORE_MS, CLOSES_AFTER_MS, ASKS_WITHIN_MS] = [20, 30, 15];

/**
 * The opening: a process that holds most of the slots starts nothing in its last one, so that a refused process finds it free.
 *
 *     wall clock, ms      480          500      515        530              980
 *     last slot       ─────┤          no start              ├────────────────┤
 *     refused process                   ├─ asks ─┤
 *
 * Without this: two of four runs of two processes ended 3.5 to 12.4 s apart.
 * @returns how much longer it is open at the time `wallMs`; 0 or less outside of it
 */
export const openForMs = (wallMs: number): number =>
  OPENS_BEFORE_MS + CLOSES_AFTER_MS - ((wallMs + OPENS_BEFORE_MS) % OPENING_EVERY_MS);

/**
 * The time at which a process asks that was refused and waits at least until `wallMs`: in the first opening from then on.
 * `random` is from 0 up to and without 1: processes that were refused together do not ask together.
 */
export const asksAtMs = (wallMs: number, random: number): number =>
  Math.ceil(wallMs / OPENING_EVERY_MS) * OPENING_EVERY_MS + ASKS_WITHIN_MS * random;
