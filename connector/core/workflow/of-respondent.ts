import type { Client } from "../client/client.ts";
import { probe } from "../client/probe.ts";
import { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import { respondentId, say } from "../text/message.ts";
import { collectNewestFirst, type Wanted } from "./newest-first.ts";

/**
 * Records of one respondent, newest first. A sync takes a respondent that is not found for one without records, since
 * people disappear between syncs. Here somebody has typed the id and wants to know. So if nothing came, one more request
 * asks whether the respondent is known.
 *
 * @throws SurveyExportError `not_found` for a respondent who is not
 */
export async function collectOfRespondent<Kind extends StreamRecord, Output>(
  client: Client,
  stream: StreamDefinition,
  respondentUuid: string,
  wanted: Omit<Wanted, "surveyIds" | "respondentUuids">,
  limit: number | undefined,
  output: (record: Kind) => Output,
): Promise<Output[]> {
  const ofThem = { ...wanted, surveyIds: [], respondentUuids: [respondentUuid] };
  const found = await collectNewestFirst(client, stream, ofThem, limit, output);
  if (found.length > 0) return found;
  if ((await probe(client, { respondentUuid }, wanted.signal)) === "found") return found;
  throw new SurveyExportError(
    "config",
    "not_found",
    say`Respondent ${respondentId(respondentUuid)} was not found.`,
  );
}
