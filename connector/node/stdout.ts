import { writeFault } from "./write-fault.ts";

/** Why nothing can be written any more. */
export type OutputEnd =
  | { readonly reason: "reader_gone" }
  | { readonly reason: "failed"; readonly what: string };

/** Standard output, and a way to wait until the reader has taken everything. */
export interface Stdout {
  /**
   * Resolves when all of it was taken: then its memory may be used again. Rejects when nobody reads any more.
   */
  write(lines: string | Uint8Array): Promise<void>;
  /** Resolves when everything written was taken, or never will be. */
  flush(): Promise<void>;
}

/**
 * Standard output with backpressure: a write resolves when it was taken. `onEnd` is called once when nothing can be
 * written any more, and every write after that rejects.
 */
export function createStdout(onEnd: (end: OutputEnd) => void): Stdout {
  const { stdout } = process;
  let closed = false;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (closed) return;
    closed = true;
    const { code = "" } = error;
    const isReaderGone = code === "EPIPE" || code === "ECONNRESET" || code.startsWith("ERR_STREAM");
    onEnd(isReaderGone ? { reason: "reader_gone" } : { reason: "failed", what: writeFault(error) });
  });
  const write = (lines: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      if (lines.length === 0) resolve();
      else if (closed) reject(new Error("Standard output is closed."));
      else stdout.write(lines, (error) => (error ? reject(error) : resolve()));
    });
  return {
    write,
    flush: () =>
      new Promise((resolve) => {
        if (closed || stdout.writableLength === 0) resolve();
        else stdout.write("", () => resolve());
      }),
  };
}
