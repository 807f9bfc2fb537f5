import { appendFileSync, closeSync, openSync, statSync } from "node:fs";
import { given, SurveyExportError, say } from "@survey-export/core";
import { MessageWriter, type Output } from "../airbyte/message-writer.ts";
import { writeFault } from "../node/write-fault.ts";
import type { SyncHost } from "./host.ts";
import type { SyncSettings } from "./settings.ts";
import type { StateFile } from "./state-file.ts";

/**
 * Reads into the file `part`, from the last state. A file that cannot be written any more ends the read: after half a
 * line nothing may follow.
 *
 * @returns whether every stream is complete. Why not is a message in the file and on standard error
 */
export async function readInto(
  part: string,
  { config, catalog }: SyncSettings,
  state: StateFile,
  host: SyncHost,
): Promise<boolean> {
  const file = openSync(part, "a");
  const failure = new AbortController();
  const output: Output = {
    async write(lines) {
      failure.signal.throwIfAborted();
      try {
        appendFileSync(file, lines);
      } catch (thrown) {
        host.print(`sync: cannot write ${part}: ${writeFault(thrown)}. Make room there, and run again.`);
        failure.abort(thrown);
        throw thrown;
      }
    },
  };
  const writer = new MessageWriter(output, Date, host.notify);
  const signal = AbortSignal.any([host.stop.signal, failure.signal]);
  try {
    await warnOfReaders(config, writer);
    const from = state.read().size > 0 ? { state: state.path } : {};
    return await host.read({ config, catalog, ...from }, writer, signal);
  } catch (thrown) {
    if (!signal.aborted) await writer.error(SurveyExportError.from(thrown)).catch(() => {});
    return false;
  } finally {
    closeSync(file);
  }
}

const READABLE_BY_OTHERS = 0o004;

async function warnOfReaders(config: string, writer: MessageWriter): Promise<void> {
  if (process.platform === "win32") return;
  const { mode } = statSync(config);
  if ((mode & READABLE_BY_OTHERS) === 0) return;
  const message = say`Every user of this machine may read ${given(config)}, which holds the API key. Run: chmod 600 ${given(config)}`;
  await writer.log("WARN", message, "config_readable");
}
