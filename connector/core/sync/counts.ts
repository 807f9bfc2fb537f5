import { counted, fixed, joined, listed, type Message, say } from "../text/message.ts";
import type { RespondentReader } from "./respondents/respondent-reader.ts";
import type { CutOptions } from "./split.ts";
import type { Settings } from "./sync-options.ts";

/** Whether the list of surveys says how many responses this sync is to read: all of each survey, and for the first time. */
export function areCounted(
  surveyIds: readonly string[],
  { startDate, endDate }: Settings,
  listed: CutOptions["listed"],
): boolean {
  const isCounted = (id: string): boolean => {
    const { responses, createdAt = "" } = listed(id) ?? {};
    return responses !== undefined && (startDate === undefined || startDate <= createdAt);
  };
  return endDate === undefined && surveyIds.length > 0 && surveyIds.every(isCounted);
}

/**
 * What it will cost to ask for the respondents of about so many responses, of surveys that are read for the first time; undefined
 * if nobody is asked for.
 */
export function costOfAsking(
  asking: readonly Pick<RespondentReader, "stream">[],
  responses: number,
  requestsPerMinute: number,
): Message | undefined {
  if (asking.length === 0 || responses === 0) return undefined;
  const names = listed(asking.map(({ stream }) => fixed(stream.definition.name)));
  const most = responses * asking.length;
  const minutes = counted(Math.ceil(most / requestsPerMinute), say`minute`, say`minutes`);
  const facts = say`Each respondent is asked for (${names}). With about ${responses} responses these are up to ${most} requests, which take ${minutes} at ${requestsPerMinute} a minute. A respondent who answered several times is asked for once, so it may take less.`;
  const areAttributes = asking.some(({ stream }) => stream.definition.reads === "respondent attributes");
  const advice = say`Attributes that you name in the setting attributes come with the responses, without these requests.`;
  return areAttributes ? joined([facts, advice]) : facts;
}
