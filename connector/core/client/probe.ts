import { SurveyExportError } from "../errors.ts";
import type { Client } from "./client.ts";
import { respondentResponsesPath, surveyResponsesPath } from "./endpoints.ts";
import { parsePage } from "./page.ts";

/**
 * Requests one item of a survey or a respondent: the cheapest request that shows whether the address, the key and the
 * id are right, since the service has no endpoint for that.
 *
 * @throws SurveyExportError for everything except a 404
 */
export async function probe(
  client: Client,
  of: { readonly surveyId: string } | { readonly respondentUuid: string },
  signal?: AbortSignal,
): Promise<"found" | "not found"> {
  const window = { start: undefined, end: undefined, itemsPerPage: 1 };
  const path =
    "surveyId" in of
      ? surveyResponsesPath(of.surveyId, window, [])
      : respondentResponsesPath(of.respondentUuid, window);
  try {
    await client.get(path, parsePage, signal);
    return "found";
  } catch (thrown) {
    if (thrown instanceof SurveyExportError && thrown.code === "not_found") return "not found";
    throw thrown;
  }
}
