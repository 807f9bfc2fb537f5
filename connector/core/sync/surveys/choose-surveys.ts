import type { KnownSurveys } from "../../coverage/stream-state.ts";
import { SurveyExportError } from "../../errors.ts";
import { newestResponsePath } from "../../lists/endpoints.ts";
import { notListed } from "../../lists/list-errors.ts";
import { parsePage } from "../../lists/page.ts";
import { counted, say } from "../../text/message.ts";
import type { Requests } from "../requests.ts";
import type { SurveyDirectory } from "./survey-directory.ts";

/** So many surveys must have been read before, and be gone all at once, before a key counts as another workspace's. */
const WITNESSES = 5;

/**
 * The surveys of a sync that is to read every survey: those that the service lists, and those that earlier syncs have known.
 * One that is not listed any more may be archived: its own list says whether it is gone.
 *
 * If the list has none of the surveys that were read before, the key may be another workspace's, and the tables of two
 * workspaces would be mixed. Five of those surveys are asked for. If all of them are gone, nothing is read. In a smaller
 * workspace nobody can tell that from surveys that were deleted: each one that is gone is a warning.
 * @throws SurveyExportError if nothing may be read
 */
export async function chooseSurveys(
  { found, error, isMissing }: Pick<SurveyDirectory, "found" | "error" | "isMissing">,
  known: KnownSurveys,
  requests: Pick<Requests, "get">,
): Promise<readonly string[]> {
  if (error && isMissing) throw notListed(error);
  if (error?.code === "too_large") throw error;
  // What a part of the list shows may be another workspace's.
  const isOtherPart = known.listed.size > 0 && known.listed.isDisjointFrom(found);
  if (error && isOtherPart) return [...known.listed];
  const isInDoubt = known.read.size >= WITNESSES && known.read.isDisjointFrom(found);
  if (!error && isInDoubt && (await areGone([...known.read].slice(0, WITNESSES), requests)))
    throw otherWorkspace(found.size);
  return [...new Set([...found.keys(), ...known.listed])];
}

/** Whether all these surveys answer 404. @throws SurveyExportError if none answers, and one fails otherwise */
async function areGone(surveyIds: readonly string[], requests: Pick<Requests, "get">): Promise<boolean> {
  const replies = await Promise.all(surveyIds.map((id) => requests.get(newestResponsePath(id), parsePage)));
  if (replies.some((reply) => "page" in reply)) return false;
  for (const reply of replies) if ("error" in reply && reply.error.code !== "not_found") throw reply.error;
  return true;
}

function otherWorkspace(count: number): SurveyExportError {
  const facts = say`The service lists ${counted(count, say`survey`, say`surveys`)}, and none of those that were read before is listed or found. So nothing was read: the API key is probably another workspace's.`;
  const advice = say`Enter the key of the workspace that was read before. If its surveys were all deleted, or another workspace is meant, start anew: in Airbyte by "Refresh streams and retain records", which keeps the rows, else without the old state.`;
  return new SurveyExportError("config", "other_workspace", facts, { advice, scope: "run" });
}
