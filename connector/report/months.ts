const NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A month such as 2026-09, so many months later; earlier if `count` is negative. */
export function monthsLater(month: string, count: number): string {
  const months = 12 * Number(month.slice(0, 4)) + Number(month.slice(5, 7)) - 1 + count;
  const year = Math.floor(months / 12);
  return `${String(year).padStart(4, "0")}-${String(months - 12 * year + 1).padStart(2, "0")}`;
}

/** So many months, of which the last is `last`, in their order. */
export const monthsUpTo = (last: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => monthsLater(last, at + 1 - count));

/** Every month from the first to the last, with both. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = monthsLater(month, 1)) months.push(month);
  return months;
}

/** "Sep 2026" of 2026-09. */
export const monthName = (month: string): string =>
  `${NAMES[Number(month.slice(5, 7)) - 1] ?? month.slice(5)} ${month.slice(0, 4)}`;

/** "Feb to Apr 2026", "Dec 2025 to Feb 2026"; "Apr 2026" of a single month. */
export function spanName(months: readonly string[]): string {
  const [first = "", last = ""] = [months[0], months.at(-1)];
  if (first === last) return monthName(first);
  const isOneYear = first.slice(0, 4) === last.slice(0, 4);
  return `${isOneYear ? monthName(first).slice(0, 3) : monthName(first)} to ${monthName(last)}`;
}
