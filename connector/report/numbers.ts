const COUNTS = new Intl.NumberFormat("en-US");
const ONE_DIGIT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const SIGNED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0, signDisplay: "exceptZero" });

/** A count as people read it: 1,234. */
export const counted = (count: number): string => COUNTS.format(count);

/** "1 response", "2 responses". */
export const plural = (count: number, noun: string): string =>
  `${counted(count)} ${noun}${count === 1 ? "" : "s"}`;

/** An average, with one digit after the point at most. */
export const averaged = (average: number): string => ONE_DIGIT.format(average);

/** A score with its sign: +17, 0, -4. */
export const signed = (score: number): string => SIGNED.format(score);

/** A share in percent. It is rounded to 0 or 100 only if it is that. */
export function percent(part: number, whole: number): string {
  const rounded = Math.round((100 * part) / whole);
  if (rounded === 0 && part > 0) return "< 1 %";
  if (rounded === 100 && part < whole) return "> 99 %";
  return `${rounded} %`;
}
