import type { SurveyExportError } from "../errors.ts";
import { newestResponsePath, respondentResponsesPath } from "../lists/endpoints.ts";
import { parsePage } from "../lists/page.ts";
import type { Client } from "./client.ts";

/** A list that is asked for by its id. */
export type Probed = { readonly surveyId: string } | { readonly respondentUuid: string };

/**
 * Requests one item of a survey or a respondent: the cheapest request that shows whether the address, the key and the
 * id are right, since the service has no endpoint for that.
 * @returns the error of everything except a page and a 404
 */
export async function probe(
  client: Client,
  of: Probed,
  signal?: AbortSignal,
): Promise<"found" | "not found" | SurveyExportError> {
  const window = { start: undefined, end: undefined, itemsPerPage: 1 };
  const path =
    "surveyId" in of ? newestResponsePath(of.surveyId) : respondentResponsesPath(of.respondentUuid, window);
  const reply = await client.get(path, parsePage, signal);
  if ("page" in reply) return "found";
  return reply.error.code === "not_found" ? "not found" : reply.error;
}
