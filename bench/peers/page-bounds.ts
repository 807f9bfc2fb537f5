import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RemoteSandbox } from "../program.ts";

const PER_PAGE = 100;

/**
 * Writes the path of each page of a survey's list to a file, for the program that knows them beforehand. A page ends
 * where the next one begins, so no response comes twice. Removes the file when `use` has ended.
 */
export async function withPageBounds<T>(
  sandbox: RemoteSandbox,
  surveyId: string,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const newestFirst = (
    await sandbox.control<{ collected_at: string }[]>("GET", `/sandbox/truth?survey_id=${surveyId}`)
  ).toSorted((one, other) => (one.collected_at < other.collected_at ? 1 : -1));
  const paths: string[] = [];
  for (let first = 0; first < newestFirst.length; first += PER_PAGE) {
    const start = encodeURIComponent(newestFirst[first]!.collected_at);
    paths.push(`/surveys/${surveyId}/responses?items_per_page=${PER_PAGE}&start_date=${start}`);
  }
  const folder = mkdtempSync(join(tmpdir(), "page-bounds-"));
  const file = join(folder, "paths");
  try {
    writeFileSync(file, paths.join("\n"));
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
