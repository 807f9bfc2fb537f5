import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RemoteSandbox } from "../program.ts";

const PER_PAGE = 100;

/**
 * Writes the path of each page of a survey's list to a file, for the program that knows them beforehand. A page
 * begins with the first response of its timestamp, so none is left out. Removes the file when `use` has ended.
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
    const { collected_at } = newestFirst[first]!;
    while (first > 0 && newestFirst[first - 1]!.collected_at === collected_at) first--;
    const start = encodeURIComponent(collected_at);
    paths.push(`/surveys/${surveyId}/responses?items_per_page=${PER_PAGE}&start=${start}`);
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
