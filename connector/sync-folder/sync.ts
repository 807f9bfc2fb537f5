import { appendFileSync, closeSync, constants, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { fixed, given, joined, SurveyExportError, say } from "@survey-export/core";
import { render } from "@survey-export/core/message";
import { MessageWriter, type Output } from "../airbyte/message-writer.ts";
import { writeFault } from "../node/stdout.ts";
import { type Lock, lockFile } from "./lock.ts";
import { counted, type KeptRun, Runs } from "./runs.ts";
import { refused, type SyncHost, type SyncSettings, syncSettings } from "./settings.ts";
import { StateFile } from "./state-file.ts";

const FAILED = 1;
const CANNOT_START = 2;
/** `EX_TEMPFAIL`: try again later. */
const BUSY = 75;

/**
 * One sync that keeps its state in a folder. It reads with `config.json` and `catalog.json` of the folder, and adds:
 *
 * - `messages/<time>.jsonl`: what each run wrote, one message a line
 * - `state.jsonl`: the last state of each stream, from which the next run starts
 * - `.lock`: locked while a sync runs
 *
 * It may be killed at any moment. The next run keeps what was written, and goes on from the last state.
 *
 * @returns the exit code: 0 done, 1 failed, 2 could not start, 75 another sync is running, or the one of a signal
 */
export async function sync(folder: string, host: SyncHost): Promise<number> {
  let lock: Lock | undefined;
  try {
    const settings = syncSettings(folder, host.env);
    const state = new StateFile(join(settings.folder, "state.jsonl"));
    const runs = await inWritable(
      settings.folder,
      async () => new Runs(join(settings.folder, "messages"), state),
    );
    lock = await inWritable(settings.folder, () => lockFile(join(settings.folder, ".lock")));
    if (lock === undefined) {
      host.print(`sync: another sync is running in ${settings.folder}. Try again when it has ended.`);
      return BUSY;
    }
    await inWritable(settings.folder, async () => state.exists && state.read());
    return await runIn(settings, state, runs, host);
  } catch (thrown) {
    if (!(thrown instanceof SurveyExportError) || thrown.kind !== "config") throw thrown;
    host.print(`sync: ${render(thrown.whole)}`);
    return CANNOT_START;
  } finally {
    lock?.release();
  }
}

/** @throws SurveyExportError `invalid_configuration` if the folder cannot be written */
async function inWritable<Value>(folder: string, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof SurveyExportError) throw thrown;
    const user = process.getuid === undefined ? say`` : say` as user ${fixed(String(process.getuid()))}`;
    const { path = folder } = thrown as NodeJS.ErrnoException;
    throw refused(
      say`Cannot write ${given(path)}${user}: ${fixed(writeFault(thrown))}.`,
      say`The folder must be writable and belong to this user, on a file system that has locks.`,
    );
  }
}

async function runIn(settings: SyncSettings, state: StateFile, runs: Runs, host: SyncHost): Promise<number> {
  for (const part of runs.left) {
    const run = kept(part, runs, settings, host);
    if (run === undefined) return FAILED;
    host.print(`sync: kept what an interrupted sync wrote: ${counted(run)}`);
    if (!run.isStored) host.print("sync: there is no state.jsonl, so everything is read again");
  }
  const began = performance.now();
  const part = await inWritable(settings.folder, async () => {
    state.touch(); // from here on, a missing file was deleted
    return runs.create(Date.now());
  });
  const isComplete = await readInto(part, settings, state, host);
  const run = kept(part, runs, settings, host);
  if (run === undefined) return FAILED;
  if (settings.keepRuns !== undefined) runs.removeAllBut(settings.keepRuns);
  const code = host.stop.exitCode ?? (isComplete ? 0 : FAILED);
  const seconds = Math.round((performance.now() - began) / 1000);
  host.print(
    `sync: ${outcome(code)} after ${seconds} s: ${counted(run)} in ${run.file}${next(code, run, state)}`,
  );
  return code;
}

function outcome(code: number): string {
  if (code === 0) return "done";
  return code === FAILED ? "failed (exit code 1)" : `stopped by a signal (exit code ${code})`;
}

