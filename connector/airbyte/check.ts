import { connect, type Host, type Patience, probe, SurveyExportError } from "@survey-export/core";
import { type Configuration, parseConfiguration } from "./configuration.ts";
import { parseJson } from "./json.ts";
import { logLine, messageLine } from "./messages.ts";
import { type Output, withoutSecret } from "./output.ts";

/** Somebody is waiting for the verdict. */
const PATIENCE: Patience = { rateLimitedMs: 70_000, unavailableMs: 10_000, attempts: 3, brokenAnswers: 2 };

/** Makes the host for a checked configuration: its transport carries the key. */
export type MakeHost = (configuration: Configuration, output: Output) => Host;

/**
 * Says whether the configuration works: asks for one item of every configured survey and respondent. Surveys that
 * are not there fail it, by name; respondents that are not there are only warned about, since people get deleted.
 *
 * @throws only for a fault of ours; everything that the user can mend is a verdict
 */
export async function check(output: Output, given: string, makeHost: MakeHost): Promise<void> {
  let configuration: Configuration;
  try {
    configuration = parseConfiguration(parseJson(given, "configuration (--config)"));
  } catch (thrown) {
    await output.write(verdictLine(SurveyExportError.from(thrown).message));
    return;
  }
  const safe = withoutSecret(output, configuration.apiKey);
  const { surveyIds, respondentUuids, baseUrl } = configuration;
  const service = connect(makeHost(configuration, safe), { ...configuration, patience: PATIENCE });
  const enough = new AbortController();
  const missingAmong = async (ids: readonly string[], ask: (id: string) => ReturnType<typeof probe>) => {
    const found = await Promise.all(ids.map(ask));
    return ids.filter((_, at) => found[at] === "missing");
  };
  try {
    const [surveys, respondents] = await Promise.all([
      missingAmong(surveyIds, (surveyId) => probe(service, { surveyId }, enough.signal)),
      missingAmong(respondentUuids, (respondentUuid) => probe(service, { respondentUuid }, enough.signal)),
    ]);
    if (respondents.length > 0) await safe.write(logLine("WARN", deletedRespondents(respondents)));
    await safe.write(verdictLine(missingSurveys(surveys, surveyIds, baseUrl)));
  } catch (thrown) {
    enough.abort();
    const error = SurveyExportError.from(thrown);
    if (error.code === "defect") throw error;
    await safe.write(verdictLine(error.message));
  }
}

/** FAILED with what is wrong, or SUCCEEDED where nothing is. */
function verdictLine(wrong: string | undefined): string {
  return messageLine({
    type: "CONNECTION_STATUS",
    connectionStatus: wrong === undefined ? { status: "SUCCEEDED" } : { status: "FAILED", message: wrong },
  });
}

function missingSurveys(
  missing: readonly string[],
  all: readonly string[],
  baseUrl: string,
): string | undefined {
  if (missing.length === 0) return undefined;
  const names = missing.map((id) => `"${id}"`).join(", ");
  return missing.length === all.length
    ? `The service answered, but none of the configured surveys is there (${names}, status 404). Correct survey_ids, and check that base_url (${baseUrl}) is the service's address up to and including /v2.`
    : `These surveys are not there: ${names} (status 404). Remove them from survey_ids, or correct their ids.`;
}

function deletedRespondents(missing: readonly string[]): string {
  return `These respondents are not there (status 404): ${missing.join(", ")}. They are skipped; remove them from respondent_uuids if they were deleted, or correct their ids.`;
}
