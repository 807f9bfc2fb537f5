import type { StreamRecord } from "@survey-export/core";

/**
 * What `JSON.stringify` writes for half of a pair of surrogates, or for NUL. Such a text is not valid Unicode, or
 * databases cannot store it: PyAirbyte skips the line, and PostgreSQL refuses the whole load.
 */
const ESCAPE = /\\(u(?:d[89a-f][0-9a-f]{2}|0000)|.)/g;
const REPLACEMENT = "\ufffd";

export interface RecordLines {
  /** In UTF-8, one for each record, each ending in a newline. */
  readonly lines: Uint8Array;
  /** Whether a character that no destination can store was replaced by U+FFFD. */
  readonly hasReplaced: boolean;
}

/**
 * RECORD messages as JSON lines. Each is encoded by itself: in one string, a single letter outside Latin-1 would double
 * the size of all of them, and the rows of answers would take a third more processor time.
 */
export function recordLines(
  stream: string,
  records: readonly StreamRecord[],
  emittedAtMs: number,
): RecordLines {
  const head = `{"type":"RECORD","record":{"stream":${JSON.stringify(stream)},"data":`;
  const tail = `,"emitted_at":${emittedAtMs}}}\n`;
  let hasReplaced = false;
  const storable = (json: string): string => {
    if (!json.includes("\\u")) return json;
    return json.replace(ESCAPE, (sequence, name: string) => {
      if (name.length === 1) return sequence;
      hasReplaced = true;
      return REPLACEMENT;
    });
  };
  const lines = Buffer.concat(
    records.map((record) => Buffer.from(head + storable(JSON.stringify(record)) + tail)),
  );
  return { lines, hasReplaced };
}
