import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Message, SurveyExportError, say } from "@survey-export/core";
import { render } from "@survey-export/core/message";
import { existing } from "../node/input-file.ts";
import { thisUser } from "../node/this-user.ts";
import { dryRun } from "./dry-run.ts";
import { SyncFolder } from "./folder.ts";
import { lockFile } from "./lock-file.ts";
import { type Fill, readInto, type Sources, type SyncHost } from "./read-into.ts";
import { syncFolder } from "./sync-folder.ts";
import { syncTables } from "./sync-tables.ts";

/** What the command line says. */
export interface SyncCall {
  readonly target: string;
  readonly files: { readonly config?: string | undefined };
  readonly streams: readonly string[] | undefined;
  readonly flags: ReadonlySet<string>;
}

const CANNOT_START = 2;
/** `EX_TEMPFAIL`: try again later. */
const BUSY = 75;

/** A target that is a SQLite file. Any other is a folder. */
const TABLES = /\.(sqlite|db)$/;

/**
 * One sync that keeps what it reads (by `read`), and its state, in a SQLite file or in a folder. It may be killed at any
 * moment: the next run resumes from the last state.
 * @returns the exit code: 0 done, 1 failed, 2 could not start, 75 another sync is writing to the target, or the one of a
 * signal
 */
export async function sync(call: SyncCall, host: SyncHost, read = readInto): Promise<number> {
  const target = resolve(call.target);
  const isTables = TABLES.test(target);
  let release: (() => void) | undefined;
  try {
    requireFolder(isTables ? dirname(target) : target);
    const sources = sourcesOf(call, target, isTables, host.env);
    if (call.flags.has("dry-run"))
      return await dryRun(sources, existsSync(isTables ? target : join(target, "state.jsonl")), host);
    const folder = isTables ? undefined : new SyncFolder(target);
    release = folder ? folder.lock() : lockFile(`${target}-lock`);
    if (release === undefined) {
      host.screen.print(`sync: another sync is writing to ${target}. Try again when it has ended.`);
      return BUSY;
    }
    const fill: Fill = (destination, ended) => read(destination, sources, host, ended);
    return await (folder ? syncFolder(folder, fill, host) : syncTables(target, fill, host));
  } catch (thrown) {
    host.screen.print(`sync: ${whyNotStarted(target, thrown)}`);
    return CANNOT_START;
  } finally {
    release?.();
  }
}

/** @throws SurveyExportError unless it is a folder that this user may enter */
function requireFolder(path: string): void {
  const advice = say`Give a folder, or a file that ends in .sqlite or .db.`;
  if (!existsSync(path))
    throw refused(
      say`This folder does not exist, or ${thisUser()} may not see it: ${existing(path)}. Create it. ${advice}`,
    );
  if (!statSync(path).isDirectory())
    throw refused(say`This is a file and not a folder: ${existing(path)}. ${advice}`);
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw refused(
      say`The folder must be readable and writable for ${thisUser()}: ${existing(path)}. Change its owner or its rights, or run as its owner (docker run --user).`,
    );
  }
}

/** Files that are named must exist. Those next to the target, or in it, need not. */
function sourcesOf(
  { files, streams }: SyncCall,
  target: string,
  isTables: boolean,
  env: NodeJS.ProcessEnv,
): Sources {
  const folder = isTables ? dirname(target) : target;
  const beside = join(folder, "config.json");
  const named = (path: string | undefined, what: Message): string | undefined => {
    if (!path) return undefined;
    if (existsSync(path)) return resolve(path);
    throw refused(say`The ${what} does not exist, or ${thisUser()} may not see it: ${existing(path)}.`);
  };
  const config =
    named(files.config, say`file of --config`) ??
    named(env.SURVEY_EXPORT_CONFIG, say`file of SURVEY_EXPORT_CONFIG`) ??
    (existsSync(beside) ? beside : undefined);
  if (config === undefined && !env.SURVEY_EXPORT_API_KEY)
    throw refused(
      say`There is no key. Set SURVEY_EXPORT_API_KEY, write config.json into ${existing(folder)}, or name another file with --config.`,
    );
  return { config, streams };
}

const refused = (problem: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", problem);

/** @throws what is neither the user's to correct nor an error of the file system */
function whyNotStarted(path: string, thrown: unknown): string {
  if (thrown instanceof SurveyExportError) return render(thrown.whole);
  if (!(thrown instanceof Error && "code" in thrown)) throw thrown;
  return `cannot use ${path}: ${thrown.message}. The folder must be writable for ${render(thisUser())}, the files in it must belong to it, and the file system must have locks.`;
}
