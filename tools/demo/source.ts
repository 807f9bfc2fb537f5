import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { keyOf, type Sandbox } from "../../sandbox/index.ts";
import { sourceCatalog } from "../../sandbox/ready-files.ts";
import { counted } from "./terminal.ts";

/** So few that a read takes long enough to be killed halfway. */
const ITEMS_PER_PAGE = 10;

/** A record as the program writes it. */
export type Data = { readonly [field: string]: unknown };

/** A stream compared with what the sandbox holds. */
export interface Compared {
  readonly stream: string;
  readonly there: number;
  readonly read: number;
  readonly missing: number;
}

interface Message {
  readonly type: string;
  readonly record?: { readonly stream: string; readonly data: Data };
  readonly trace?: { readonly error?: { readonly message: string } };
}

/** The real command line, which reads a sandbox into files of a folder. Keeps what came. */
export class Source {
  /** The latest record of each key, by stream. */
  readonly records: ReadonlyMap<string, Map<string, Data>>;
  /** How many records came, also those that came more than once. */
  delivered = 0;
  readonly #primaryKeys: ReadonlyMap<string, readonly string[]>;
  readonly #folder: string;
  readonly #bin: string;

  private constructor(folder: string, bin: string, catalog: string) {
    const { streams } = JSON.parse(catalog) as {
      streams: { stream: { name: string }; primary_key: string[][] }[];
    };
    this.#primaryKeys = new Map(streams.map(({ stream, primary_key: key }) => [stream.name, key.flat()]));
    this.records = new Map(streams.map(({ stream }) => [stream.name, new Map()]));
    this.#folder = folder;
    this.#bin = bin;
  }

  /** Writes a configuration for the sandbox, and the catalog that the program prints. */
  static async prepare(folder: string, bin: string, sandbox: Sandbox): Promise<Source> {
    const config = join(folder, "config.json");
    const settings = {
      base_url: sandbox.url,
      api_key: sandbox.apiKey,
      survey_ids: sandbox.service.truth.surveyIds(),
      items_per_page: ITEMS_PER_PAGE,
    };
    await writeFile(config, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600 });
    const catalog = await sourceCatalog(bin, config);
    if (catalog instanceof Error) throw catalog;
    await writeFile(join(folder, "catalog.json"), catalog, { mode: 0o600 });
    return new Source(folder, bin, catalog);
  }

  /** How many different records came. */
  get count(): number {
    return [...this.records.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Reads into a new file of the folder, from the state in the file `after`. `onRecords` is called whenever records
   * came; once it returns true, the program is killed with SIGKILL. Throws if the program fails.
   */
  async read(output: string, onRecords: () => boolean, after?: string) {
    const path = (name: string): string => join(this.#folder, name);
    const words = ["read", "--config", path("config.json"), "--catalog", path("catalog.json")];
    if (after !== undefined) words.push("--state", path(after));
    const beganMs = performance.now();
    const child = spawn(process.execPath, [this.#bin, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    const ended = Promise.all([once(child, "close"), text(child.stderr)]);
    await using file = await open(path(output), "wx", 0o600);
    let [rest, problem] = ["", ""];
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      await file.write(chunk);
      // A kill cuts the last line short.
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop()!;
      for (const { record, trace } of lines.map((line): Message => JSON.parse(line))) {
        if (record !== undefined) this.#take(record.stream, record.data);
        problem = trace?.error?.message ?? problem;
      }
      if (onRecords()) child.kill("SIGKILL");
    }
    const [[code, signal], errors] = await ended;
    const isKilled = signal === "SIGKILL";
    if (code !== 0 && !isKilled) {
      const reason = problem || errors.trim() || `its messages are in ${path(output)}`;
      throw new Error(`The program ended with ${code ?? signal}: ${reason}`);
    }
    return { seconds: (performance.now() - beganMs) / 1_000, isKilled };
  }

  #take(stream: string, data: Data): void {
    this.records.get(stream)!.set(keyOf(data, this.#primaryKeys.get(stream)!), data);
    this.delivered += 1;
  }

  /** What came so far, compared with the keys that each stream must hold. */
  compare(expected: ReadonlyMap<string, ReadonlySet<string>>): Compared[] {
    return [...expected].map(([stream, keys]) => {
      const came = this.records.get(stream) ?? new Map();
      const missing = [...keys].filter((key) => !came.has(key)).length;
      return { stream, there: keys.size, read: came.size, missing };
    });
  }
}

/** The comparison as a table for a terminal. Throws if a record is missing. */
export function verdict(streams: readonly Compared[]): string {
  const rows = streams.map(({ stream, there, read, missing }) => [
    stream,
    ...[there, read, missing].map(counted),
  ]);
  const lines = [["stream", "in the sandbox", "read", "missing"], ...rows].map(
    ([name = "", ...numbers]) =>
      `   ${name.padEnd(22)}${numbers.map((number) => number.padStart(16)).join("")}`,
  );
  const table = lines.join("\n");
  const missing = streams.reduce((sum, stream) => sum + stream.missing, 0);
  if (missing > 0) throw new Error(`${table}\n${counted(missing)} records are missing. Please report it.`);
  return table;
}
