import { SurveyExportError } from "../errors.ts";
import { brokenAnswer, tooLarge } from "../lists/page.ts";
import type { HttpResponse } from "../ports.ts";
import { say } from "../text/message.ts";
import { isGood } from "./retry-policy.ts";

/** Unpacked. A page of a hundred responses is far smaller. */
export const LARGEST_BODY_BYTES = 16 * 1024 * 1024;
export const bodyTooLarge = (): SurveyExportError => tooLarge(say`a body of more than 16 MB`);

/** A response whose body still comes, in pieces, as streams of many platforms give it. */
export interface Arriving {
  readonly statusCode: number;
  readonly headers: object;
  readonly body: AsyncIterable<Uint8Array> & { destroy(reason?: Error): void };
}

/**
 * The response with its whole body as text. The body ends with `signal`: it may never end by itself.
 * @throws SurveyExportError `too_large` for a body longer than 16 MB, or as `textOfBody`; anything else if the body ends
 * too early
 */
export async function whenComplete(
  { statusCode, headers, body }: Arriving,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const stop = () => body.destroy(new Error("Nobody waits for this reply any longer"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of body) {
      length += chunk.byteLength;
      if (length > LARGEST_BODY_BYTES) throw bodyTooLarge();
      chunks.push(chunk);
    }
    signal.throwIfAborted();
    const whole = new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    return {
      status: statusCode,
      headers: plainHeaders(headers),
      body: textOfBody(statusCode, () => whole),
    };
  } finally {
    signal.removeEventListener("abort", stop);
    body.destroy();
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

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a body, without a byte order mark. `bytes` gives them unpacked. The body of a refusal is only quoted: one
 * that cannot be read counts as empty.
 * @throws SurveyExportError `broken_answer` for a page that is not UTF-8: other characters in the place of its bytes
 * could make two ids one. Whatever `bytes` throws, for a page
 */
export function textOfBody(status: number, bytes: () => Uint8Array): string {
  try {
    return UTF_8.decode(bytes());
  } catch (thrown) {
    if (!isGood(status)) return "";
    throw thrown instanceof SurveyExportError ? thrown : brokenAnswer(say`is not UTF-8`);
  }
}
