import type { Client } from "../client/client.ts";
import type { ListedSurvey } from "../lists/item.ts";
import { notListed, surveysOmitted } from "../lists/list-errors.ts";
import { ListedSurveys } from "../lists/listed-surveys.ts";
import { parsePage } from "../lists/page.ts";

/** A page of the service's list of surveys, newest created first. */
export interface ListedPage {
  readonly surveys: readonly ListedSurvey[];
  /** Where the list continues, for `from` of a later call; undefined at its end, and while that is in doubt. */
  readonly next: string | undefined;
}

/**
 * The surveys that the service lists, a hundred for each request, as far as the caller goes. `from`: where to begin.
 * Records without a usable id are a warning, as soon as the first one comes.
 * @throws SurveyExportError; `surveys_not_listed` if the service does not list its surveys; what the list contradicts, and
 * a list that hides most of itself, once all that it shows was given
 */
export async function* listSurveys(
  client: Client,
  signal?: AbortSignal,
  from?: string,
): AsyncGenerator<ListedPage, void> {
  const list = new ListedSurveys(from);
  for (let { path } = list; path !== undefined; { path } = list) {
    const { found, unreadable } = list;
    const known = found.size;
    const reply = await client.get(path, parsePage, signal);
    if ("error" in reply) {
      const isMissing = reply.error.code === "not_found" && list.pages === 0;
      throw isMissing ? notListed(reply.error) : reply.error;
    }
    list.accept(reply.page);
    if (unreadable === 0 && list.unreadable > 0)
      client.host.log("warn", surveysOmitted(list.unreadable), "items_omitted");
    const next = list.path === path ? undefined : list.path;
    yield { surveys: [...found.values()].slice(known), next };
  }
  if (list.problem) throw list.problem;
}
