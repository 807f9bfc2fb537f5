import { render } from "@survey-export/core/message";
import { NOWHERE } from "../node/output.ts";
import { FAILED, type Fill, type SyncHost } from "./read-into.ts";
import { Tables } from "./tables.ts";

/** @returns the exit code. @throws SurveyExportError if the file cannot be used */
export async function syncTables(path: string, fill: Fill, { stop, screen }: SyncHost): Promise<number> {
  const tables = new Tables(path);
  let isComplete = false;
  try {
    isComplete = await fill({
      path,
      messages: NOWHERE,
      rows: tables,
      states: tables.readState(),
      began: ({ selection }) => tables.began(selection),
    });
  } finally {
    const failure = tables.close(stop.exitCode === undefined ? isComplete : undefined);
    if (failure) screen.print(`ERROR ${render(failure.whole)} [${failure.code}]`);
    isComplete &&= failure === undefined;
  }
  return stop.exitCode ?? (isComplete ? 0 : FAILED);
}
