import { day, plural } from "./html.ts";

/** A row of a table, by its columns. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * What is to be known of the difference between what arrived of a survey and what the service counts, and what to do.
 * `survey`: a row of `SURVEYS`. `sync`: the last row of `_survey_export_syncs`.
 */
export function verdictOf(survey: Row, sync: Row | undefined): string {
  const [missing, late] = [Number(survey.counted) - Number(survey.n), Number(survey.late)];
  if (survey.listed === null)
    return "Not in the service's list of the surveys that are read: it was deleted or hidden, or is not chosen any more. What arrived stays.";
  if (String(survey.listed) < String(survey.newest_list))
    return `Not listed any more since ${day(survey.listed)}: it was deleted or hidden at the service. What arrived stays.`;
  if (survey.counted === null) return "The service does not say how many there are.";
  if (missing === 0) return "Everything.";
  if (missing < 0 && late >= -missing)
    return `${plural(late, "response")} came after the service had counted.`;
  if (missing < 0)
    return `${plural(-missing, "response")} more than the service counts: deleted there since, or its count is late. What arrived stays.`;
  if (sync?.outcome !== "complete" || (survey.parts ?? 1) !== 1)
    return `${plural(missing, "response")} to come: the last sync did not read everything. Sync again. It resumes.`;
  const [from, to] = [sync.start_date, sync.end_date].map((date) => (date === null ? "" : day(date)));
  if (from || to)
    return `Only responses ${from && `from ${from} on`} ${to && `up to ${to}`} are read. The service counts all.`;
  const minutes = Math.ceil(Number(sync.lookback_seconds) / 60);
  return `${plural(missing, "response")} may still appear: each sync reads the last ${plural(minutes, "minute")} again, and the service may count unfinished ones. Sync again tomorrow. If the number stays, report it.`;
}
