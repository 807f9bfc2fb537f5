import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import type { Sandbox } from "../../sandbox/index.ts";
import { sourceCatalog } from "../../sandbox/ready-files.ts";
import {
  keysByStream,
  type Message,
  messagesIn,
  type PrimaryKeys,
  primaryKeysOf,
  type Row,
} from "./delivery.ts";
import { keyOf } from "./expected-keys.ts";

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

/** A run of the real program. */
interface Run {
  /** The bin: a file that this Node runs. */
  readonly bin: string;
  readonly words: readonly string[];
  /** Its messages go into this file, for the owner alone. The file must not exist. */
  readonly output: string;
  /** Called with the records as they come. Once it returns true, the program is killed with SIGKILL. */
  readonly onRows?: (rows: readonly Row[]) => boolean;
}

interface Ended {
  readonly messages: readonly Message[];
  readonly seconds: number;
  readonly killed: boolean;
}

/** Runs the program until it ends or is killed. Throws if it ends with an error. */
async function runProgram({ bin, words, output, onRows }: Run): Promise<Ended> {
  const beganMs = performance.now();
  const child = spawn(process.execPath, [bin, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const sink = createWriteStream(output, { flags: "wx", mode: 0o600 });
  const closed = Promise.all([once(child, "close"), finished(child.stdout.pipe(sink))]);
  const decoder = new StringDecoder("utf8");
  const messages: Message[] = [];
  let [rest, errors] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdout.on("data", (chunk: Buffer) => {
    const text = rest + decoder.write(chunk);
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    const came = messagesIn(text.slice(0, end));
    messages.push(...came);
    const rows = came.flatMap(({ type, record }) => (type === "RECORD" ? [record as Row] : []));
    if (onRows?.(rows)) child.kill("SIGKILL");
  });
  const [[code, signal]] = await closed;
  if (code !== 0 && signal !== "SIGKILL") {
    const reason = errors.trim() || `its messages are in ${output}`;
    throw new Error(`source-survey-export ${words[0]} ended with ${code ?? signal}: ${reason}.`);
  }
  return { messages, seconds: (performance.now() - beganMs) / 1_000, killed: signal === "SIGKILL" };
}
