import {
  ALL_EXCLUDED,
  type Client,
  isEverySurveyRead,
  isOfNamedRespondents,
  type ListedSurvey,
  NO_SURVEYS,
  STREAMS,
  type StreamName,
  SurveyExportError,
  selectedSurveys,
} from "@survey-export/core";
import { exclusionsInVain } from "../airbyte/check.ts";
import type { Configuration, Selection } from "../airbyte/configuration.ts";
import { IdTrial } from "../airbyte/id-trial.ts";
import { inTime } from "../airbyte/in-time.ts";
import { ListReading } from "../airbyte/list-reading.ts";
import type { Warning } from "../airbyte/message-writer.ts";

/** A survey that a sync reads. */
export interface PlannedSurvey {
  readonly id: string;
  /** What the list of surveys says of it; undefined if it does not have it. */
  readonly listed: ListedSurvey | undefined;
}

/** Which surveys a sync reads; none if all its streams are of respondents whom the configuration names. */
export interface SurveyPlan {
  /** Largest first, and those of unknown size at the end. */
  readonly surveys: readonly PlannedSurvey[];
  /** How many surveys are listed and not read, since they are excluded. */
  readonly excluded: number;
  /** How many requests the list of surveys takes. */
  readonly listPages: number;
  /** Why the service does not list its surveys. */
  readonly unlisted: SurveyExportError | undefined;
  readonly warnings: readonly Warning[];
}

/** The streams that are read of the respondents whom the configuration names, and so of no survey. */
export const streamsOfNamed = (
  streams: readonly StreamName[],
  selection: Pick<Selection, "respondentUuids">,
): readonly StreamName[] => streams.filter((name) => isOfNamedRespondents(STREAMS[name], selection));

/**
 * Asks the service which surveys a sync of these streams would read: it lists them, as the sync does, and tries the ids that
 * the list does not have, and those of respondents. Surveys that only an earlier sync knows are not asked for.
 * @throws SurveyExportError if the service does not list its surveys and every survey is to be read, or if nothing is found;
 * the signal's reason when that is aborted
 */
export async function planSurveys(
  client: Client,
  { selection, service }: Configuration,
  streams: readonly StreamName[],
  signal: AbortSignal,
): Promise<SurveyPlan> {
  const list = new ListReading(client);
  const ofNamed = streamsOfNamed(streams, selection);
  const areSurveysRead = ofNamed.length < streams.length;
  const isEverySurvey = areSurveysRead && isEverySurveyRead(selection);
  const unlisted = areSurveysRead ? await readList(list, selection, signal) : undefined;
  const { found } = list;
  const selected = areSurveysRead ? selectedSurveys(found.keys(), selection) : [];
  const isGood = selected.some((id) => found.has(id));
  const surveyIds = selected.filter((id) => !found.has(id));
  const respondentUuids = ofNamed.length > 0 ? selection.respondentUuids : [];
  const trial = new IdTrial(client, { surveyIds, respondentUuids }, isGood);
  await inTime(client, (running) => trial.run(running), signal);
  if (!isGood && trial.hasTried && !trial.hasFound) throw trial.whyNone(found, service.baseUrl);

  const missing = new Set(trial.missingSurveys);
  const read = selected.filter((id) => !missing.has(id));
  const surveys = read.map((id): PlannedSurvey => ({ id, listed: found.get(id) })).sort(bySize);
  const excluded = isEverySurvey ? [...found.keys()].filter((id) => !read.includes(id)).length : 0;
  const warnings = [...trial.remarks(found), ...exclusionsInVain(list, selection)];
  if (isEverySurvey && surveys.length === 0)
    warnings.push({ code: "nothing_to_read", message: found.size === 0 ? NO_SURVEYS : ALL_EXCLUDED });
  return { surveys, excluded, listPages: list.pages, unlisted, warnings };
}

/**
 * Reads the list of surveys as far as a sync reads it: whole, or until it has each survey that is named.
 * @returns why the service does not list its surveys, if the sync reads named surveys all the same
 */
async function readList(
  list: ListReading,
  selection: Selection,
  signal: AbortSignal,
): Promise<SurveyExportError | undefined> {
  const isEverySurvey = isEverySurveyRead(selection);
  const hasNamed = (): boolean => !isEverySurvey && selection.surveyIds.every((id) => list.found.has(id));
  try {
    await list.readUntil(hasNamed, signal);
    return undefined;
  } catch (thrown) {
    const isRefused = thrown instanceof SurveyExportError && REFUSALS.has(thrown.code);
    if (isRefused && !isEverySurvey) return thrown;
    throw thrown;
  }
}

/** A service need not list its surveys, and a key may not be allowed to see the list. */
const REFUSALS: ReadonlySet<string> = new Set(["surveys_not_listed", "forbidden"]);

const sizeOf = ({ listed }: PlannedSurvey): number => listed?.responses ?? -1;
const bySize = (one: PlannedSurvey, other: PlannedSurvey): number => sizeOf(other) - sizeOf(one);
