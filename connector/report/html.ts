const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: unknown): string => String(text).replace(/[&<>"]/g, (one) => ENTITIES[one] ?? "");
const NUMBERS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** A text that somebody wrote, as an element of its own direction. No character of it means anything. */
export const own = (tag: string, text: unknown): string => `<${tag} dir="auto">${escaped(text)}</${tag}>`;
/** A number as people read it: 1,234.5. */
export const counted = (count: unknown): string => NUMBERS.format(Number(count));
/** `1 response`, `2 responses`. */
export const plural = (n: unknown, one: string): string => `${counted(n)} ${one}${n === 1 ? "" : "s"}`;
/** The day of a timestamp, such as 2026-09-28; a dash for none. */
export const day = (timestamp: unknown): string => escaped(String(timestamp ?? "–").slice(0, 10));
/** A drawing that is `width` by 100, as wide as there is room, and what stands below its ends. */
export const chart = (label: string, width: number, shapes: unknown, from: unknown, to: unknown): string =>
  `<figure><svg role="img" aria-label="${escaped(label)}" viewBox="0 0 ${width} 100" preserveAspectRatio="none">
${shapes}</svg><figcaption>${own("span", from)}${own("span", to)}</figcaption></figure>`;
