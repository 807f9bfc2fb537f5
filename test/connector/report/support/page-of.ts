import { report } from "../../../../connector/report/report.ts";
import { Folder } from "../../../support/folder.ts";
import { type KeptSync, type Tables, writeTables } from "../../../support/tables.ts";

/** A sync that read everything. */
export const SYNC: KeptSync = {
  began_at: "2026-09-29T09:00:00.000000Z",
  ended_at: "2026-09-29T09:01:00.000000Z",
  outcome: "complete",
  lookback_seconds: 600,
};

/** The page about these tables. */
export function pageOf(tables: Tables, { hasTexts = false, syncs = [SYNC], states = {} } = {}): string {
  const folder = new Folder();
  try {
    writeTables(folder.path("made.sqlite"), tables, syncs, states);
    return report(folder.path("made.sqlite"), { hasTexts });
  } finally {
    folder.remove();
  }
}
