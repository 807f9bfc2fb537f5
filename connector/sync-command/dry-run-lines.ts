import {
  counted,
  fixed,
  given,
  isEverySurveyRead,
  joined,
  listed,
  type Message,
  type StreamName,
  say,
} from "@survey-export/core";
import type { Configuration, Selection } from "../airbyte/configuration.ts";
import { aboutHowLong } from "../airbyte/duration.ts";
import { peopleAmong, type Sample } from "./people-estimate.ts";
import { type PlannedSurvey, type SurveyPlan, streamsOfNamed } from "./survey-plan.ts";

/** What a sync would read. */
export interface Plan {
  readonly surveys: SurveyPlan;
  readonly streams: readonly StreamName[];
  /** Some responses of the largest surveys; undefined if nobody is asked for. */
  readonly sample: Sample | undefined;
  /** Whether an earlier sync may have read a part of it. */
  readonly hasTarget: boolean;
}

/** Of more surveys, the largest are shown. */
const MOST_ROWS = 50;

/** The answer of a dry run: the surveys, the streams and the time. `shown`: a message as anybody may see it. */
export function dryRunLines(
  { surveys: plan, streams, sample, hasTarget }: Plan,
  { selection, service }: Configuration,
  shown: (message: Message) => string,
): string[] {
  const ofNamed = streamsOfNamed(streams, selection);
  const lines = [say`Streams: ${listed(streams.map(fixed), streams.length)}.`];
  if (ofNamed.length > 0) {
    const respondents = ofRespondents(selection.respondentUuids.length);
    lines.push(say`Of the ${respondents} in respondent_uuids alone: ${listed(ofNamed.map(fixed))}.`);
  }
  lines.push(...timeLines(costOf(plan, streams, selection), sample, service.requestsPerMinute));
  if (hasTarget)
    lines.push(say`An earlier sync may have read a part of it: then a sync reads only the rest.`);
  const isAnySurveyRead = ofNamed.length < streams.length;
  const counts = isAnySurveyRead ? countsOf(plan, selection, streams) : say`A sync would read no survey.`;
  return [shown(counts), ...tableOf(plan.surveys, shown), ...lines.map(shown)];
}

const ofSurveys = (count: number): Message => counted(count, say`survey`, say`surveys`);
const ofRequests = (count: number): Message => counted(count, say`request`, say`requests`);
const ofResponses = (count: number): Message => counted(count, say`response`, say`responses`);
const ofRespondents = (count: number): Message => counted(count, say`respondent`, say`respondents`);

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
const responsesOf = (surveys: readonly PlannedSurvey[]): number =>
  sum(surveys.map(({ listed: survey }) => survey?.responses ?? 0));
const isCounted = ({ listed: survey }: PlannedSurvey): boolean => survey?.responses !== undefined;

function countsOf(
  { surveys, excluded, unlisted }: SurveyPlan,
  { startDate, endDate }: Selection,
  streams: readonly StreamName[],
): Message {
  if (unlisted) {
    const facts = say`A sync would read ${ofSurveys(surveys.length)}. The service does not list its surveys (status ${unlisted.status ?? 404}), so their names and counts are not known.`;
    const needsList = streams.includes("surveys")
      ? say`The stream surveys cannot be read without that list: leave it out of --streams.`
      : say``;
    return joined([facts, needsList]);
  }
  const uncounted = surveys.filter((survey) => !isCounted(survey)).length;
  return joined([
    say`A sync would read ${ofSurveys(surveys.length)} with ${ofResponses(responsesOf(surveys))}, as the service counts them.`,
    uncounted > 0 ? say`It does not count those of ${ofSurveys(uncounted)}.` : say``,
    (startDate ?? endDate) ? say`Those outside of start_date and end_date are not read.` : say``,
    excluded > 0 ? say`Excluded: ${ofSurveys(excluded)}.` : say``,
  ]);
}

