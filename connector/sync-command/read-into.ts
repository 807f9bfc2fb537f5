import { given, SurveyExportError, say } from "@survey-export/core";
import type { Configuration } from "../airbyte/configuration.ts";
import { parseConfiguration, readConfiguration, readSelected } from "../airbyte/input.ts";
import { MessageWriter, type RowWriter } from "../airbyte/message-writer.ts";
import { read } from "../airbyte/read.ts";
import { machine } from "../node/machine.ts";
import { liveLine, type Output, type Screen } from "../node/output.ts";
import type { Stop } from "../node/stop.ts";

/** What a sync needs of the command line. */
export interface SyncHost {
  readonly env: NodeJS.ProcessEnv;
  readonly stop: Stop;
  /** Standard error. */
  readonly screen: Screen;
  /** Writes the answer of `--dry-run` to standard output. */
  readonly print: (text: string) => Promise<void>;
}

/**
 * Where the settings come from: the path of a file that exists, and names of streams. Without them: the environment, the
 * usual streams.
 */
export interface Sources {
  readonly config: string | undefined;
  readonly streams: readonly string[] | undefined;
}

export const FAILED = 1;

/** Where a run goes. */
export interface Destination {
  /** Its path. */
  readonly path: string;
  readonly messages: Output;
  readonly rows?: RowWriter;
  /** The last states of earlier runs, by stream. */
  readonly states: ReadonlyMap<string, unknown>;
  /** Called once the configuration is known to be right. */
  readonly began?: (configuration: Configuration) => void;
}

/** One read into a destination. `ended`: ends it early. @returns whether every stream is complete */
export type Fill = (destination: Destination, ended?: AbortSignal) => Promise<boolean>;

/**
 * One read into a destination. Whatever goes wrong is a message there and on standard error. `ended`: ends the read early.
 * @returns whether every stream is complete
 */
export async function readInto(
  { path, messages, rows, states, began }: Destination,
  { config, streams }: Sources,
  { env, stop, screen }: SyncHost,
  ended?: AbortSignal,
): Promise<boolean> {
  const writer = new MessageWriter(messages, Date, screen.print, rows);
  const signal = ended ? AbortSignal.any([stop.signal, ended]) : stop.signal;
  try {
    const configuration = parseConfiguration(await readConfiguration(config), env, writer);
    const selected = await readSelected(undefined, streams);
    began?.(configuration);
    const task = { configuration, selected, states, destination: say`in ${given(path)}` };
    return await read(writer, task, machine, signal, liveLine(screen));
  } catch (thrown) {
    if (!signal.aborted) await writer.error(SurveyExportError.from(thrown)).catch(() => {});
    return false;
  } finally {
    screen.draw("");
  }
}
