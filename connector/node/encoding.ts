/** Whether a file that begins with these bytes is in UTF-16, as some shells write it. */
export const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/** The text of a file in UTF-8 or UTF-16. */
export function decoded(bytes: Buffer): string {
  const encoding = isUtf16(bytes) ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : undefined;
  return encoding === undefined ? bytes.toString("utf8") : new TextDecoder(encoding).decode(bytes);
}
