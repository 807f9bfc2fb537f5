import { type Item, respondentOf } from "./item.ts";
import type { Moment } from "./moment.ts";
import type { RespondentStreamReading } from "./stream-reading.ts";
import type { SurveyPage, SurveyPart } from "./survey-reading.ts";

/**
 * Queues the respondents of a page's `items`, and makes what the page covers wait for them: a stretch is covered
 * when the last of its responders has been delivered (I6). Those at a part's last moment, which no claim covers
 * yet, are kept for the claim that will; those at a claim's lower edge for the next one too, since the two together
 * put the edge strictly inside.
 *
 * @returns whether the coverage grew at once, because nobody had to be waited for
 */
export function discoverRespondents(
  reading: RespondentStreamReading,
  part: SurveyPart,
  items: readonly Item[],
  claims: SurveyPage["claims"],
): boolean {
  const { queue, tails, delivery } = reading;
  const { survey } = part;
  const found = new Map<string, string>();
  for (const item of items) {
    const uuid = respondentOf(item);
    if (uuid !== undefined && !found.has(uuid)) found.set(uuid, String(item.response.collected_at));
  }
  const unread = queue.discover(found);
  let covered = false;
  for (const claim of claims) {
    const tail = tails.get(claim.part) ?? new Map<string, Moment>();
    tails.set(claim.part, tail);
    if (claim.part === part) {
      for (const item of items) {
        const uuid = respondentOf(item);
        if (uuid !== undefined && unread.has(uuid)) tail.set(uuid, item.moment);
      }
    }
    for (const span of claim.spans) {
      if (queue.await(tail.keys(), { surveyId: survey.id, span })) {
        delivery.coverSurvey(survey.id, span, survey.newestSeen);
        covered = true;
      }
      for (const [uuid, moment] of tail) if (span[0] === null || moment > span[0]) tail.delete(uuid);
    }
  }
  return covered;
}
