import type { Choices } from "../choices.ts";
import type { Admission } from "./limits.ts";
import { Refusal } from "./refusal.ts";

/** The 429 for a request that was not admitted, with the chosen form of `Retry-After`. */
export function tooManyRequests(
  admission: Admission & { admitted: false },
  nowMs: number,
  choices: Choices,
): Refusal {
  const message = "Too many requests. Wait before you send the next one.";
  return new Refusal("tooManyRequests", message, retryAfter(admission.againAtMs, nowMs, choices.retryAfter));
}

/** Both forms have whole seconds. They round up, so that a client that waits for them is not refused again. */
function retryAfter(againAtMs: number, nowMs: number, form: Choices["retryAfter"]): Record<string, string> {
  if (form === "none") return {};
  if (form === "seconds") {
    return { "retry-after": String(Math.max(1, Math.ceil((againAtMs - nowMs) / 1_000))) };
  }
  const second = Math.ceil((againAtMs + 1) / 1_000) * 1_000;
  return { "retry-after": new Date(second).toUTCString() };
}
