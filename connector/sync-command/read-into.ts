import { given, SurveyExportError, say } from "@survey-export/core";
import { parseConfiguration, readConfiguration, readSelected } from "../airbyte/input.ts";
import { MessageWriter } from "../airbyte/message-writer.ts";
import { read } from "../airbyte/read.ts";
import { machine } from "../node/machine.ts";
import { liveLine, NOWHERE, type Screen } from "../node/output.ts";
import type { Stop } from "../node/stop.ts";
import type { Tables } from "./tables.ts";

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

/**
 * One read into the tables of the file at `path`. Whatever goes wrong is a line on standard error.
 * @returns whether every stream is complete
 */
export async function readInto(
  tables: Tables,
  path: string,
  { config, streams }: Sources,
  { env, stop, screen }: SyncHost,
): Promise<boolean> {
  const writer = new MessageWriter(NOWHERE, Date, screen.print, tables);
  try {
    const configuration = parseConfiguration(await readConfiguration(config), env, writer);
    const selected = await readSelected(undefined, streams);
    const states = tables.readState();
    await tables.began(configuration.selection);
    const task = { configuration, selected, states, destination: say`in ${given(path)}` };
    return await read(writer, task, machine, stop.signal, liveLine(screen));
  } catch (thrown) {
    if (!stop.signal.aborted) await writer.error(SurveyExportError.from(thrown));
    return false;
  } finally {
    screen.draw("");
  }
}
