import type { IncomingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { outside, SurveyExportError, say } from "@survey-export/core";

const MEGABYTE = 1024 * 1024;
/** On the wire, and unpacked. */
export const LARGEST_BODY = 64 * MEGABYTE;
/** A page of a hundred responses is far smaller, unpacked. Up to this size nothing is said about the ratio. */
const PLAIN_BODY = 8 * MEGABYTE;
/** JSON shrinks to a tenth or a twentieth. What grows more than this is made to fill the memory. */
const LARGEST_GROWTH = 100;
/** Unpacked in small pieces: the last of each body outlives it until a full garbage collection. */
const UNPACKED_AT_ONCE = 32 * 1024;

type UnpackOptions = { readonly maxOutputLength: number; readonly chunkSize: number };

/** We ask for gzip only, but some proxies send others all the same. */
const UNPACK: Readonly<Record<string, (bytes: Buffer, options: UnpackOptions) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  // Two formats go by this name: with a header of zlib, as the standard says, and without.
  deflate: (bytes, options) =>
    (bytes[0]! & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options),
};

/** A longer body gets memory of its own, which is freed afterwards. */
const LONGEST_KEPT = MEGABYTE;

/**
 * Puts the pieces of one body after the other into the same memory. New memory for each would be outside of the heap,
 * and make V8 collect the whole heap twice as often.
 */
export class WholeBody {
  #memory = Buffer.alloc(0);

  /** Valid until the next call. */
  of(pieces: readonly Buffer[]): Buffer {
    if (pieces.length === 1) return pieces[0]!;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length > LONGEST_KEPT) return Buffer.concat(pieces, length);
    if (length > this.#memory.length) this.#memory = Buffer.alloc(Math.min(2 * length, LONGEST_KEPT));
    let end = 0;
    for (const piece of pieces) end += piece.copy(this.#memory, end);
    return this.#memory.subarray(0, end);
  }
}

/**
 * The text of a body. Unpacking a page takes less than handing it to another thread would.
 *
 * @throws SurveyExportError `too_large`, or `broken_answer` for an encoding that nobody asked for. Any other error for
 * a body that is damaged
 */
export function decodeBody(headers: IncomingHttpHeaders, bytes: Buffer): string {
  const encodings = String(headers["content-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  let plain = bytes;
  for (const encoding of encodings.reverse()) plain = unpacked(encoding, plain, bytes.length);
  const text = plain.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function unpacked(encoding: string, bytes: Buffer, sentBytes: number): Buffer {
  const unpack = Object.hasOwn(UNPACK, encoding) ? UNPACK[encoding] : undefined;
  if (unpack === undefined) {
    throw new SurveyExportError(
      "system",
      "broken_answer",
      say`The service, or a proxy on the way, sent a body in the encoding ${outside(encoding, 40)}, but only gzip was asked for.`,
      { advice: say`Report this to the service.` },
    );
  }
  if (bytes.length === 0) return bytes;
  const maxOutputLength = Math.min(LARGEST_BODY, Math.max(PLAIN_BODY, sentBytes * LARGEST_GROWTH));
  try {
    return unpack(bytes, { maxOutputLength, chunkSize: UNPACKED_AT_ONCE });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new Error("the packed body is damaged", { cause: thrown });
  }
}

export function tooLarge(): SurveyExportError {
  return new SurveyExportError(
    "system",
    "too_large",
    say`The service sent a body that is too large for a page of responses: more than 64 MB, or more than 8 MB and 100 times its compressed size.`,
    { advice: say`Lower items_per_page, and report this to the service if it goes on.` },
  );
}
