import {
  counted,
  createClient,
  fixed,
  type ListedSurvey,
  listSurveys,
  type Message,
  SurveyExportError,
  say,
} from "@survey-export/core";
import { render } from "@survey-export/core/message";
import { namedStreams } from "../airbyte/catalog.ts";
import type { Configuration, Selection } from "../airbyte/configuration.ts";
import { parseConfiguration, readConfiguration } from "../airbyte/input.ts";
import { createHost } from "../airbyte/machine.ts";
import { MessageWriter } from "../airbyte/message-writer.ts";
import { machine } from "../node/machine.ts";
import { NOWHERE } from "../node/output.ts";
import { FAILED, type Sources, type SyncHost } from "./read-into.ts";

/**
 * Prints what there is to read and how many requests that takes, by what the list of surveys says. Nothing is written.
 * `hasTarget`: whether an earlier sync may have read a part.
 * @returns the exit code
 */
export async function dryRun(sources: Sources, hasTarget: boolean, host: SyncHost): Promise<number> {
  const writer = new MessageWriter(NOWHERE, Date, host.screen.print);
  try {
    const configuration = parseConfiguration(await readConfiguration(sources.config), host.env, writer);
    const streams = new Set<string>(namedStreams(sources.streams));
    const client = createClient(createHost(machine, configuration, writer), configuration.service);
    const surveys: ListedSurvey[] = [];
    for await (const page of listSurveys(client, host.stop.signal)) surveys.push(...page.surveys);
    const wanted = chosen(surveys, configuration.selection);
    const lines = plan(wanted, client.counts.requests, streams, configuration);
    if (hasTarget)
      lines.push(say`An earlier sync may have read a part of it: then a sync reads only the rest.`);
    await host.print(`${lines.map((line) => render(line)).join("\n")}\n`);
    return 0;
  } catch (thrown) {
    await writer.error(SurveyExportError.from(thrown));
    return FAILED;
  }
}

const chosen = (surveys: readonly ListedSurvey[], selection: Selection): readonly ListedSurvey[] =>
  surveys.filter(({ id }) =>
    selection.isEverySurvey ? !selection.excludedSurveyIds.has(id) : selection.surveyIds.includes(id),
  );

/** `listRequests`: those of the list of surveys. */
function plan(
  surveys: readonly ListedSurvey[],
  listRequests: number,
  streams: ReadonlySet<string>,
  { selection, service }: Configuration,
): Message[] {
  const uncounted = surveys.filter(({ responses }) => responses === undefined).length;
  const counts = surveys.map(({ responses = 0 }) => responses);
  const responses = counts.reduce((sum, count) => sum + count, 0);
  const pages = counts.reduce(
    (sum, count) => sum + Math.max(1, Math.ceil(count / selection.itemsPerPage)),
    0,
  );
  const forQuestions = streams.has("survey_questions") ? surveys.length : 0;
  const respondentLists = [
    streams.has("respondent_attributes"),
    streams.has("respondent_responses") && !selection.isEverySurvey,
  ].filter(Boolean).length;
  const requests = listRequests + pages + forQuestions;
  const limit = service.requestsPerMinute;
  const minutes = (count: number): Message => counted(Math.ceil(count / limit), say`minute`, say`minutes`);
  const isPartial = selection.startDate ?? selection.endDate;
  const lines = [
    say`There are ${counted(responses, say`response`, say`responses`)} in ${ofSurveys(surveys.length)}, as the service counts them.${uncounted > 0 ? say` It does not count those of ${ofSurveys(uncounted)}.` : say``}${isPartial ? say` Those outside of start_date and end_date are not read.` : say``}`,
    say`A first sync takes about ${ofRequests(requests)}: about ${minutes(requests)} at ${fixed(String(limit))} requests a minute.`,
  ];
  const more = respondentLists * responses;
  if (respondentLists > 0)
    lines.push(
      say`It also asks once for each respondent: ${ofRequests(more)} more at most, which take ${minutes(more)}. With --streams you can leave out respondent_attributes.`,
    );
  return lines;
}

const ofSurveys = (count: number): Message => counted(count, say`survey`, say`surveys`);
const ofRequests = (count: number): Message => counted(count, say`request`, say`requests`);
