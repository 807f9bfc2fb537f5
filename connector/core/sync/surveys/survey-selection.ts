import type { ListedSurvey } from "../../lists/item.ts";
import { given, joined, listed, type Message, type Part, say } from "../../text/message.ts";

/** What the configuration says about the surveys to read. */
export interface SurveySelection {
  /** The surveys to read, listed or not. Empty: every survey that the service lists. */
  readonly surveyIds: readonly string[];
  /** Has an effect only if every survey is read. */
  readonly excludedSurveyIds: ReadonlySet<string>;
}

/** Surveys by their ids. Of each, only the name is needed here. */
export type NamedSurveys = ReadonlyMap<string, Pick<ListedSurvey, "name">>;

/** Whether every survey is read that the service lists: the configuration names none. */
export const isEverySurveyRead = ({ surveyIds }: Pick<SurveySelection, "surveyIds">): boolean =>
  surveyIds.length === 0;

/**
 * The ids of the surveys that a sync reads, each once: those that the configuration names. If it names none, `known` (those
 * that the service lists, and those of earlier syncs) without those that it excludes. The sync and its dry run ask this one
 * function, so that they cannot differ.
 */
export function selectedSurveys(known: Iterable<string>, selection: SurveySelection): readonly string[] {
  if (!isEverySurveyRead(selection)) return selection.surveyIds;
  return [...new Set(known).difference(selection.excludedSurveyIds)];
}

/**
 * The entries of `excluded_survey_ids` that exclude nothing: no survey of `found` or `known` has the id. Empty if the
 * setting has no effect in any case, since not every survey is read: another warning says that.
 */
export function idleExclusions(
  selection: SurveySelection,
  found: NamedSurveys,
  known: ReadonlySet<string> = new Set(),
): readonly string[] {
  if (!isEverySurveyRead(selection)) return [];
  return [...selection.excludedSurveyIds].filter((id) => !found.has(id) && !known.has(id));
}

/** The warning about entries that exclude nothing. `found`: the whole list of surveys, which may have the names. */
export function excludedNothing(entries: readonly string[], found: NamedSurveys): Message {
  const shown = entries.map((entry) => {
    const ids = idsOfName(entry, found);
    return ids.length === 0 ? say`${given(entry)}` : say`${given(entry)} (the name of ${surveysWith(ids)})`;
  });
  const one = entries.length === 1;
  const facts = one
    ? say`This entry of excluded_survey_ids excludes`
    : say`These entries of excluded_survey_ids exclude`;
  const id = one ? say`this id` : say`these ids`;
  return say`${facts} nothing, since the service lists no survey with ${id}: ${firstOf(shown)}. Write the whole id of each survey that is not to be read.`;
}

/** The ids of the surveys with this name, in whatever case. People write a name where an id is needed. */
export function idsOfName(name: string, found: NamedSurveys): readonly string[] {
  const wanted = plainName(name);
  if (wanted === "") return [];
  return [...found].flatMap(([id, survey]) => (plainName(survey.name ?? "") === wanted ? [id] : []));
}

/**
 * What people meant who wrote names of surveys in place of ids: a sentence for each entry that is one. Empty if none is.
 */
export function namesNotIds(entries: readonly string[], found: NamedSurveys): readonly Message[] {
  return entries.flatMap((entry) => {
    const ids = idsOfName(entry, found);
    return ids.length === 0 ? [] : [say`${given(entry)} is the name of ${surveysWith(ids)}.`];
  });
}

const MOST_SHOWN = 5;

const plainName = (name: string): string => name.trim().toLowerCase();

const surveysWith = (ids: readonly string[]): Message => {
  const parts = ids.map((id): Part => given(id));
  return ids.length === 1 ? say`survey ${listed(parts)}` : say`the surveys ${listed(parts, MOST_SHOWN)}`;
};

function firstOf(entries: readonly Message[]): Message {
  const shown = joined(entries.slice(0, MOST_SHOWN), ", ");
  const more = entries.length - MOST_SHOWN;
  return more > 0 ? say`${shown} and ${more} more` : shown;
}
