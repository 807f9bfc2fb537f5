import { createRedactor } from "@survey-export/core";

/**
 * Where the messages go. A write resolves when all of it was taken and the reader is ready for more, so that a slow
 * destination slows the requests. It rejects when nobody reads any more.
 */
export interface Output {
  /** RECORD lines in UTF-8: the user's data, which goes out as it is. */
  writeRecords(lines: Uint8Array): Promise<void>;
  /** Lines of every other kind. */
  write(lines: string): Promise<void>;
}

/**
 * The same output, with `secret` blanked in every sentence that we write. Only a service that quotes the key could put
 * it there, and it would stay in the platform's logs for good. States are the user's data and pass untouched.
 * `treat` takes personal data out of the sentence that remains.
 *
 * The sentences are blanked, not the lines: a blank in the middle of a line could break its JSON.
 */
export function withoutSecret(
  output: Output,
  secret: string,
  treat: (sentence: string) => string = (sentence) => sentence,
): Output {
  const withoutKey = createRedactor(secret);
  const redact = (sentence: string): string => treat(withoutKey(sentence));
  const blank = (line: string): string => {
    if (line === "" || isState(line)) return line;
    const message: unknown = JSON.parse(line);
    return redactSentences(message, redact) ? JSON.stringify(message) : line;
  };
  return {
    writeRecords: (lines) => output.writeRecords(lines),
    write: (lines) => output.write(lines.split("\n").map(blank).join("\n")),
  };
}

export const isState = (line: string): boolean => line.startsWith('{"type":"STATE"');

/** The fields of a message that hold sentences; the others hold words of the protocol. */
const SENTENCES: ReadonlySet<string> = new Set(["message", "internal_message", "stack_trace"]);

/** @returns whether anything was blanked */
function redactSentences(value: unknown, redact: (text: string) => string): boolean {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Record<string, unknown>;
  let changed = false;
  for (const [name, inner] of Object.entries(fields)) {
    if (typeof inner !== "string" || !SENTENCES.has(name)) {
      if (redactSentences(inner, redact)) changed = true;
      continue;
    }
    const redacted = redact(inner);
    if (redacted === inner) continue;
    fields[name] = redacted;
    changed = true;
  }
  return changed;
}