/** A row for each survey: its id, its responses and its name. */
function tableOf(surveys: readonly PlannedSurvey[], shown: (message: Message) => string): string[] {
  const rows = surveys.slice(0, MOST_ROWS).map(({ id, listed: survey }) => ({
    id: shown(say`${given(id)}`),
    responses: survey?.responses === undefined ? "?" : shown(say`${survey.responses}`),
    name:
      survey === undefined ? "(not listed)" : survey.name === null ? "" : shown(say`${given(survey.name)}`),
  }));
  const idWidth = Math.max(0, ...rows.map(({ id }) => id.length));
  const countWidth = Math.max(0, ...rows.map(({ responses }) => responses.length));
  const lines = rows.map(({ id, responses, name }) =>
    `  ${id.padEnd(idWidth)}  ${responses.padStart(countWidth)}  ${name}`.trimEnd(),
  );
  const others = surveys.slice(MOST_ROWS);
  if (others.length > 0)
    lines.push(shown(say`  and ${others.length} more with ${ofResponses(responsesOf(others))}`));
  return lines;
}

/** The requests of a first sync. */
interface Cost {
  /** Without those of respondents. */
  readonly requests: number;
  readonly responses: number;
  /** The streams for which each respondent is asked for who gave a response. */
  readonly asking: readonly StreamName[];
  /** Requests for respondents whom the configuration names. */
  readonly ofNamed: number;
}

function costOf(
  { surveys, listPages }: SurveyPlan,
  streams: readonly StreamName[],
  selection: Selection,
): Cost {
  const { itemsPerPage, respondentUuids } = selection;
  const pagesOf = ({ listed: survey }: PlannedSurvey): number =>
    Math.max(1, Math.ceil((survey?.responses ?? 0) / itemsPerPage));
  const questions = streams.includes("survey_questions") ? surveys.length : 0;
  return {
    requests: listPages + sum(surveys.map(pagesOf)) + questions,
    responses: responsesOf(surveys),
    asking: asksForRespondents(streams, selection),
    ofNamed: streamsOfNamed(streams, selection).length * respondentUuids.length,
  };
}

/** The streams for which each respondent is asked for who gave a response. */
export function asksForRespondents(
  streams: readonly StreamName[],
  selection: Selection,
): readonly StreamName[] {
  if (selection.respondentUuids.length > 0) return [];
  const needsLists: readonly StreamName[] = isEverySurveyRead(selection)
    ? ["respondent_attributes"]
    : ["respondent_attributes", "respondent_responses"];
  return streams.filter((name) => needsLists.includes(name));
}

/** How long a first sync takes, and what that rests on. */
function timeLines(cost: Cost, sample: Sample | undefined, requestsPerMinute: number): Message[] {
  const { requests, responses, asking, ofNamed } = cost;
  const listsOfEach = asking.length;
  const own = requests + ofNamed;
  const rate = say`at ${fixed(String(requestsPerMinute))} requests a minute`;
  const timeOf = (count: number): Message => aboutHowLong((count / requestsPerMinute) * 60_000);
  if (sample === undefined || responses === 0)
    return [say`A first sync takes about ${ofRequests(own)}: ${timeOf(own)} ${rate}.`];

  const most = own + listsOfEach * responses;
  const people = peopleAmong(responses, sample);
  const shown = say`${ofResponses(sample.responses)} of different times are of ${ofRespondents(sample.people)}`;
  if (people === undefined)
    return [
      say`A first sync takes at most ${ofRequests(most)}: ${timeOf(most)} ${rate}.`,
      joined([
        whatIsAsked(listsOfEach),
        say`How many there are is not known: ${shown}.`,
        withoutThem(asking),
      ]),
    ];
  const likely = own + listsOfEach * people;
  const isCounted = sample.responses >= responses;
  const basis = isCounted
    ? say`The responses are of ${ofRespondents(people)}.`
    : say`There may be about ${people}, since ${shown}. If each response were another respondent's, it would take ${ofRequests(most)} and ${timeOf(most)}.`;
  return [
    say`A first sync takes about ${ofRequests(likely)}: ${timeOf(likely)} ${rate}.`,
    joined([whatIsAsked(listsOfEach), basis, withoutThem(asking)]),
  ];
}

const whatIsAsked = (listsOfEach: number): Message =>
  listsOfEach === 1
    ? say`They include a request for each respondent.`
    : say`They include ${listsOfEach} requests for each respondent.`;

const withoutThem = (asking: readonly StreamName[]): Message =>
  say`To do without them, leave ${joined(
    asking.map((name) => say`${fixed(name)}`),
    " and ",
  )} out of --streams.`;
