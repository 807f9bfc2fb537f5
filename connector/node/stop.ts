/** Why the program is to end early, and the exit code that a shell reports for it. */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129, output_failed: 1 } as const;
type Reason = keyof typeof EXIT_CODES;
type StopSignal = Exclude<Reason, "output_failed">;
const SIGNALS: readonly StopSignal[] = ["SIGTERM", "SIGINT", "SIGHUP"];

/**
 * How long the reader of a full pipe may take for the last lines: the last state saves the next run from reading
 * again. Kubernetes kills 30 seconds after SIGTERM, and Docker 10; a program that is killed earlier loses nothing by a longer
 * wait. The same signal a second time ends the program at once. Another one does not: if a terminal closes, the
 * program gets SIGHUP from it, and may get SIGTERM from a script that runs in it.
 */
const GRACE_MS = 28_000;

/**
 * Ending early: on SIGTERM, SIGINT, SIGHUP or a closed standard output. Work stops when `signal` is aborted, and the
 * program then ends by the signal itself, since callers know it by that (PyAirbyte accepts no other end). As PID 1 the
 * kernel spares it from its own signals, so there it exits with the code a shell would report.
 */
export interface Stop {
  readonly signal: AbortSignal;
  /** The exit code that a shell reports for this end; undefined as long as there is no reason to end early. */
  readonly exitCode: number | undefined;
  now(reason: Reason): void;
  /** To be called when everything has been written. */
  finish(): void;
}

/**
 * With `SURVEY_EXPORT_IGNORE_SIGHUP` set, SIGHUP does nothing. Node resets an ignored signal when it starts, so it
 * cannot know that it runs under nohup.
 */
export function createStop(env: Readonly<NodeJS.ProcessEnv>): Stop {
  const controller = new AbortController();
  const seen = new Set<StopSignal>();
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
  const onSignal = (signal: StopSignal): void => {
    if (reason === undefined || seen.has(signal)) now(signal);
    seen.add(signal);
  };
  const isIgnored = (signal: StopSignal) => signal === "SIGHUP" && Boolean(env.SURVEY_EXPORT_IGNORE_SIGHUP);
  for (const signal of SIGNALS) process.on(signal, () => isIgnored(signal) || onSignal(signal));
  return {
    signal: controller.signal,
    get exitCode() {
      return reason === undefined ? undefined : EXIT_CODES[reason];
    },
    now,
    finish() {
      if (reason !== undefined) end();
      else for (const signal of SIGNALS) if (!isIgnored(signal)) process.removeAllListeners(signal);
    },
  };
}
