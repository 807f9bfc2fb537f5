import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SurveyExportError } from "@survey-export/core";
import { render } from "@survey-export/core/message";
import { machineClock } from "../node/machine.ts";
import { pagePath } from "../node/page-path.ts";
import { dryRun } from "./dry-run.ts";
import { lockFile } from "./lock-file.ts";
import { BUSY_MS, LockWait } from "./lock-wait.ts";
import { FAILED, readInto, type Sources, type SyncHost } from "./read-into.ts";
import { refusalOf } from "./refusal.ts";
import { type NamedSources, sourcesOf } from "./sources.ts";
import { Tables } from "./tables.ts";
import { requireTarget } from "./target.ts";

/** What the command line says. */
export interface SyncCall extends NamedSources {
  readonly target: string;
  readonly flags: ReadonlySet<string>;
}

const CANNOT_START = 2;
/** `EX_TEMPFAIL`: try again later. */
const BUSY = 75;

/**
 * One sync that keeps what it reads (by `read`), and its state, in a SQLite file. It may be killed at any moment: the next run
 * resumes from the last state.
 * @returns the exit code: 0 done, 1 failed, 2 could not start, 75 another sync is writing to the file, or the one of a
 * signal
 */
export async function sync(call: SyncCall, host: SyncHost, read = readInto): Promise<number> {
  const path = resolve(call.target);
  const { screen, stop } = host;
  let release: (() => void) | undefined;
  try {
    requireTarget(path);
    const sources = sourcesOf(call, path, host.env);
    if (call.flags.has("dry-run")) return await dryRun(sources, existsSync(path), host);
    release = lockFile(`${path}-lock`);
    if (release === undefined) {
      screen.print(`sync: another sync is writing to ${path}. Try again when it has ended.`);
      return BUSY;
    }
    return await syncInto(path, sources, host, read);
  } catch (thrown) {
    if (stop.exitCode !== undefined && thrown === stop.signal.reason) return stop.exitCode;
    screen.print(`sync: ${whyNotStarted(path, thrown)}`);
    return CANNOT_START;
  } finally {
    release?.();
  }
}

/** @returns the exit code. @throws SurveyExportError if the file cannot be used; the signal's reason, if it was to be opened */
async function syncInto(
  path: string,
  sources: Sources,
  host: SyncHost,
  read: typeof readInto,
): Promise<number> {
  const { stop, screen } = host;
  const onLong = (): void =>
    screen.print(
      `sync: another program has locked ${path}. Waiting for it, for ${BUSY_MS / 1000} s at most.`,
    );
  const wait = new LockWait({ clock: machineClock, signal: stop.signal, onLong });
  const tables = await Tables.open(path, wait);
  let isComplete = false;
  try {
    isComplete = await read(tables, path, sources, host);
  } finally {
    const outcome = isComplete ? "complete" : "incomplete";
    const failure = await tables.close(stop.exitCode === undefined ? outcome : "stopped");
    if (failure) screen.print(`ERROR ${render(failure.whole)} [${failure.code}]`);
    isComplete &&= failure === undefined;
  }
  if (isComplete && stop.exitCode === undefined && tables.has("survey_responses")) tellNextStep(path, host);
  return stop.exitCode ?? (isComplete ? 0 : FAILED);
}

/** Says how to see what the file holds, until there is a page of it. */
function tellNextStep(path: string, { screen }: SyncHost): void {
  if (existsSync(pagePath(path))) return;
  screen.print(`sync: to see it as a page of charts, run the same program with: report ${asWord(path)}`);
}

/** The path as one word of a shell. */
const asWord = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** @throws what is neither the user's to correct nor an error of the file system */
function whyNotStarted(path: string, thrown: unknown): string {
  const refusal = refusalOf(thrown, path);
  if (refusal instanceof SurveyExportError) return render(refusal.whole);
  if (!(thrown instanceof Error && "code" in thrown)) throw thrown;
  return `cannot use ${path}: ${thrown.message}. Correct this, and run again.`;
}
