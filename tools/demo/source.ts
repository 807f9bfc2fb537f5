import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sourceCatalog } from "../../sandbox/command/source-catalog.ts";
import type { Sandbox } from "../../sandbox/index.ts";
import { keysByStream, type PrimaryKeys, primaryKeysOf, type Row } from "../../scripts/delivery.ts";
import { keyOf } from "../../scripts/expected-keys.ts";
import { runProgram } from "./program.ts";

/** So few that the read takes long enough to be killed half way. */
const ITEMS_PER_PAGE = 10;

/** What a read brought. */
export interface Read {
  readonly rows: readonly Row[];
  /** The keys of the records, by stream. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  readonly seconds: number;
  readonly killed: boolean;
}

/** The real program with a configuration and a catalog, whose files are in a folder. */
export class Source {
  readonly primaryKeys: PrimaryKeys;
  readonly #folder: string;
  readonly #bin: string;

  private constructor(folder: string, bin: string, primaryKeys: PrimaryKeys) {
    this.#folder = folder;
    this.#bin = bin;
    this.primaryKeys = primaryKeys;
  }

  /** Writes a configuration for the service, and the catalog that the program prints. */
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
    return new Source(folder, bin, primaryKeysOf(catalog));
  }

  /**
   * Reads into a file of the folder, from the state in the file `after`, if it is given. `onRecords` is called with the
   * number of different records that came, `known` included. Once it returns true, the program is killed.
   */
  async read(
    output: string,
    onRecords: (count: number) => boolean,
    { after, known }: { readonly after?: string; readonly known?: Read } = {},
  ): Promise<Read> {
    const path = (name: string): string => join(this.#folder, name);
    const state = after === undefined ? [] : ["--state", path(after)];
    const rows: Row[] = [];
    const seen = new Set((known?.rows ?? []).map((row) => this.#keyOf(row)));
    const { seconds, killed } = await runProgram({
      bin: this.#bin,
      words: ["read", "--config", path("config.json"), "--catalog", path("catalog.json"), ...state],
      output: path(output),
      onRows: (came) => {
        rows.push(...came);
        for (const row of came) seen.add(this.#keyOf(row));
        return onRecords(seen.size);
      },
    });
    return { rows, keys: keysByStream(rows, this.primaryKeys), seconds, killed };
  }

  #keyOf({ stream, data }: Row): string {
    return `${stream} ${keyOf(data, this.primaryKeys.get(stream)!)}`;
  }
}
