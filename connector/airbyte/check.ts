import {
  type Client,
  createClient,
  createRecordTreatment,
  type ErrorCode,
  type Pause,
  probe,
  quoteList,
  RETRY_POLICIES,
  SurveyExportError,
} from "@survey-export/core";
import { type Configuration, parseConfiguration } from "./configuration.ts";
import { configurationWarnings } from "./configuration-warnings.ts";
import { parseJson } from "./json.ts";
import { createHost, type Machine } from "./machine.ts";
import { logLine, messageLine } from "./messages.ts";
import { type Output, withoutSecret } from "./output.ts";
import { sampleOf } from "./sample.ts";

/** Then the check answers with what it has: a user waits, and 30 seconds are promised. */
const LONGEST_CHECK_MS = 20_000;
/** So many of the configured ids are tried. At five requests at once that takes seconds. */
const TRIED_SURVEYS = 20;
const TRIED_RESPONDENTS = 5;

/**
 * Says whether the configuration works: asks for one item of each configured survey and respondent, or of a sample
 * where there are many. Surveys that are not found fail it, by name. Respondents that are not found only cause a
 * warning, since people get deleted. Everything that was not tried is said.
 *
 * Ends without an answer when `signal` is aborted.
 *
 * @throws SurveyExportError only for a fault of ours; everything that the user can mend is an answer
 */
export async function check(
  output: Output,
  given: string,
  machine: Machine,
  signal: AbortSignal,
): Promise<void> {
  let value: unknown;
  let configuration: Configuration;
  try {
    value = parseJson(given, "configuration (--config)");
    configuration = parseConfiguration(value);
  } catch (thrown) {
    await output.write(statusLine(SurveyExportError.from(thrown).message));
    return;
  }
  const safe = withoutSecret(output, configuration.secret.apiKey);
  for (const warning of configurationWarnings(value, configuration, machine.clock.now())) {
    await safe.write(logLine("WARN", warning));
  }
  const { personalData, secret, selection } = configuration;
  const treatment = createRecordTreatment(personalData, machine.createHash(secret));
  const discreet = withoutSecret(output, secret.apiKey, (sentence) =>
    treatment.message(sentence, [...selection.surveyIds, ...selection.attributes]),
  );
  const client = createClient(createHost(machine, configuration, discreet), {
    ...configuration.service,
    retryPolicy: RETRY_POLICIES.check,
  });
  try {
    const { problem, remarks } = await tryIds(client, configuration, signal);
    for (const remark of remarks) await discreet.write(logLine("WARN", remark));
    await discreet.write(statusLine(problem));
  } catch (thrown) {
    if (signal.aborted) return;
    const error = SurveyExportError.from(thrown);
    if (error.code === "defect") throw error;
    const advice = ADVICE[error.code];
    await discreet.write(statusLine(advice === undefined ? error.message : `${error.facts} ${advice}`));
  }
}

/** In place of the core's advice to run the sync again: a check has delivered nothing. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  rate_limited:
    "Try again later, or lower requests_per_minute of the other connections to the same workspace.",
  unavailable: "Try again later. If it goes on, ask the service.",
  not_sent: "Try again in a minute.",
};

/** FAILED with the problem, or SUCCEEDED without one. */
function statusLine(problem: string | undefined): string {
  return messageLine({
    type: "CONNECTION_STATUS",
    connectionStatus:
      problem === undefined ? { status: "SUCCEEDED" } : { status: "FAILED", message: problem },
  });
}

/** What the check found: by id, whether it is there; an id that the time did not suffice for is missing. */
type Findings = Map<string, Awaited<ReturnType<typeof probe>>>;

interface Result {
  readonly problem: string | undefined;
  readonly remarks: readonly string[];
}

/** @throws SurveyExportError the first failure of a request; the signal's reason when that is aborted */
async function tryIds(client: Client, configuration: Configuration, signal: AbortSignal): Promise<Result> {
  const { surveyIds, respondentUuids } = configuration.selection;
  const surveys: Findings = new Map();
  const respondents: Findings = new Map();
  const tried = {
    surveys: sampleOf(surveyIds, TRIED_SURVEYS),
    respondents: sampleOf(respondentUuids, TRIED_RESPONDENTS),
  };
  const enough = new AbortController();
  const requests = AbortSignal.any([signal, enough.signal]);
  let pause: Pause | undefined;
  const unsubscribe = client.onPause((latest) => {
    pause = latest;
  });
  const all = Promise.all([
    ...tried.surveys.map(async (surveyId) =>
      surveys.set(surveyId, await probe(client, { surveyId }, requests)),
    ),
    ...tried.respondents.map(async (respondentUuid) =>
      respondents.set(respondentUuid, await probe(client, { respondentUuid }, requests)),
    ),
  ]);
  try {
    const isOver = await Promise.race([
      all.then(() => true),
      client.host.clock.sleep(LONGEST_CHECK_MS, requests).then(() => false),
    ]);
    const found = surveys.size + respondents.size;
    if (!isOver && found === 0) return { problem: silence(pause), remarks: [] };
    return {
      problem: missingSurveys(surveys, surveyIds, configuration.service.baseUrl),
      remarks: [
        ...missingRespondents(respondents),
        ...untried("surveys", surveys.size, tried.surveys.length, surveyIds.length),
        ...untried("respondents", respondents.size, tried.respondents.length, respondentUuids.length),
      ],
    };
  } finally {
    unsubscribe();
    enough.abort();
    all.catch(() => {}); // ended by the abort
  }
}

const missingOf = (findings: Findings): string[] =>
  [...findings].flatMap(([id, found]) => (found === "not found" ? [id] : []));

function missingSurveys(surveys: Findings, all: readonly string[], baseUrl: string): string | undefined {
  const missing = missingOf(surveys);
  if (missing.length === 0) return undefined;
  const names = quoteList(missing);
  const those =
    surveys.size === all.length ? "configured surveys" : `${surveys.size} surveys that were checked`;
  return missing.length === surveys.size
    ? `The service answered, but none of the ${those} was found (${names}). Correct survey_ids, and check that base_url (${baseUrl}) is the service's address up to and including /v2.`
    : `These surveys were not found: ${names}. Remove them from survey_ids, or correct their ids.`;
}

function missingRespondents(respondents: Findings): string[] {
  const missing = missingOf(respondents);
  if (missing.length === 0) return [];
  return [
    `These respondents were not found: ${quoteList(missing)}. They are skipped; remove them from respondent_uuids if they were deleted, or correct their ids.`,
  ];
}

/** `asked`: those whose answer the check waited for. */
function untried(what: string, checked: number, asked: number, all: number): string[] {
  if (checked === all) return [];
  const why =
    checked < asked ? "because the service did not answer in time" : "so that check answers in time";
  return [
    `Only ${checked} of the ${all} configured ${what} were checked, ${why}. A sync names those that it cannot read.`,
  ];
}

function silence(pause: Pause | undefined): string {
  const seconds = LONGEST_CHECK_MS / 1000;
  if (pause?.reason === "rate_limited") {
    return `The service's rate limit was reached for ${seconds} s, so nothing could be checked. Other programs use the same workspace: try again later, or lower requests_per_minute of the other connections.`;
  }
  if (pause) {
    return `The service was unavailable for ${seconds} s (status 503). Try again later; if it goes on, ask the service.`;
  }
  return `The service sent no answer within ${seconds} s. Check that base_url is right and can be reached from here, and try again.`;
}
