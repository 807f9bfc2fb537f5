import { appendFileSync, closeSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Message, SurveyExportError, say } from "@survey-export/core";
import { render } from "@survey-export/core/message";
import { MessageWriter } from "../airbyte/message-writer.ts";
import { existing, type FileOption } from "../node/input-file.ts";
import type { Output } from "../node/output.ts";
import type { Stop } from "../node/stop.ts";
import { type KeptRun, SyncFolder } from "./folder.ts";

type Files = Readonly<Partial<Record<FileOption, string>>>;

/** What a sync needs of the command line. */
export interface SyncHost {
  readonly env: NodeJS.ProcessEnv;
  readonly stop: Stop;
  /** Writes a line to standard error. */
  readonly print: (line: string) => void;
  /** The command `read`. @returns false when a stream failed */
  readonly read: (files: Files, writer: MessageWriter, signal: AbortSignal) => Promise<boolean>;
}

const FAILED = 1;
const CANNOT_START = 2;
/** `EX_TEMPFAIL`: try again later. */
const BUSY = 75;

/**
 * One sync that keeps its messages and its state in a folder. It reads with `config.json` and `catalog.json` of the
 * folder. It may be killed at any moment: the next run keeps what was written, and resumes from the last state.
 * @returns the exit code: 0 done, 1 failed, 2 could not start, 75 another sync is running, or the one of a signal
 */
export async function sync(path: string, host: SyncHost): Promise<number> {
  let release: (() => void) | undefined;
  try {
    const advice = say`Create this folder, with config.json and catalog.json in it.`;
    const folder = new SyncFolder(existingPath(path, advice));
    const files = filesOf(folder, host.env);
    release = folder.lock();
    if (release === undefined) {
      host.print(`sync: another sync is running in ${folder.path}. Try again when it has ended.`);
      return BUSY;
    }
    folder.readState(); // refused before anything moves
    return await runIn(folder, files, host);
  } catch (thrown) {
    host.print(`sync: ${whyNotStarted(path, thrown)}`);
    return CANNOT_START;
  } finally {
    release?.();
  }
}

function filesOf({ path }: SyncFolder, env: NodeJS.ProcessEnv): Files {
  const configAdvice = say`Write config.json, or let SURVEY_EXPORT_CONFIG name another file.`;
  const catalogAdvice = say`Make catalog.json with "source-survey-export catalog --config FILE", or let SURVEY_EXPORT_CATALOG name another file.`;
  return {
    config: existingPath(env.SURVEY_EXPORT_CONFIG || join(path, "config.json"), configAdvice),
    catalog: existingPath(env.SURVEY_EXPORT_CATALOG || join(path, "catalog.json"), catalogAdvice),
  };
}

/** @returns the absolute path */
function existingPath(path: string, remedy: Message): string {
  if (existsSync(path)) return resolve(path);
  const problem = say`A file or folder does not exist, or this user may not see it (${existing(path)}).`;
  throw new SurveyExportError("config", "invalid_configuration", say`${problem} ${remedy}`);
}

/** @throws what is neither the user's to correct nor an error of the file system */
function whyNotStarted(path: string, thrown: unknown): string {
  if (thrown instanceof SurveyExportError) return render(thrown.whole);
  if (!(thrown instanceof Error && "code" in thrown)) throw thrown;
  return `cannot use ${resolve(path)}: ${thrown.message}. The folder must be writable and belong to this user, on a file system that has locks.`;
}

/** Why the file system refused, in the words of Node.js: they name the path. */
const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

async function runIn(folder: SyncFolder, files: Files, host: SyncHost): Promise<number> {
  for (const part of folder.parts) {
    const run = await kept(part, folder, host);
    if (run === undefined) return FAILED;
    host.print(`sync: kept what an interrupted sync wrote: ${run.records}`);
    if (!run.isStored) host.print("sync: there is no state.jsonl, so everything is read again");
  }
  const began = performance.now();
  const { part, file } = folder.createPart(Date.now());
  const isComplete = await readInto(part, file, folder, files, host);
  const run = await kept(part, folder, host);
  if (run === undefined) return FAILED;
  const code = host.stop.exitCode ?? (isComplete && !run.damage ? 0 : FAILED);
  const seconds = Math.round((performance.now() - began) / 1000);
  const next = code === 0 ? "" : " (the next run reads the rest)";
  host.print(`sync: ${outcome(code)} after ${seconds} s: ${run.records} in ${run.file}${next}`);
  return code;
}

function outcome(code: number): string {
  if (code === 0) return "done";
  return code === FAILED ? "failed (exit code 1)" : `stopped by a signal (exit code ${code})`;
}

/** Says why, and returns undefined, if the run cannot be kept now. */
async function kept(part: string, folder: SyncFolder, host: SyncHost): Promise<KeptRun | undefined> {
  try {
    const run = await folder.keep(part);
    if (run.damage)
      host.print(
        `sync: cannot keep all of a run: ${render(run.damage)} The lines before the damage are kept, and the rest is read again. Delete it once you know the reason.`,
      );
    return run;
  } catch (thrown) {
    host.print(
      `sync: cannot store the state of ${part}: ${reasonOf(thrown)}. Nothing is lost: correct this, and the next run stores it first.`,
    );
    return undefined;
  }
}

/**
 * Reads into the file `part`, from the last state. A file that cannot be written any more ends the read: after half a
 * line nothing may follow.
 * @returns whether every stream is complete. Why not is a message in the file and on standard error
 */
async function readInto(part: string, file: number, folder: SyncFolder, files: Files, host: SyncHost) {
  const failure = new AbortController();
  const output: Output = {
    async write(lines) {
      failure.signal.throwIfAborted();
      try {
        appendFileSync(file, lines);
      } catch (thrown) {
        host.print(`sync: cannot write ${part}: ${reasonOf(thrown)}. Make room there, and run again.`);
        failure.abort(thrown);
        throw thrown;
      }
    },
  };
  const writer = new MessageWriter(output, Date, host.print);
  const signal = AbortSignal.any([host.stop.signal, failure.signal]);
  try {
    const from = folder.readState().size > 0 ? { state: folder.state } : {};
    return await host.read({ ...files, ...from }, writer, signal);
  } catch (thrown) {
    if (!signal.aborted) await writer.error(SurveyExportError.from(thrown)).catch(() => {});
    return false;
  } finally {
    closeSync(file);
  }
}
