import { SurveyExportError } from "../errors.ts";
import { respondentResponsesPath, surveyResponsesPath } from "./endpoints.ts";
import { readPage } from "./page.ts";
import type { Service } from "./service.ts";

/**
 * Asks for one item of a survey or a respondent: the cheapest request that shows whether the address, the key
 * and the id are right, since the service has no endpoint for that.
 *
 * @throws SurveyExportError for everything but a 404
 */
export async function probe(
  service: Service,
  of: { readonly surveyId: string } | { readonly respondentUuid: string },
  signal?: AbortSignal,
): Promise<"found" | "missing"> {
  const window = { start: undefined, end: undefined, itemsPerPage: 1 };
  const path =
    "surveyId" in of
      ? surveyResponsesPath(of.surveyId, window, [])
      : respondentResponsesPath(of.respondentUuid, window);
  try {
    await service.get(path, readPage, signal);
    return "found";
  } catch (thrown) {
    if (thrown instanceof SurveyExportError && thrown.code === "not_found") return "missing";
    throw thrown;
  }
}
