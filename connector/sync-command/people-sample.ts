import {
  type Client,
  inParallel,
  sampledResponses,
  type Timestamp,
  timestampOfMs,
} from "@survey-export/core";
import type { Sample } from "./people-estimate.ts";
import type { PlannedSurvey } from "./survey-plan.ts";

/** So many requests are made. */
const MOST_PAGES = 5;
const LARGEST_PAGE = 100;

/**
 * Responses of the largest surveys, at most five pages of a hundred, and how many different people gave them. The pages are
 * of different times, from now back to when a survey was made: people who are asked several things in one week would look like
 * few people otherwise. A survey that does not answer is omitted.
 * @throws the signal's reason when that is aborted
 */
export async function samplePeople(
  client: Client,
  surveys: readonly PlannedSurvey[],
  signal: AbortSignal,
): Promise<Sample> {
  /** By response, since pages of one survey may overlap. */
  const respondents = new Map<string, string>();
  await inParallel(
    pagesToRead(surveys, Date.parse(client.present())),
    async ({ id, from }) => {
      for (const { uuid, respondent } of await sampledResponses(client, id, from, signal))
        respondents.set(uuid, respondent);
    },
    signal,
  );
  return { responses: respondents.size, people: new Set(respondents.values()).size };
}

/** A page to read: the newest responses up to `from`, or of all. */
export interface SampledPage {
  readonly id: string;
  readonly from: Timestamp | undefined;
}

/** The pages that are read, of the largest surveys in turn. A survey of one page is read whole, and only once. */
export function pagesToRead(surveys: readonly PlannedSurvey[], nowMs: number): SampledPage[] {
  const largest = surveys.filter(({ listed }) => listed?.responses).slice(0, MOST_PAGES);
  const pages: SampledPage[] = [];
  for (let number = 0; number < MOST_PAGES && largest.length > 0; number++) {
    const survey = largest[number % largest.length];
    if (survey === undefined) break;
    const isSmall = (survey.listed?.responses ?? 0) <= LARGEST_PAGE;
    if (isSmall && number >= largest.length) continue;
    pages.push({ id: survey.id, from: isSmall ? undefined : timeOf(survey, number / MOST_PAGES, nowMs) });
  }
  return pages;
}

/** The time at this share of a survey's life, counted back from now; undefined for now. */
function timeOf({ listed }: PlannedSurvey, share: number, nowMs: number): Timestamp | undefined {
  if (share === 0 || listed?.createdAt === undefined) return undefined;
  const createdMs = Date.parse(listed.createdAt);
  return timestampOfMs(nowMs - share * Math.max(0, nowMs - createdMs));
}
