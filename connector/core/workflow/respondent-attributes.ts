import type { Client } from "../client/client.ts";
import type { SurveyExportError } from "../errors.ts";
import type { RespondentAttribute } from "../generated/records.ts";
import { respondentAttributes as stream } from "../streams/respondent-attributes.ts";
import { collectNewestFirst } from "./newest-first.ts";

export type AttributesOf = (
  uuids: Iterable<string | null | undefined>,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, readonly RespondentAttribute[]>>;

/**
 * Reads all attributes of the given respondents, by respondent. A respondent that the service does not know
 * has none. Costs one request for each respondent, and for every further hundred attributes. A respondent
 * that was read before costs nothing, and is in the result, whoever is asked for. An attribute that cannot be read is left out and reported.
 */
export function respondentAttributes(
  client: Client,
  onUnreadable: (error: SurveyExportError) => void,
): AttributesOf {
  const byRespondent = new Map<string, RespondentAttribute[]>();
  return async (uuids, signal) => {
    const asked = new Map<string, RespondentAttribute[]>();
    for (const uuid of uuids) if (uuid != null && !byRespondent.has(uuid)) asked.set(uuid, []);
    if (asked.size === 0) return byRespondent;
    const wanted = { surveyIds: [], respondentUuids: [...asked.keys()], signal, onUnreadable };
    await collectNewestFirst<RespondentAttribute, void>(client, stream, wanted, undefined, (record) => {
      asked.get(record.respondent_uuid)?.push(record);
    });
    for (const [uuid, attributes] of asked) byRespondent.set(uuid, attributes);
    return byRespondent;
  };
}

/** The responses with all attributes of their respondents instead of those that were asked for by name. */
export async function withRespondentAttributes<Response extends { readonly respondent_uuid?: string | null }>(
  responses: readonly Response[],
  attributesOf: AttributesOf,
  signal: AbortSignal,
): Promise<Response[]> {
  const attributes = await attributesOf(
    responses.map(({ respondent_uuid }) => respondent_uuid),
    signal,
  );
  return responses.map((response) => ({
    ...response,
    respondent_attributes: (attributes.get(response.respondent_uuid ?? "") ?? []).map(
      ({ id, name, value }) => ({ id, name, value }),
    ),
  }));
}
