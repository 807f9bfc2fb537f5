import {
  fixed,
  given,
  isObject,
  listed,
  type Message,
  STREAMS,
  type StreamName,
  SurveyExportError,
  say,
} from "@survey-export/core";
import { nearestName } from "../node/nearest-name.ts";
import type { CatalogStream, SyncMode } from "./generated/protocol.ts";

export const isStreamName = (name: string): name is StreamName => Object.hasOwn(STREAMS, name);

/**
 * The streams as `discover` describes them, the same for every account. One that each sync reads whole has a cursor,
 * too: Airbyte then proposes Append + Deduped, which keeps the earlier snapshots and what was deleted since, and not
 * Overwrite.
 */
export function catalogStreams(): CatalogStream[] {
  return Object.values(STREAMS).map(({ name, schema, primaryKey, cursor, isSnapshot = false }) => ({
    name,
    json_schema: schema,
    supported_sync_modes: ["full_refresh", "incremental"],
    source_defined_cursor: true,
    default_cursor_field: [cursor],
    source_defined_primary_key: primaryKey.map((field) => [field]),
    is_resumable: !isSnapshot,
  }));
}

/** Every stream but the snapshots, which read every response in each sync. */
const USUAL = Object.values(STREAMS).flatMap(({ name, cursor }) => (cursor === "collected_at" ? [name] : []));

/** The stream that a misspelt name resembles, as a question. */
export function guessOf(name: string): Message {
  const meant = nearestName(name, Object.keys(STREAMS));
  return meant === undefined ? say`` : say` Did you mean ${fixed(meant)}?`;
}

/**
 * The streams that a user named, each once; without names, the usual ones.
 * @throws SurveyExportError `invalid_configuration`; it quotes no name that is unknown
 */
export function namedStreams(names: readonly string[] = USUAL): readonly StreamName[] {
  const known = Object.keys(STREAMS);
  const unknown = names.find((name) => !isStreamName(name));
  if (unknown === undefined) return known.filter(isStreamName).filter((name) => names.includes(name));
  const problem = say`--streams names a stream that this source does not have.${guessOf(unknown)} The streams are: ${listed(known.map(fixed), known.length)}.`;
  throw new SurveyExportError("config", "invalid_configuration", problem);
}

/** The configured catalog that reads these streams. @throws SurveyExportError if a name is unknown */
export function configuredCatalog(names?: readonly string[]) {
  const chosen: readonly string[] = namedStreams(names);
  return {
    streams: catalogStreams()
      .filter(({ name }) => chosen.includes(name))
      .map((stream) => ({
        stream,
        sync_mode: "incremental",
        destination_sync_mode: "append_dedup",
        cursor_field: stream.default_cursor_field,
        primary_key: stream.source_defined_primary_key,
      })),
  };
}

/** A stream that the platform wants to read. A name that we do not have is kept and gets an error of its own. */
export interface SelectedStream {
  readonly name: string;
  readonly syncMode: SyncMode;
  /** Whether somebody named it on the command line, or it is one of the usual ones: no platform wants messages about it. */
  readonly isOurs?: boolean;
}

/**
 * The configured catalog. Only names and sync modes count; everything else is accepted and ignored.
 * @throws SurveyExportError `invalid_configuration`
 */
export function parseConfiguredCatalog(value: unknown): SelectedStream[] {
  const streams = isObject(value) ? value.streams : undefined;
  if (!Array.isArray(streams)) throw invalid(say`it has no list of streams`);
  const selected = streams.map((entry: unknown, at): SelectedStream => {
    const { stream, sync_mode: syncMode } = isObject(entry) ? entry : {};
    const name = isObject(stream) ? stream.name : undefined;
    if (typeof name !== "string" || name === "") throw invalid(say`stream ${at + 1} has no name`);
    if (syncMode !== "full_refresh" && syncMode !== "incremental")
      throw invalid(say`stream ${given(name)} has no sync_mode full_refresh or incremental`);
    return { name, syncMode };
  });
  const names = new Set<string>();
  const twice = selected.find(({ name }) => names.size === names.add(name).size);
  if (twice) throw invalid(say`stream ${given(twice.name)} is in it twice`);
  return selected;
}

function invalid(reason: Message): SurveyExportError {
  return new SurveyExportError(
    "config",
    "invalid_configuration",
    say`The configured catalog (--catalog) cannot be used: ${reason}. Make one from the output of discover, with { "stream": …, "sync_mode": "incremental" } for each stream to read.`,
  );
}
