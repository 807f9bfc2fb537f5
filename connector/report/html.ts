const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const NUMBERS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** A text as HTML, or as an attribute in double quotes: no character of it means anything. */
export const escaped = (text: unknown): string =>
  String(text).replace(/[&<>"]/g, (one) => ENTITIES[one] ?? "");

/** A text that somebody wrote, in its own direction. */
export const own = (tag: string, text: unknown): string => `<${tag} dir="auto">${escaped(text)}</${tag}>`;

/** A number as people read it: 1,234.5. */
export const counted = (count: unknown): string => NUMBERS.format(Number(count));

/** `1 response`, `2 responses`. */
export const plural = (count: unknown, one: string): string =>
  `${counted(count)} ${one}${count === 1 ? "" : "s"}`;

/** The day of a timestamp, such as 2026-09-28. */
export const day = (timestamp: unknown): string => escaped(timestamp).slice(0, 10);

/** A drawing, stretched to the room that it has. It is `width` wide and 100 high. `label`: what it shows. */
export const chart = (label: string, width: number, shapes: string, captions: readonly string[]): string =>
  `<figure><svg role="img" aria-label="${label}" viewBox="0 0 ${width} 100" preserveAspectRatio="none">${shapes}</svg>
<figcaption>${captions.map((caption) => `<span>${caption}</span>`).join("")}</figcaption></figure>`;
