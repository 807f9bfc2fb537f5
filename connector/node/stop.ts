/** Why the program is to end early. */
type Reason = "SIGTERM" | "SIGINT";

/** How long the last lines may take once it has been asked to end. */
const GRACE_MS = 3000;
const EXIT_CODES: Readonly<Record<Reason, number>> = { SIGTERM: 143, SIGINT: 130 };

/**
 * Ending early: on SIGTERM, SIGINT or a closed standard output. Work stops when `signal` is aborted, and the
 * program then ends by the signal itself, since callers know it by that (PyAirbyte accepts no other end). As PID 1
 * the kernel spares it from its own signals, so there it exits with the code a shell would report.
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
    if (process.pid === 1) process.exit(EXIT_CODES[reason]);
    process.removeAllListeners(reason);
    process.kill(process.pid, reason);
  };
  const now = (why: Reason): void => {
    if (reason !== undefined) return;
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
