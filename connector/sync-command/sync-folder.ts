import { appendFileSync, closeSync } from "node:fs";
import { render } from "@survey-export/core/message";
import type { Output } from "../node/output.ts";
import type { KeptRun, SyncFolder } from "./folder.ts";
import { FAILED, type Fill, type SyncHost } from "./read-into.ts";

/**
 * One sync whose messages and state a folder keeps. First it keeps what an interrupted one wrote.
 * @returns the exit code
 * @throws SurveyExportError, or an error of the file system, if nothing could begin
 */
export async function syncFolder(folder: SyncFolder, fill: Fill, host: SyncHost): Promise<number> {
  const { screen, stop } = host;
  folder.readState(); // refused before anything moves
  for (const part of folder.parts) {
    const run = await kept(part, folder, host);
    if (run === undefined) return FAILED;
    screen.print(`sync: kept what an interrupted sync wrote: ${run.records}`);
    if (!run.isStored) screen.print("sync: there is no state.jsonl, so everything is read again");
  }
  const { part, path, file } = folder.createPart(Date.now());
  const failure = new AbortController();
  const destination = { path, messages: outputTo(part, file, failure, host), states: folder.readState() };
  const isComplete = await fill(destination, failure.signal).finally(() => closeSync(file));
  const run = await kept(part, folder, host);
  return stop.exitCode ?? (isComplete && run && !run.damage ? 0 : FAILED);
}

/** Why the file system refused, in the words of Node.js: they name the path. */
const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Says why, and returns undefined, if the run cannot be kept now. */
async function kept(part: string, folder: SyncFolder, { screen }: SyncHost): Promise<KeptRun | undefined> {
  try {
    const run = await folder.keep(part);
    if (run.damage)
      screen.print(
        `sync: cannot keep all of a run: ${render(run.damage)} The lines before the damage are kept, and the rest is read again. Delete it once you know the reason.`,
      );
    return run;
  } catch (thrown) {
    screen.print(
      `sync: cannot store the state of ${part}: ${reasonOf(thrown)}. Nothing is lost: correct this, and the next run stores it first.`,
    );
    return undefined;
  }
}

/** Writes into the file `part`. Once it cannot be written, the read ends: after half a line nothing may follow. */
const outputTo = (part: string, file: number, failure: AbortController, { screen }: SyncHost): Output => ({
  async write(lines) {
    failure.signal.throwIfAborted();
    try {
      appendFileSync(file, lines);
    } catch (thrown) {
      screen.print(`sync: cannot write ${part}: ${reasonOf(thrown)}. Make room there, and run again.`);
      failure.abort(thrown);
      throw thrown;
    }
  },
});
