import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../server.ts";
import { type DiscoveredStream, discover } from "./discover.ts";

/** Files with which the source can read the sandbox at once. */
export interface ReadyFiles {
  readonly config: string;
  /** Undefined if the source did not give its streams; `problem` says why. */
  readonly catalog: string | undefined;
  readonly problem: string | undefined;
  /** The folder that was asked for, if its files belong to something else and were left alone. */
  readonly occupied: string | undefined;
}

/**
 * Writes a configuration, and a catalog that reads all streams with a cursor that the source at `program` discovers. Never
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
  await mkdir(own, { recursive: true });
  await writeJson(config, {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: sandbox.service.truth.surveyIds(),
  });
  const discovered = await discover(program, config);
  if (typeof discovered === "string") return { config, catalog: undefined, problem: discovered, occupied };
  await writeJson(catalog, { streams: discovered.filter(isIncremental).map(configured) });
  return { config, catalog, problem: undefined, occupied };
}

/** Whether a configuration belongs to a running sandbox or to another service. */
async function isOccupied(config: string, apiKey: string): Promise<boolean> {
  let written: { base_url?: unknown; api_key?: unknown };
  try {
    written = JSON.parse(await readFile(config, "utf8"));
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== "ENOENT";
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

const writeJson = (file: string, value: unknown): Promise<void> =>
  writeFile(file, `${JSON.stringify(value, null, 2)}\n`);

/** Streams without a cursor are left out: a second sync is to read only what is new. */
const isIncremental = ({ supported_sync_modes: modes }: DiscoveredStream): boolean =>
  modes?.includes("incremental") === true;

const configured = (stream: DiscoveredStream) => ({
  stream,
  sync_mode: "incremental",
  destination_sync_mode: "append_dedup",
  cursor_field: stream.default_cursor_field,
  primary_key: stream.source_defined_primary_key,
});
