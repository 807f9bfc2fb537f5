import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../server.ts";

/** Files with which the source can be run against the sandbox at once. */
export interface ReadyFiles {
  readonly config: string;
  readonly catalog: string;
}

const STREAMS = [
  { name: "survey_responses", key: [["uuid"]] },
  { name: "respondent_responses", key: [["uuid"]] },
  { name: "respondent_attributes", key: [["respondent_uuid"], ["id"]] },
] as const;

/** Writes a configuration and a catalog that reads all streams incrementally; returns where they are. */
export async function writeReadyFiles(sandbox: Sandbox, folder: string): Promise<ReadyFiles> {
  const files = { config: join(folder, "config.json"), catalog: join(folder, "catalog.json") };
  await mkdir(folder, { recursive: true });
  const config = {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: sandbox.service.truth.surveyIds(),
  };
  const catalog = { streams: await Promise.all(STREAMS.map(configured)) };
  await writeFile(files.config, `${JSON.stringify(config, null, 2)}\n`);
  await writeFile(files.catalog, `${JSON.stringify(catalog, null, 2)}\n`);
  return files;
}

async function configured({ name, key }: (typeof STREAMS)[number]) {
  return {
    stream: {
      name,
      json_schema: await schemaOf(name),
      supported_sync_modes: ["full_refresh", "incremental"],
      source_defined_cursor: true,
      default_cursor_field: ["collected_at"],
      source_defined_primary_key: key,
    },
    sync_mode: "incremental",
    destination_sync_mode: "append_dedup",
    cursor_field: ["collected_at"],
    primary_key: key,
  };
}

/** The stream's schema as it lies in this repository; any object, where the sandbox runs without it. */
async function schemaOf(stream: string): Promise<unknown> {
  const file = new URL(`../../schemas/streams/${stream}.json`, import.meta.url);
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
    return { type: "object" };
  }
}
