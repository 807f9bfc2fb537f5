import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Sandbox } from "./server/server.ts";

/**
 * Writes a configuration with which the source can read the sandbox at once, for the owner alone.
 * @returns its path
 * @throws Error if the folder cannot be written, or holds a configuration for another service
 */
export async function writeConfiguration(sandbox: Sandbox, folder: string): Promise<string> {
  const config = join(folder, "config.json");
  const before = await readFile(config, "utf8").catch(() => '"http://127.0.0.1:');
  if (!before.includes('"http://127.0.0.1:')) {
    throw new Error(`${resolve(config)} is for another service. Name another folder with --out.`);
  }
  // It names no survey, so the source reads all.
  const content = { base_url: sandbox.url, api_key: sandbox.apiKey };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(config, { force: true }); // an older file keeps its mode
    await writeFile(config, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    return config;
  } catch (thrown) {
    const advice = "Make it writable for this user, or name another one with --out.";
    throw new Error(`${cannotWrite(folder, thrown)} ${advice}`, { cause: thrown });
  }
}

/** What happened and where, for a folder that an error of the file system keeps from being written. */
export const cannotWrite = (folder: string, thrown: unknown): string =>
  `The folder ${resolve(folder)} cannot be written: ${thrown instanceof Error ? thrown.message : thrown}.`;
