import { appendFileSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fixed, given, joined, type Message, SurveyExportError, say } from "@survey-export/core";
import { render } from "@survey-export/core/message";
import { MessageWriter, type Output } from "../airbyte/message-writer.ts";
import { existing, type FileOption } from "../node/input-file.ts";
import { writeFault } from "../node/stdout.ts";
import type { Stop } from "../node/stop.ts";
import { type KeptRun, type Lock, SyncFolder } from "./folder.ts";

/** What a sync needs of the command line. */
export interface SyncHost {
  readonly env: NodeJS.ProcessEnv;
  readonly stop: Stop;
  /** Writes a line to standard error. */
  readonly print: (line: string) => void;
  /** The command `read`. @returns false when a stream failed */
  readonly read: (
    files: Readonly<Partial<Record<FileOption, string>>>,
    writer: MessageWriter,
    signal: AbortSignal,
  ) => Promise<boolean>;
}

/** Absolute paths. */
interface SyncFiles {
  readonly config: string;
  readonly catalog: string;
}

const FAILED = 1;
const CANNOT_START = 2;
/** `EX_TEMPFAIL`: try again later. */
const BUSY = 75;

/**
 * One sync that keeps its messages and its state in a folder. It reads with `config.json` and `catalog.json` of the
 * folder. It may be killed at any moment: the next run keeps what was written, and resumes from the last state.
 *
 * @returns the exit code: 0 done, 1 failed, 2 could not start, 75 another sync is running, or the one of a signal
 */
export async function sync(path: string, host: SyncHost): Promise<number> {
  let lock: Lock | undefined;
  try {
    const folder = new SyncFolder(existingFolder(path));
    const files = existingFiles(folder.path, host.env);
    lock = await inWritable(folder, () => folder.lock());
    if (lock === undefined) {
      host.print(`sync: another sync is running in ${folder.path}. Try again when it has ended.`);
      return BUSY;
    }
    await inWritable(folder, async () => folder.readState()); // refused before anything moves
    return await runIn(folder, files, host);
  } catch (thrown) {
    if (!(thrown instanceof SurveyExportError) || thrown.kind !== "config") throw thrown;
    host.print(`sync: ${render(thrown.whole)}`);
    return CANNOT_START;
  } finally {
    lock?.release();
  }
}

function existingFolder(path: string): string {
  if (existsSync(path) && statSync(path).isDirectory()) return resolve(path);
  throw refused(
    say`There is no such folder (${existing(path)}). Create it, with config.json and catalog.json in it.`,
  );
}

function existingFiles(folder: string, env: NodeJS.ProcessEnv): SyncFiles {
  const config = resolve(env.SURVEY_EXPORT_CONFIG || join(folder, "config.json"));
  const catalog = resolve(env.SURVEY_EXPORT_CATALOG || join(folder, "catalog.json"));
  const missing = say`does not exist, or this user may not see it`;
  if (!existsSync(config)) {
    throw refused(
      say`The configuration ${missing} (${existing(config)}). Write config.json, or let SURVEY_EXPORT_CONFIG name another file.`,
    );
  }
  if (!existsSync(catalog)) {
    throw refused(
      say`The configured catalog ${missing} (${existing(catalog)}). Make catalog.json with "source-survey-export catalog --config FILE", or let SURVEY_EXPORT_CATALOG name another file.`,
    );
  }
  return { config, catalog };
}

const refused = (sentence: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", sentence);

/** @throws SurveyExportError `invalid_configuration` if the folder cannot be written */
async function inWritable<Value>(folder: SyncFolder, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof SurveyExportError) throw thrown;
    const user = process.getuid === undefined ? say`` : say` as user ${fixed(String(process.getuid()))}`;
    const { path = folder.path } = thrown as NodeJS.ErrnoException;
    throw refused(
      say`Cannot write ${given(path)}${user}: ${fixed(writeFault(thrown))}. The folder must be writable and belong to this user, on a file system that has locks.`,
    );
  }
}

async function runIn(folder: SyncFolder, files: SyncFiles, host: SyncHost): Promise<number> {
  for (const part of folder.parts) {
    const run = kept(part, folder, host);
    if (run === undefined) return FAILED;
    host.print(`sync: kept what an interrupted sync wrote: ${run.records}`);
    if (!run.isStored) host.print("sync: there is no state.jsonl, so everything is read again");
  }
  const began = performance.now();
  const part = await inWritable(folder, async () => {
    folder.ensureState();
    return folder.createPart(Date.now());
  });
  const isComplete = await readInto(part, folder, files, host);
  const run = kept(part, folder, host);
  if (run === undefined) return FAILED;
  const code = host.stop.exitCode ?? (isComplete ? 0 : FAILED);
  const seconds = Math.round((performance.now() - began) / 1000);
  host.print(`sync: ${outcome(code)} after ${seconds} s: ${run.records} in ${run.file}${next(code, folder)}`);
  return code;
}

function outcome(code: number): string {
  if (code === 0) return "done";
  return code === FAILED ? "failed (exit code 1)" : `stopped by a signal (exit code ${code})`;
}

/** What the next run does, if that is not what everybody expects. */
function next(code: number, folder: SyncFolder): string {
  if (folder.readState().size === 0) return " (the next run reads everything from the start)";
  return code === 0 ? "" : " (the next run resumes from the last state)";
}

/** Says why, and returns undefined, if the run cannot be kept now. */
function kept(part: string, folder: SyncFolder, host: SyncHost): KeptRun | undefined {
  try {
    return folder.keep(part);
  } catch (thrown) {
    if (thrown instanceof SurveyExportError) throw thrown; // somebody spoilt state.jsonl during the run
    host.print(
      `sync: cannot store the state in ${folder.path}: ${writeFault(thrown)}. Make room there, or correct its rights. Nothing is lost: the next run does it first.`,
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
  folder: SyncFolder,
  { config, catalog }: SyncFiles,
  host: SyncHost,
): Promise<boolean> {
  const file = openSync(part, "a");
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
  try {
    await warnOfRights(folder, config, host.env, writer);
    const from = folder.readState().size > 0 ? { state: folder.state } : {};
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
async function warnOfRights(
  folder: SyncFolder,
  config: string,
  env: NodeJS.ProcessEnv,
  writer: MessageWriter,
): Promise<void> {
  if (process.platform === "win32") return;
  const rights = (path: string, bits: number): number => statSync(path).mode & bits;
  if (rights(config, READABLE_BY_ALL) && !env.SURVEY_EXPORT_API_KEY) {
    const message = say`Every user of this machine may read ${given(config)}, which holds the API key. Run: chmod 600 ${given(config)}`;
    await writer.log("WARN", message, "config_readable");
  }
  const writable = [folder.path, folder.messages].filter(
    (path) => rights(path, WRITABLE_BY_ALL) || rights(path, SETGID | WRITABLE_BY_GROUP) === WRITABLE_BY_GROUP,
  );
  if (writable.length === 0) return;
  const names = joined(writable.map((path) => say`${given(path)}`));
  const message = say`Other users of this machine may write to the folder, and so change what a sync reads and stores. Run: chmod go-w ${names}`;
  await writer.log("WARN", message, "folder_writable");
}
