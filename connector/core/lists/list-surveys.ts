import type { Client } from "../client/client.ts";
import { parsePage } from "../client/page.ts";
import { SurveyExportError } from "../errors.ts";
import { notListed } from "./list-errors.ts";
import { ListedSurveys } from "./listed-surveys.ts";

/**
 * The ids of the newest hundred surveys that the service lists, by one request.
 * @throws SurveyExportError; `surveys_not_listed` if the service does not list its surveys
 */
export async function firstSurveys(client: Client, signal?: AbortSignal): Promise<string[]> {
  const list = new ListedSurveys();
  try {
    list.accept(await client.get(list.path ?? "", parsePage, signal));
  } catch (thrown) {
    throw thrown instanceof SurveyExportError && thrown.code === "not_found" ? notListed(thrown) : thrown;
  }
  return [...list.found.keys()];
}
