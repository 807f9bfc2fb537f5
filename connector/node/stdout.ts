/** Why nothing can be written any more. */
export type OutputEnd =
  | { readonly reason: "reader_gone" }
  | { readonly reason: "failed"; readonly what: string };

/** Standard output, and a way to wait until the reader has taken everything. */
export interface Stdout {
  /** Resolves when all of it was taken. Rejects when nobody reads any more. */
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

const FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is too large",
  EIO: "the disk reports an error",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the file system is read-only",
  EEXIST: "something else is in its place",
  EISDIR: "a folder is in its place",
  ENOTDIR: "a file is in the place of a folder",
};

/** Why something cannot be written, as the end of a sentence. `thrown`: an error of the file system. */
export function writeFault(thrown: unknown): string {
  const { code = "", message = String(thrown) } = thrown as NodeJS.ErrnoException;
  return FAULTS[code] ?? message;
}
