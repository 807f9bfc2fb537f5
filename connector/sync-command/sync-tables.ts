import { FAILED, type Fill, type SyncHost } from "./read-into.ts";
import { Tables } from "./tables.ts";

/** @returns the exit code. @throws SurveyExportError if the file cannot be used */
export async function syncTables(path: string, fill: Fill, { stop }: SyncHost): Promise<number> {
  const tables = new Tables(path);
  let isComplete: boolean | undefined;
  try {
    isComplete = await fill({
      path,
      messages: { write: async () => {} },
      rows: tables,
      states: tables.readState(),
      began: ({ selection }) => tables.began(selection),
    });
  } finally {
    tables.close(stop.exitCode !== undefined ? "stopped" : isComplete ? "complete" : "incomplete");
  }
  return stop.exitCode ?? (isComplete ? 0 : FAILED);
}
