import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { catalogStreams } from "../../connector/airbyte/catalog.ts";
import { BIN, errors, lastStates, type Message, records } from "../../test/support/bin.ts";
import { pythonWith } from "../../test/support/virtual-environment.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export const MANIFEST = path("../manifest.yaml");
/** The newest CDK when this was written. */
const PACKAGES = ["airbyte-cdk==7.39.1"];
export const python = (): string => pythonWith("manifest", PACKAGES);

export type Row = Readonly<Record<string, unknown>>;
export interface Sync {
  readonly code: number;
  readonly records: Readonly<Record<string, readonly Row[]>>;
  /** As a platform would hand it to the next sync. */
  readonly state: readonly { readonly stream: { readonly stream_state: Record<string, unknown> } }[];
  readonly problems: readonly string[];
}

/** The program that reads: Airbyte's CDK with our manifest, or our own source. */
export type Reader = (args: readonly string[]) => readonly [string, readonly string[]];

export const lowCode: Reader = (args) => [
  join(dirname(python()), "source-declarative-manifest"),
  [...args, "--manifest-path", MANIFEST],
];
export const ownSource: Reader = (args) => [process.execPath, [BIN, ...args]];

/** Runs one command of a reader with these files, and returns the lines it wrote. */
export async function run(
  reader: Reader,
  command: string,
  files: Readonly<Record<string, unknown>>,
): Promise<{ code: number; messages: readonly Message[] }> {
  const folder = await mkdtemp(join(tmpdir(), "manifest-"));
  try {
    const args = [command];
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(folder, `${name}.json`), JSON.stringify(content));
      args.push(`--${name}`, join(folder, `${name}.json`));
    }
    const [program, words] = reader(args);
    const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
      execFile(program, words, { maxBuffer: 1 << 30, cwd: folder }, (error, out) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout: out }),
      );
    });
    const messages = stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Message);
    return { code, messages };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One sync of these streams, incremental, from a state on. */
export async function sync(
  reader: Reader,
  config: object,
  streams: readonly string[],
  state: Sync["state"] = [],
): Promise<Sync> {
  const catalog = {
    streams: catalogStreams()
      .filter(({ name }) => streams.includes(name))
      .map((stream) => ({
        stream,
        sync_mode: "incremental",
        destination_sync_mode: "append_dedup",
        cursor_field: ["collected_at"],
        primary_key: stream.source_defined_primary_key,
      })),
  };
  const { code, messages } = await run(reader, "read", {
    config,
    catalog,
    ...(state.length > 0 && { state }),
  });
  return {
    code,
    records: Object.fromEntries(streams.map((name) => [name, records(messages, name)])),
    state: lastStates(messages),
    problems: errors(messages).map(({ message }) => message ?? ""),
  };
}

/** What a table holds after these syncs: of each key the row that came last. */
export function table(stream: string, ...syncs: readonly Sync[]): Map<string, Row> {
  const key = catalogStreams().find(({ name }) => name === stream)!.source_defined_primary_key;
  const rows = new Map<string, Row>();
  for (const { records } of syncs) {
    for (const row of records[stream] ?? []) {
      rows.set(key.map(([field = ""]) => JSON.stringify(row[field])).join(" "), row);
    }
  }
  return new Map([...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** A value as a table keeps it: a field that is null is a field that is not there. */
export function stored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stored);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([, inside]) => inside !== null);
  return Object.fromEntries(entries.map(([name, inside]) => [name, stored(inside)]));
}
