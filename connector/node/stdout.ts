import type { Output } from "../airbyte/output.ts";

/**
 * Standard output with backpressure: a text is taken when the reader has room for it again. `onClosed` is called
 * once when nobody reads any more, and every write after that rejects.
 */
export function createStdout(onClosed: () => void): Output {
  const { stdout } = process;
  let closed = false;
  stdout.on("error", () => {
    if (closed) return;
    closed = true;
    onClosed();
  });
  return {
    write: (lines) =>
      new Promise((resolve, reject) => {
        if (lines === "") resolve();
        else if (closed) reject(new Error("Standard output is closed."));
        else {
          const hasRoom = stdout.write(lines, (error) => {
            if (error) reject(error);
            else if (!hasRoom) resolve();
          });
          if (hasRoom) resolve();
        }
      }),
  };
}
