import type { Client, Parse } from "../client/client.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import { LARGEST_PAGE, surveyResponsesPath } from "../lists/endpoints.ts";
import { type ItemPage, isReadable, parseItemPage } from "../lists/item.ts";
import { keyOf } from "./respondents/respondent.ts";

/** A response, and who gave it: the key is the same for the same respondent. */
export interface SampledResponse {
  readonly uuid: string;
  readonly respondent: string;
}

/**
 * One page of a survey's responses, a hundred at most: the newest ones that are not newer than `from`, or of all. Responses that
 * name nobody are omitted. Empty if the survey does not answer: this is for estimates alone.
 * @throws the signal's reason when that is aborted
 */
export async function sampledResponses(
  client: Client,
  surveyId: string,
  from: Timestamp | undefined,
  signal?: AbortSignal,
): Promise<readonly SampledResponse[]> {
  const window = { start: from, end: undefined, itemsPerPage: LARGEST_PAGE };
  const parse: Parse<ItemPage> = (body, ...page) => parseItemPage(body, from, ...page);
  const reply = await client.get(surveyResponsesPath(surveyId, window, []), parse, signal);
  if ("error" in reply) return [];
  return reply.page.items
    .filter(isReadable)
    .map((item) => ({ uuid: item.uuid, respondent: keyOf(item) }))
    .filter(({ respondent }) => respondent !== "");
}
