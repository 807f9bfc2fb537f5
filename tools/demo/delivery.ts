import { keyOf } from "./expected-keys.ts";

export type Message = { readonly type: string } & { readonly [field: string]: unknown };

/** A record as a message of type RECORD holds it. */
export interface Row {
  readonly stream: string;
  readonly data: { readonly [field: string]: unknown };
}

/** The fields of each stream's primary key. */
export type PrimaryKeys = ReadonlyMap<string, readonly string[]>;

/** The messages in a program's output. A last line without an end is left out: a kill has cut it short. */
export const messagesIn = (output: string): Message[] =>
  output
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** The records in a program's output. */
export const rowsIn = (output: string): Row[] =>
  messagesIn(output).flatMap(({ type, record }) => (type === "RECORD" ? [record as Row] : []));

/** The primary keys of the streams in a configured catalog, as the command `catalog` prints it. */
export function primaryKeysOf(catalog: string): PrimaryKeys {
  const { streams } = JSON.parse(catalog) as {
    streams: { stream: { name: string }; primary_key: string[][] }[];
  };
  return new Map(streams.map(({ stream, primary_key: key }) => [stream.name, key.map(([field]) => field!)]));
}

/** The keys that came, by stream, as `expectedKeys` writes them. */
export function keysByStream(rows: readonly Row[], primaryKeys: PrimaryKeys): Map<string, Set<string>> {
  const keys = new Map([...primaryKeys.keys()].map((stream) => [stream, new Set<string>()]));
  for (const { stream, data } of rows) keys.get(stream)!.add(keyOf(data, primaryKeys.get(stream)!));
  return keys;
}

/** What two reads brought of one stream, compared with the keys that it should hold. */
export interface Delivery {
  readonly stream: string;
  /** Keys of the first read, and of the second. */
  readonly first: number;
  readonly second: number;
  /** Keys of the second read that the first one had, too. */
  readonly again: number;
  /** Expected keys that neither read brought. */
  readonly missing: number;
}

/** Compares two reads with what there is, stream by stream. Only streams that are expected are compared. */
export function compareDelivery(
  expected: ReadonlyMap<string, ReadonlySet<string>>,
  first: ReadonlyMap<string, ReadonlySet<string>>,
  second: ReadonlyMap<string, ReadonlySet<string>>,
): Delivery[] {
  return [...expected].flatMap(([stream, keys]) => {
    const [came, later] = [first.get(stream), second.get(stream)];
    if (came === undefined || later === undefined) return [];
    return {
      stream,
      first: came.size,
      second: later.size,
      again: [...later].filter((key) => came.has(key)).length,
      missing: [...keys].filter((key) => !came.has(key) && !later.has(key)).length,
    };
  });
}

/** The latest record of each key of one stream. */
export function latestRows(stream: string, rows: readonly Row[], primaryKeys: PrimaryKeys): Row["data"][] {
  const own = rows.filter((row) => row.stream === stream);
  return [...new Map(own.map(({ data }) => [keyOf(data, primaryKeys.get(stream)!), data])).values()];
}

/** Rows as a table for a terminal: the first column to the left, numbers to the right. */
export function aligned(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const heads = Object.keys(rows[0] ?? {});
  const cells = [heads, ...rows.map((row) => heads.map((head) => String(row[head])))];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join("   "),
    )
    .join("\n");
}
