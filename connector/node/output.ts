import type { WriteStream } from "node:tty";

/**
 * Where the lines go, in UTF-8, each ending in a newline. A write resolves when all of it was taken and the reader is
 * ready for more, so that a slow destination slows the requests. It rejects when nobody reads any more.
 */
export interface Output {
  write(lines: string | Uint8Array): Promise<void>;
}

/** Takes everything, and writes nothing. */
export const NOWHERE: Output = { write: async () => {} };

/** Standard output, and a way to wait until the reader has taken everything. */
export interface Stdout extends Output {
  /** Resolves when everything written was taken, or never will be. */
  flush(): Promise<void>;
}

/**
 * Standard output. `onEnd` is called once when nothing can be written any more, with the reason if it is not that the
 * reader has gone; every write after that rejects.
 */
export function createStdout(onEnd: (failure: string | undefined) => void): Stdout {
  const { stdout } = process;
  let closed = false;
  stdout.on("error", ({ code = "", message }: NodeJS.ErrnoException) => {
    if (closed) return;
    closed = true;
    const isReaderGone = code === "EPIPE" || code === "ECONNRESET" || code.startsWith("ERR_STREAM");
    onEnd(isReaderGone ? undefined : message);
  });
  return {
    write: (lines) =>
      new Promise((resolve, reject) => {
        if (lines.length === 0) resolve();
        else if (closed) reject(new Error("Standard output is closed."));
        else stdout.write(lines, (error) => (error ? reject(error) : resolve()));
      }),
    flush: () =>
      new Promise((resolve) => {
        if (closed || stdout.writableLength === 0) resolve();
        else stdout.write("", () => resolve());
      }),
  };
}

/** Standard error as people see it: whole lines, and on a terminal one live line below them. */
export interface Screen {
  /** Writes a line above the live line. */
  print(line: string): void;
  /** Replaces the live line, cut to the terminal's width; the empty string removes it. Nothing without a terminal. */
  draw(line: string): void;
  readonly hasLiveLine: boolean;
}

/** Shows a line as the live line, if there is a terminal for it. */
export const liveLine = (screen: Screen | undefined) => (screen?.hasLiveLine ? screen.draw : undefined);

const COLUMNS = 80;
const CLEAR = "\r\u001b[2K";
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** `dates`: whether each line begins with the time (UTC) if nobody watches: cron and files have no other. */
export function createScreen(stream: NodeJS.WriteStream | WriteStream, dates = false): Screen {
  const { isTTY } = stream;
  let live = "";
  stream.on("error", () => {}); // nobody reads it any more
  return {
    hasLiveLine: isTTY === true,
    draw(line) {
      if (!isTTY || (line === "" && live === "")) return;
      live = fitting(line, (stream.columns || COLUMNS) - 1);
      stream.write(CLEAR + live);
    },
    print(line) {
      const time = dates && !isTTY ? `${new Date().toISOString().slice(0, 19)}Z ` : "";
      const printed = `${time}${line.replace(INVISIBLE, " ")}\n`;
      stream.write(live === "" ? printed : CLEAR + printed + live);
    },
  };
}

/** A line that takes at most so many columns: some terminals show each character beyond ASCII two columns wide. */
function fitting(line: string, columns: number): string {
  const room = columns - (line.match(/[^ -~]/g)?.length ?? 0);
  return line.length <= room ? line : `${line.slice(0, Math.max(0, room - 3))}...`;
}
