import type { Figures, SurveyCounts, SyncRow } from "./figures.ts";
import { type Html, html, NOTHING, ownWords } from "./html.ts";
import { counted, plural } from "./numbers.ts";
import type { Places } from "./places.ts";

/** A table that compares what is here with what the service counts, and says what to do. */
export function arrival({ arrived, ranges, syncs }: Figures, places: Places): Html {
  const askedAt =
    arrived
      .map(({ listed_at: at }) => at ?? "")
      .toSorted()
      .at(-1) ?? "";
  const isEmpty = ({ responses, counted_by_service: count }: SurveyCounts) => responses === 0 && !count;
  const rows = arrived
    .filter((survey) => !isEmpty(survey))
    .map((survey) => {
      const { survey_id: id, responses, counted_by_service: count } = survey;
      const verdict = verdictOf(survey, { askedAt, sync: syncs[0], ranges: ranges.get(id) ?? 1 });
      return html`<tr><th scope="row">${ownWords(places.nameOf(id))}</th><td>${counted(responses)}</td>
<td>${count === null ? "–" : counted(count)}</td><td>${verdict}</td></tr>`;
    });
  const empty = arrived.filter(isEmpty);
  return html`<section><h2>Did everything arrive?</h2>
<table class="arrival"><thead><tr><th scope="col">Survey</th><th scope="col">Responses here</th><th scope="col">The service counts</th>
<th scope="col">What that means</th></tr></thead><tbody>${rows}</tbody></table>
${empty.length === 0 ? NOTHING : withoutResponses(empty, places)}
<p class="note">To check the numbers: the view <code>responses_by_survey</code> of the file.</p></section>`;
}

function withoutResponses(surveys: readonly SurveyCounts[], { nameOf }: Places): Html {
  const names = surveys.map(({ survey_id: id }, at) => html`${at > 0 ? ", " : ""}${ownWords(nameOf(id))}`);
  return html`<p>${plural(surveys.length, "survey")} without a response: ${names}.</p>`;
}

interface Evidence {
  /** When the list of surveys was last read; empty if it never was. */
  readonly askedAt: string;
  readonly sync: SyncRow | undefined;
  readonly ranges: number;
}

/** Why the service counts as many responses of a survey as it does, next to those that arrived, and what to do. */
export function verdictOf(survey: SurveyCounts, { askedAt, sync, ranges }: Evidence): string {
  const { responses, counted_by_service: count, listed_at: listedAt, survey_id: id } = survey;
  if (askedAt === "") return "There is nothing to compare with: sync the stream surveys, too.";
  if (idsIn(sync?.excluded_survey_ids).includes(id))
    return "Excluded by the configuration. What arrived before stays.";
  if (listedAt === null || listedAt < askedAt) {
    const named = idsIn(sync?.survey_ids);
    if (named.length > 0 && !named.includes(id))
      return "The configuration does not name it any more. What arrived stays.";
    return listedAt === null
      ? "Not one of the surveys that are read now. What arrived stays."
      : "The service does not list it any more: it was deleted or hidden. What arrived stays.";
  }
  if (count === null) return "The service does not say how many there are.";
  const missing = count - responses;
  const isWhole = sync?.outcome === "complete" && ranges <= 1;
  if (missing === 0)
    return isWhole
      ? "Everything arrived."
      : "As many are here as the service counts, but not all was read yet. Sync again: it resumes.";
  if (missing < 0 && String(survey.last_response_at) > listedAt)
    return `${counted(-missing)} more are here than were counted. Some came after the list of surveys was read.`;
  if (missing < 0)
    return "More are here than the service counts: some were deleted there, or its count is late. What arrived stays.";
  if (!isWhole) return "Not all was read yet. Sync again: it resumes.";
  const { start_date: from, end_date: to } = sync;
  if (from || to)
    return `The service counts all. Read were those from ${from?.slice(0, 10) ?? "the first"} to ${to?.slice(0, 10) ?? "now"}.`;
  const lookback = plural(Math.ceil(Number(sync.lookback_seconds) / 60), "minute");
  return `Some may appear late (${lookback} are read again), or were never finished. Sync again tomorrow.`;
}

/** The ids in a list that a sync has noted as JSON. */
function idsIn(json: string | null | undefined): readonly string[] {
  const ids: unknown = json ? JSON.parse(json) : [];
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** When and how the last sync ended, and what to do. `before`: the earlier ones, latest first. */
export function outcomeOf([last, ...before]: readonly SyncRow[]): string {
  const at = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;
  if (last === undefined) return "No sync has begun yet.";
  if (last.ended_at === null)
    return `A sync since ${at(last.began_at)} is running, or was killed. ${outcomeOf(before)}`;
  const advice = last.outcome === "complete" ? "" : " Sync again: it resumes.";
  return `The last sync ended ${at(last.ended_at)}. It is ${last.outcome}.${advice}`;
}
