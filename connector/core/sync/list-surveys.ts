import type { Client } from "../client/client.ts";
import type { ListedSurvey } from "../lists/item.ts";
import { notListed, surveysOmitted, withoutId } from "../lists/list-errors.ts";
import { ListedSurveys } from "../lists/listed-surveys.ts";
import { parsePage } from "../lists/page.ts";
import { say } from "../text/message.ts";

/** A page of the service's list of surveys, newest created first. */
export interface ListedPage {
  readonly surveys: readonly ListedSurvey[];
  /** Where the list continues, for `from` of a later call; undefined at its end. */
  readonly next: string | undefined;
}

/**
 * The surveys that the service lists, a hundred for each request, as far as the caller goes. `from`: where to begin.
 * @throws SurveyExportError; `surveys_not_listed` if the service does not list its surveys; what the list contradicts,
 * once all that it shows was given. Some records without a usable id are a warning; nothing else is `unreadable_item`
 */
export async function* listSurveys(
  client: Client,
  signal?: AbortSignal,
  from?: string,
): AsyncGenerator<ListedPage, void> {
  const list = new ListedSurveys(from);
  for (let { path } = list; path !== undefined; { path } = list) {
    const known = list.found.size;
    const answer = await client.get(path, parsePage, signal);
    if ("error" in answer) {
      const isMissing = answer.error.code === "not_found" && list.pages === 0;
      throw isMissing ? notListed(answer.error) : answer.error;
    }
    list.accept(answer.page);
    yield { surveys: [...list.found.values()].slice(known), next: list.path };
  }
  if (list.problem) throw list.problem;
  if (list.unreadable === 0) return;
  if (list.found.size === 0) throw withoutId(say`surveys`, say`a survey`);
  client.host.log("warn", surveysOmitted(list.unreadable), "surveys_omitted");
}
