import { counted, day, plural } from "./html.ts";

/** A row of a table or of a query, by its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** The surveys that have responses or are listed, the largest first, and what shows whether they are all there. */
export const SURVEYS = `SELECT coalesce(r.id, s.id) AS id, coalesce(s.name, r.name, r.id, s.id) AS name, coalesce(n, 0)
    AS n, newest, late, responses AS counted, s.collected_at AS listed, format('%,d', total(n) OVER ()) AS total,
    format('%,d', n) || iif(responses IS NULL, '', format(' of %,d', responses)) AS arrived, count(n) OVER () AS answered,
    max(s.collected_at) OVER () AS asked, max(newest) OVER () AS latest, coalesce((SELECT json_array_length(value)
      FROM _survey_export_state, json_each(state, '$.surveys') WHERE stream = 'survey_responses' AND key = s.id), 1)
    AS ranges FROM (SELECT coalesce(survey_id, '') AS id, survey_name AS name, count(*) AS n, max(collected_at) AS newest,
      total(collected_at > (SELECT collected_at FROM surveys WHERE id = survey_id)) AS late
    FROM survey_responses GROUP BY 1) AS r FULL JOIN surveys AS s ON s.id = r.id ORDER BY n DESC, name`;

const monday = (week: string): string => `date((${week}) * 604800 + 345600, 'unixepoch')`;
/** Of each survey and of all (null): the responses of 52 weeks as columns, up to the newest of any survey. */
export const WEEKS = `WITH weeks AS (SELECT coalesce(survey_id, '') AS id, count(*) AS n,
    (unixepoch(substr(collected_at, 1, 10)) - 345600) / 604800 AS week FROM survey_responses GROUP BY 1, 3),
  both AS (SELECT *, max(week) OVER () - 51 AS first FROM
    (SELECT * FROM weeks UNION ALL SELECT NULL, sum(n), week FROM weeks GROUP BY week)),
  columns AS (SELECT *, max(n) OVER (PARTITION BY id) AS most FROM both WHERE week >= first)
SELECT id, ${monday("first")} AS "from", format('at most %,d a week · ', most) || ${monday("first + 51")} AS "to",
  group_concat(format('<path d="M%d 100v-%.1fh8V100z"><title>%s: %d</title></path>', 10 * (week - first) + 1,
    100.0 * n / most, ${monday("week")}, n), '') AS shapes FROM columns GROUP BY id`;

/** Why the service counts as many responses of a survey as it does, next to those that arrived, and what to do. */
export function verdictOf({ asked, listed, ranges, ...survey }: Row, sync: Row | undefined): string {
  const [missing, late] = [Number(survey.counted) - Number(survey.n), Number(survey.late)];
  const [from, to] = [sync?.start_date, sync?.end_date].map((date) => date && day(date));
  if (asked === null) return "There is nothing to compare with. Sync the stream surveys, too.";
  if (listed === null) return "Not one of the surveys that are read now. What arrived stays.";
  if (String(listed) < String(asked)) return "Not listed any more: deleted or hidden. What arrived stays.";
  if (survey.counted === null) return "The service does not say how many there are.";
  if (missing === 0) return "Everything arrived.";
  if (missing < 0 && -missing <= late) return `${counted(-missing)} came after the list of surveys was read.`;
  if (missing < 0) return "Some were deleted at the service since, or its count is late. What arrived stays.";
  if (sync?.outcome !== "complete" || ranges !== 1) return "Not all was read yet. Sync again: it resumes.";
  if (from || to)
    return `The service counts all. Read were those from ${from ?? "the first"} to ${to ?? "now"}.`;
  const lookback = plural(Math.ceil(Number(sync.lookback_seconds) / 60), "minute");
  return `Some may appear late (${lookback} are read again), or were never finished. Sync again tomorrow.`;
}

/** When and how the last sync ended, and what to do. `before`: the earlier ones, latest first. */
export function outcomeOf([last, ...before]: readonly Row[]): string {
  const at = (time: unknown): string => `${String(time).slice(0, 16).replace("T", " ")} UTC`;
  if (last === undefined) return "No sync has begun yet.";
  if (last.ended_at === null)
    return `A sync since ${at(last.began_at)} is running, or was killed. ${outcomeOf(before)}`;
  const advice = last.outcome === "complete" ? "" : " Sync again: it resumes.";
  return `The last sync ended ${at(last.ended_at)}. It is ${last.outcome}.${advice}`;
}
