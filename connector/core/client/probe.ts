import { SurveyExportError } from "../errors.ts";
import { newestResponsePath, respondentResponsesPath } from "../lists/endpoints.ts";
import { parsePage } from "../lists/page.ts";
import type { Patience } from "./attempts.ts";
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
  patience?: Patience,
): Promise<"found" | "not found" | SurveyExportError> {
  const window = { start: undefined, end: undefined, itemsPerPage: 1 };
  const path =
    "surveyId" in of ? newestResponsePath(of.surveyId) : respondentResponsesPath(of.respondentUuid, window);
  const reply = await client.get(path, parsePage, signal, patience);
  if ("page" in reply) return "found";
  return reply.error.code === "not_found" ? "not found" : reply.error;
}

/** Nobody has this id. The service documents the answer to that: 404. */
const NOBODY = { respondentUuid: "7e57c0de-0000-4000-8000-000000000000" };

/**
 * Whether the service distinguishes the key from another, found out without reading anybody's data. The service documents no
 * request that only says whether a key is valid. So this asks for a respondent who does not exist: with the key, which
 * must give "not found", and with a made-up key, which must be refused. Without the second request any web server would
 * pass, since all of them answer 404. A service that answers a wrong key with 404 never passes.
 *
 * It does not show that the key may see a particular survey.
 * @throws SurveyExportError if the request with the key fails
 */
export async function distinguishesKeys(client: Client, withMadeUpKey: Client): Promise<boolean> {
  const reply = await probe(client, NOBODY);
  if (reply instanceof SurveyExportError) throw reply;
  const other = await probe(withMadeUpKey, NOBODY, undefined, { attempts: 1 });
  if (!(other instanceof SurveyExportError)) return false;
  return other.code === "unauthorized" || other.code === "forbidden";
}
