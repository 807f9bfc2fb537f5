import { report } from "../../../../connector/report/report.ts";
import { testFolder } from "../../../support/folder.ts";
import { type KeptSync, type Tables, writeTables } from "../../../support/tables.ts";

/** A sync that read everything. */
export const SYNC: KeptSync = {
  began_at: "2026-09-29T09:00:00.000000Z",
  ended_at: "2026-09-29T09:01:00.000000Z",
  outcome: "complete",
  lookback_seconds: 600,
};

const folder = testFolder();
let files = 0;

/** The page about these tables. */
export function pageOf(tables: Tables, { hasTexts = false, syncs = [SYNC], states = {} } = {}): string {
  files += 1;
  const path = folder.path(`${files}.sqlite`);
  writeTables(path, tables, syncs, states);
  return report(path, { hasTexts });
}
