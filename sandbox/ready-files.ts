import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Sandbox } from "./server/server.ts";

/** Files with which the source can read the sandbox at once. */
export interface ReadyFiles {
  readonly config: string;
  /** Undefined if the source did not print one; `problem` says why. */
  readonly catalog: string | undefined;
  readonly problem: string | undefined;
  /** The folder that was asked for, if its files belong to something else and were left alone. */
  readonly occupied: string | undefined;
}

/**
 * Writes a configuration, and the catalog that the source at `program` prints, for the owner alone. Never
 * overwrites the files of a sandbox that still runs, or a configuration for another service: it then writes to a
 * folder of its own below `folder`.
 */
export async function writeReadyFiles(
  sandbox: Sandbox,
  folder: string,
  program: string,
): Promise<ReadyFiles> {
  const occupied = (await isOccupied(join(folder, "config.json"), sandbox.apiKey)) ? folder : undefined;
  const own = occupied === undefined ? folder : join(folder, `port-${new URL(sandbox.url).port}`);
  const [config, catalog] = [join(own, "config.json"), join(own, "catalog.json")];
  await mkdir(own, { recursive: true, mode: 0o700 });
  const content = {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: sandbox.service.truth.surveyIds(),
  };
  await write(config, `${JSON.stringify(content, null, 2)}\n`);
  const text = await sourceCatalog(program, config);
  if (text instanceof Error) return { config, catalog: undefined, problem: text.message, occupied };
  await write(catalog, text);
  return { config, catalog, problem: undefined, occupied };
}

/** Whether a configuration belongs to a running sandbox or to another service. */
async function isOccupied(config: string, apiKey: string): Promise<boolean> {
  let written: { base_url?: unknown; api_key?: unknown };
  try {
    written = JSON.parse(await readFile(config, "utf8"));
  } catch (thrown) {
    return codeOf(thrown) !== "ENOENT";
  }
  const address = URL.parse(String(written?.base_url));
  if (address?.hostname !== "127.0.0.1" || written.api_key !== apiKey) return true;
  try {
    const stats = await fetch(new URL("/sandbox/stats", address), { signal: AbortSignal.timeout(2_000) });
    return stats.ok;
  } catch {
    return false;
  }
}

/** Anew, since an older file keeps its mode. */
async function write(file: string, text: string): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, text, { mode: 0o600 });
}

/** The configured catalog that the source at `program` prints, or an error with a sentence that says why there is none. */
export function sourceCatalog(program: string, config: string): Promise<string | Error> {
  const args = [program, "catalog", "--config", config];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      if (error === null && stdout !== "") resolve(stdout);
      else resolve(new Error(`The source at ${program} did not print its catalog. Run npm run build first.`));
    });
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "its file system is read-only",
  ENOSPC: "no space is left on the disk",
  EEXIST: "a file is in its place",
  ENOTDIR: "a file is in its place",
};

/** What happened and where, for a folder that an error of the file system keeps from being written. */
export function cannotWrite(folder: string, thrown: unknown): string {
  const why = REASONS[codeOf(thrown)] ?? (thrown instanceof Error ? thrown.message : String(thrown));
  return `The folder ${resolve(folder)} cannot be written: ${why}.`;
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
