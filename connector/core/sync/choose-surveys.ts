import type { KnownSurveys } from "../coverage/stream-state.ts";
import { SurveyExportError } from "../errors.ts";
import { newestResponsePath } from "../lists/endpoints.ts";
import { notListed } from "../lists/list-errors.ts";
import { parsePage } from "../lists/page.ts";
import { counted, say } from "../text/message.ts";
import type { Requests } from "./requests.ts";
import type { SurveyDirectory } from "./survey-directory.ts";

/** The list of surveys, as far as it was read. */
export type Listing = Pick<SurveyDirectory, "found" | "problem" | "isMissing">;

/** So many surveys that were read before are asked for, before a key counts as another workspace's. */
const WITNESSES = 5;

/**
 * The surveys of a sync that is to read every survey: those that the service lists, and those that earlier syncs have read.
 * One that is not listed any more may be archived: its own list says whether it is gone. A list without any that was known
 * before may be another workspace's: nothing of it is read, unless a survey of before answers.
 * @throws SurveyExportError if nothing may be read
 */
export async function chooseSurveys(
  { found, problem, isMissing }: Listing,
  known: KnownSurveys,
  requests: Pick<Requests, "get">,
): Promise<readonly string[]> {
  if (problem && isMissing) throw notListed(problem);
  if (problem?.code === "too_large") throw problem;
  const isOther = known.listed.size > 0 && known.listed.isDisjointFrom(found);
  if (isOther && problem) return [...known.listed];
  if (isOther && !(await isAnyThere(known, requests))) throw otherWorkspace(found.size);
  return [...new Set([...found.keys(), ...known.listed])];
}

/** Whether the list of a survey answers that was known before, those with responses first. @throws SurveyExportError if nobody knows */
async function isAnyThere({ listed, read }: KnownSurveys, requests: Pick<Requests, "get">): Promise<boolean> {
  const witnesses = [...new Set([...read, ...listed])].slice(0, WITNESSES);
  const replies = await Promise.all(witnesses.map((id) => requests.get(newestResponsePath(id), parsePage)));
  if (replies.some((reply) => "page" in reply)) return true;
  for (const reply of replies) if ("error" in reply && reply.error.kind !== "config") throw reply.error;
  return false;
}

/** With a key of another workspace, the tables of two would be mixed. */
function otherWorkspace(count: number): SurveyExportError {
  const facts = say`The service lists ${counted(count, say`survey`, say`surveys`)}, and none of those that were known before is listed or found. So nothing was read: the API key is probably another workspace's.`;
  const advice = say`Enter the key of the workspace that was read before. If its surveys were all deleted, or another workspace is meant, start anew: in Airbyte by "Refresh streams and retain records", which keeps the rows, else without the old state.`;
  return new SurveyExportError("config", "other_workspace", facts, { advice, scope: "run" });
}
