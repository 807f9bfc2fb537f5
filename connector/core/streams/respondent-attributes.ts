import { respondentAttributesPath } from "../api/endpoints.ts";
import { isObject, readPage } from "../api/page.ts";
import { SurveyExportError } from "../errors.ts";
import type { RespondentAttribute } from "../generated/records.ts";
import type { Respondent, RespondentReading, RespondentStream } from "./stream.ts";

/** The attributes, as they are now, of the respondents found in the configured surveys. */
export const respondentAttributes: RespondentStream = {
  reads: "respondents",
  dependsOnStartDate: false,
  open: readAttributes,
};

/** Pages in a row that may bring nothing new before their links are taken for a circle. */
const BARREN_PAGES = 20;

function readAttributes(respondent: Respondent): RespondentReading {
  const { uuid, collectedAt, itemsPerPage } = respondent;
  const seen = new Set<number>();
  const followed = new Set<string>();
  let barrenPages = 0;
  /** Whether the last page was empty and said that there is more: what it should have brought is unknown. */
  let emptyPage = false;
  let path: string | undefined = respondentAttributesPath(uuid, itemsPerPage);
  return {
    get path() {
      return path;
    },
    parse(body) {
      const { items, next } = readPage(body);
      return () => {
        followed.add(path!);
        const records: RespondentAttribute[] = [];
        let problem: SurveyExportError | undefined;
        for (const item of items) {
          if (!isAttribute(item)) problem ??= unreadable(uuid);
          else if (!seen.has(item.id)) {
            seen.add(item.id);
            records.push({
              ...{ respondent_uuid: uuid, id: item.id, name: null, value: null },
              ...item,
              ...{ respondent_uuid: uuid, collected_at: collectedAt },
            });
          }
        }
        barrenPages = records.length > 0 ? 0 : barrenPages + 1;
        const circles = next !== undefined && (followed.has(next) || barrenPages > BARREN_PAGES);
        path = circles ? undefined : next;
        if (emptyPage && records.length > 0) problem ??= skipped(uuid);
        emptyPage = items.length === 0 && next !== undefined;
        if (circles && items.length > 0) problem ??= leadsBack(uuid);
        const warning = circles && items.length === 0 ? endsEmpty(uuid) : undefined;
        return { records, claims: [], newestSeen: undefined, problem, warning };
      };
    },
  };
}

/** Without a whole number as `id` an attribute has no key to be stored under. */
function isAttribute(item: unknown): item is { id: number } {
  return isObject(item) && Number.isSafeInteger(item.id);
}

function leadsBack(uuid: string): SurveyExportError {
  return new SurveyExportError(
    "system",
    "stuck",
    `The attributes of respondent "${uuid}" could not be read to the end: the link to the next page leads back. The next sync tries again; report this to the service.`,
  );
}

function skipped(uuid: string): SurveyExportError {
  return new SurveyExportError(
    "system",
    "broken_answer",
    `The attributes of respondent "${uuid}" held an empty page with more behind it. What it may have left out is read again by the next sync. Report this to the service.`,
  );
}

function unreadable(uuid: string): SurveyExportError {
  return new SurveyExportError(
    "system",
    "unreadable_item",
    `Respondent "${uuid}" has an attribute without a usable id. It was left out, and the next sync tries again. Report this to the service.`,
  );
}

function endsEmpty(uuid: string): string {
  return `The attributes of respondent "${uuid}" end with an empty page that says there is more, with a link to itself. It is taken for the end of the list.`;
}
