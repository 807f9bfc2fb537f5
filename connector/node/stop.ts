/** Why the program is to end early. */
type Reason = "SIGTERM" | "SIGINT" | "output_failed";

/**
 * How long the reader of a full pipe may take for the last lines: the last state saves the next run from reading
 * again. Kubernetes kills 30 seconds after SIGTERM, and Docker 10; whoever is killed earlier loses nothing by a longer
 * wait. A second signal ends the program at once.
 */
export const GRACE_MS = 28_000;
const EXIT_CODES: Readonly<Record<Reason, number>> = { SIGTERM: 143, SIGINT: 130, output_failed: 1 };

/**
 * Ending early: on SIGTERM, SIGINT or a closed standard output. Work stops when `signal` is aborted, and the program
 * then ends by the signal itself, since callers know it by that (PyAirbyte accepts no other end). As PID 1 the kernel
 * spares it from its own signals, so there it exits with the code a shell would report.
 */
export interface Stop {
  readonly signal: AbortSignal;
  now(reason: Reason): void;
  /** To be called when everything has been written. */
  finish(): void;
}

export function createStop(): Stop {
  const controller = new AbortController();
  let reason: Reason | undefined;

  const end = (): void => {
    if (reason === undefined) return;
    if (reason === "output_failed" || process.pid === 1) process.exit(EXIT_CODES[reason]);
    process.removeAllListeners(reason);
    process.kill(process.pid, reason);
  };
  const now = (why: Reason): void => {
    if (reason !== undefined) {
      end();
      return;
    }
    reason = why;
    controller.abort(new Error(`stopped by ${why}`));
    setTimeout(end, GRACE_MS).unref();
  };
  process.on("SIGTERM", () => now("SIGTERM"));
  process.on("SIGINT", () => now("SIGINT"));
  return {
    signal: controller.signal,
    now,
    finish() {
      if (reason !== undefined) end();
      else process.removeAllListeners("SIGTERM").removeAllListeners("SIGINT");
    },
  };
}
