/** The longest wait that a header can ask for: a date in the far future must not stop a sync for good. */
const LONGEST_MS = 3_600_000;

/**
 * Milliseconds to wait according to a `Retry-After` header (RFC 9110, 10.2.3: seconds or an HTTP date),
 * at most an hour; undefined if the header is missing, nonsense or not in the future.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  const ms = /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) * 1000 : dateMs(text) - nowMs;
  return ms > 0 ? Math.min(Math.ceil(ms), LONGEST_MS) : undefined;
}

function dateMs(text: string): number {
  return /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
}
