/**
 * Moments are whole microseconds since the epoch in a plain number: exact until the year 2255, and a
 * `Date`, which stops at milliseconds, would merge moments that the service keeps apart.
 */

/** How many fraction digits a moment is written with; `shortest` drops trailing zeros, all of them if need be. */
export type Fraction = "micros" | "millis" | "seconds" | "shortest";

const grainOf: Record<Fraction, number> = { micros: 1, millis: 1_000, seconds: 1_000_000, shortest: 1 };

/** The smallest step, in microseconds, that a service writing this fraction can tell apart. */
export const grain = (fraction: Fraction): number => grainOf[fraction];

const two = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
const daySeconds = 86_400;
let rememberedDay = Number.NaN;
let rememberedDate = "";

/** `YYYY-MM-DDTHH:MM:SS`, the fraction, `Z`. Neighbours in a list often share their day, so it is kept. */
export function formatMoment(micros: number, fraction: Fraction = "micros"): string {
  const second = Math.floor(micros / 1_000_000);
  const day = Math.floor(second / daySeconds);
  if (day !== rememberedDay) {
    rememberedDay = day;
    rememberedDate = new Date(day * daySeconds * 1_000).toISOString().slice(0, 10);
  }
  const time = second - day * daySeconds;
  const clock = `${two[Math.floor(time / 3_600)]}:${two[Math.floor(time / 60) % 60]}:${two[time % 60]}`;
  return `${rememberedDate}T${clock}${fractionOf(micros - second * 1_000_000, fraction)}Z`;
}

function fractionOf(micros: number, fraction: Fraction): string {
  if (fraction === "seconds") return "";
  const digits = String(micros + 1_000_000).slice(1);
  if (fraction === "micros") return `.${digits}`;
  if (fraction === "millis") return `.${digits.slice(0, 3)}`;
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? "" : `.${kept}`;
}

const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/;

/** Microseconds of a written moment, or undefined when it is none. Strict: exactly six fraction digits. */
export function parseMoment(text: string, rigour: "strict" | "lenient" = "lenient"): number | undefined {
  const match = pattern.exec(text);
  const [, second = "", fraction = ""] = match ?? [];
  if (match === null || (rigour === "strict" && fraction.length !== 6)) return undefined;
  const ms = Date.parse(`${second}Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== second) return undefined;
  return ms * 1_000 + Number(fraction.padEnd(6, "0"));
}

/** Like `parseMoment`, for what the sandbox's own user wrote: a sentence instead of undefined. */
export function requireMoment(text: string, where: string): number {
  const micros = parseMoment(text);
  if (micros === undefined) {
    throw new Error(`${where} is "${text}"; write it like 2026-01-31T12:00:00.000000Z.`);
  }
  return micros;
}
