import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Sandbox } from "./server/server.ts";

/** Files with which the source can read the sandbox at once. */
export interface ReadyFiles {
  readonly config: string;
  /** Or a sentence that says why there is none. */
  readonly catalog: string | Error;
}

/**
 * Writes a configuration, and the catalog that the source at `program` prints, for the owner alone.
 * @throws Error if the folder cannot be written, or holds a configuration for another service
 */
export async function writeReadyFiles(
  sandbox: Sandbox,
  folder: string,
  program: string,
): Promise<ReadyFiles> {
  const [config, catalog] = [join(folder, "config.json"), join(folder, "catalog.json")];
  const before = await readFile(config, "utf8").catch(() => '"http://127.0.0.1:');
  if (!before.includes('"http://127.0.0.1:')) {
    throw new Error(`${resolve(config)} is for another service. Name another folder with --out.`);
  }
  // It names no survey, so the source reads all.
  const content = { base_url: sandbox.url, api_key: sandbox.apiKey };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await write(config, `${JSON.stringify(content, null, 2)}\n`);
    const text = await sourceCatalog(program, config);
    if (text instanceof Error) return { config, catalog: text };
    await write(catalog, text);
    return { config, catalog };
  } catch (thrown) {
    const advice = "Make it writable for this user, or name another one with --out.";
    throw new Error(`${cannotWrite(folder, thrown)} ${advice}`, { cause: thrown });
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

/** What happened and where, for a folder that an error of the file system keeps from being written. */
export const cannotWrite = (folder: string, thrown: unknown): string =>
  `The folder ${resolve(folder)} cannot be written: ${thrown instanceof Error ? thrown.message : thrown}.`;
