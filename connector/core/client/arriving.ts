import { SurveyExportError } from "../errors.ts";
import type { HttpResponse } from "../ports.ts";
import { say } from "../text/message.ts";
import { brokenAnswer } from "./page.ts";
import { verdictOn } from "./retry-policy.ts";

/** A response whose body still comes, in pieces, as streams of many platforms give it. */
export interface Arriving {
  readonly statusCode: number;
  readonly headers: object;
  readonly body: AsyncIterable<Uint8Array> & { destroy(reason?: Error): void };
}

/** Unpacked. A page of a hundred responses is far smaller, and the program may have other work to do. */
const LONGEST_BODY_BYTES = 16 * 1024 * 1024;

/**
 * The response with its whole body as text. The body ends with `signal`: it may never end by itself.
 *
 * @throws SurveyExportError `too_large` for a body longer than 16 MB; anything else if the body ends too early
 */
export async function whenComplete(
  { statusCode, headers, body }: Arriving,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const stop = () => body.destroy(new Error("The answer was not awaited any longer"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const decoder = new TextDecoder();
    let text = "";
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > LONGEST_BODY_BYTES) {
        throw new SurveyExportError("system", "too_large", say`The answer is longer than 16 MB.`);
      }
      text += decoder.decode(chunk, { stream: true });
    }
    signal.throwIfAborted();
    return { status: statusCode, headers: plainHeaders(headers), body: text + decoder.decode() };
  } finally {
    signal.removeEventListener("abort", stop);
    body.destroy();
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a body, without a byte order mark. `bytes` gives them unpacked. The body of a refusal is only quoted: one
 * that cannot be read counts as empty.
 *
 * @throws SurveyExportError `broken_answer` for a page that is not UTF-8: other characters in the place of its bytes
 * could make two ids one. Whatever `bytes` throws, for a page
 */
export function textOfBody(status: number, bytes: () => Uint8Array): string {
  try {
    return UTF_8.decode(bytes());
  } catch (thrown) {
    if (verdictOn(status).action !== "use") return "";
    throw thrown instanceof SurveyExportError ? thrown : brokenAnswer(say`is not UTF-8`);
  }
}

/** Names in lower case; a header that came several times, joined by commas. */
export function plainHeaders(headers: object): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(", ") : value === undefined ? undefined : String(value),
    ]),
  );
}
