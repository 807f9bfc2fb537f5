import { SurveyExportError } from "../errors.ts";
import { notListed } from "../lists/list-errors.ts";
import { say } from "../text/message.ts";
import type { SurveyDirectory } from "./survey-directory.ts";

/** The list of surveys, and why it was not read to its end. */
type Listing = Pick<SurveyDirectory, "found"> & Partial<Pick<SurveyDirectory, "error" | "isMissing">>;

/**
 * The surveys of a sync that is to read every survey: those that the service lists, and those that earlier syncs have read.
 * One that is not listed any more may be archived: its own list says whether it is gone. A list without any that was read
 * before may be another workspace's: nothing of it is read. `known`: by the streams' states.
 * @throws SurveyExportError of kind config if nothing may be read
 */
export function chooseSurveys(
  { found, error, isMissing }: Listing,
  known: ReadonlySet<string>,
): readonly string[] {
  if (error && isMissing) throw notListed(error);
  const isOther = known.size > 0 && known.isDisjointFrom(found);
  if (isOther && error === undefined) throw otherWorkspace(found.size);
  return isOther ? [...known] : [...new Set([...found.keys(), ...known])];
}

/** With a key of another workspace, the tables of two would be mixed. */
function otherWorkspace(count: number): SurveyExportError {
  const facts = say`The service lists ${count} surveys, and none of those that were read before. So nothing was read: the API key is probably another workspace's.`;
  const advice = say`Enter the key of the workspace that was read before. If its surveys were all deleted, or another workspace is meant, clear the states of all streams.`;
  return new SurveyExportError("config", "other_workspace", facts, { advice, scope: "run" });
}
