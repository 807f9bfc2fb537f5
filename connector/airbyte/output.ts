/**
 * Where the messages go. Resolves when the text has been taken whole and the reader is ready for more, so that
 * a slow destination slows the requests; rejects when nobody reads any more.
 */
export interface Output {
  write(lines: string): Promise<void>;
}

/** Shorter keys would blank words, and no service hands out any. */
const SHORTEST_SECRET = 8;

/**
 * The same output, with `secret` blanked wherever it would appear in what we say ourselves: nothing should ever put
 * it there, and if something did after all, it would stay in the platform's logs for good. Records and states are
 * the user's data and pass untouched.
 */
export function withoutSecret(output: Output, secret: string): Output {
  const written = JSON.stringify(secret).slice(1, -1);
  if (written.length < SHORTEST_SECRET) return output;
  const blank = (line: string): string =>
    /^\{"type":"(RECORD|STATE)"/.test(line) ? line : line.replaceAll(written, "****");
  return {
    write: (lines) => output.write(lines.includes(written) ? lines.split("\n").map(blank).join("\n") : lines),
  };
}