/** What the next run does, if that is not what everybody expects. */
function next(code: number, run: KeptRun, state: StateFile): string {
  if (!run.isStored) return " (state.jsonl was deleted meanwhile: the next run reads everything again)";
  if (code === 0) return "";
  return state.read().size > 0
    ? " (the next run goes on from the last state)"
    : " (the next run reads from the start)";
}

/** Says why, and returns undefined, if the run cannot be kept now. */
function kept(part: string, runs: Runs, { folder }: SyncSettings, host: SyncHost): KeptRun | undefined {
  try {
    const run = runs.keep(part);
    if (run.damagedLine !== undefined) {
      host.print(
        `sync: cannot read the state in line ${run.damagedLine} of ${run.file}: the line is damaged, as if the disk had failed. The states before it are kept, and what came after them is read again. Remove that line before you load the file.`,
      );
    }
    return run;
  } catch (thrown) {
    if (thrown instanceof SurveyExportError) throw thrown; // somebody spoilt state.jsonl during the run
    host.print(
      `sync: cannot store the state in ${folder}: ${writeFault(thrown)}. Make room there, or correct its rights. Nothing is lost: the next run does it first.`,
    );
    return undefined;
  }
}

/**
 * Reads into the file `part`, from the last state. A file that cannot be written any more ends the read: after half a
 * line nothing may follow.
 *
 * @returns whether every stream is complete. Why not is a message in the file and on standard error
 */
async function readInto(
  part: string,
  settings: SyncSettings,
  state: StateFile,
  host: SyncHost,
): Promise<boolean> {
  const { O_WRONLY, O_APPEND, O_NOFOLLOW } = constants;
  const file = openSync(part, O_WRONLY | O_APPEND | O_NOFOLLOW);
  const failure = new AbortController();
  const output: Output = {
    async write(lines) {
      failure.signal.throwIfAborted();
      try {
        appendFileSync(file, lines);
      } catch (thrown) {
        host.print(`sync: cannot write ${part}: ${writeFault(thrown)}. Make room there, and run again.`);
        failure.abort(thrown);
        throw thrown;
      }
    },
  };
  const writer = new MessageWriter(output, Date, host.print);
  const signal = AbortSignal.any([host.stop.signal, failure.signal]);
  const { config, catalog } = settings;
  try {
    await warnOfRights(settings, host.env, writer);
    const from = state.read().size > 0 ? { state: state.path } : {};
    return await host.read({ config, catalog, ...from }, writer, signal);
  } catch (thrown) {
    if (!signal.aborted) await writer.error(SurveyExportError.from(thrown)).catch(() => {});
    return false;
  } finally {
    closeSync(file);
  }
}

const READABLE_BY_ALL = 0o004;
const WRITABLE_BY_ALL = 0o002;
/** A folder with the bit setgid was given to a group on purpose: Kubernetes does so with volumes. */
const [SETGID, WRITABLE_BY_GROUP] = [0o2000, 0o020];

/** Windows has no modes. */
async function warnOfRights({ folder, config }: SyncSettings, env: NodeJS.ProcessEnv, writer: MessageWriter) {
  if (process.platform === "win32") return;
  const rights = (path: string, bits: number): number => statSync(path).mode & bits;
  if (rights(config, READABLE_BY_ALL) && !env.SURVEY_EXPORT_API_KEY) {
    const message = say`Every user of this machine may read ${given(config)}, which holds the API key. Run: chmod 600 ${given(config)}`;
    await writer.log("WARN", message, "config_readable");
  }
  const open = [folder, join(folder, "messages")].filter(
    (path) => rights(path, WRITABLE_BY_ALL) || rights(path, SETGID | WRITABLE_BY_GROUP) === WRITABLE_BY_GROUP,
  );
  if (open.length === 0) return;
  const names = joined(open.map((path) => say`${given(path)}`));
  const message = say`Other users of this machine may write to the folder, and so change what a sync reads and stores. Run: chmod go-w ${names}`;
  await writer.log("WARN", message, "folder_writable");
}
