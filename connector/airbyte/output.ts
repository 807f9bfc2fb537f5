/**
 * Where the messages go. Resolves when the text has been taken whole and the reader is ready for more, so that
 * a slow destination slows the requests; rejects when nobody reads any more.
 */
export interface Output {
  write(lines: string): Promise<void>;
}

/**
 * The same output, with `secret` blanked wherever it would appear outside of records: nothing should ever put
 * it there, and if something did after all, it would stay in the platform's logs for good.
 */
export function withoutSecret(output: Output, secret: string): Output {
  const written = JSON.stringify(secret).slice(1, -1);
  return {
    write: (lines) =>
      output.write(lines.startsWith('{"type":"RECORD"') ? lines : lines.replaceAll(written, "****")),
  };
}
