import {
  type Client,
  createClient,
  createRecordTreatment,
  type ErrorCode,
  given,
  joined,
  listed,
  type Message,
  type Pause,
  probe,
  RETRY_POLICIES,
  respondentId,
  SurveyExportError,
  say,
} from "@survey-export/core";
import { type Configuration, configurationWarnings, requireConfiguration } from "./configuration.ts";
import { createHost, type Machine } from "./machine.ts";
import type { MessageWriter, Warning } from "./message-writer.ts";

/** Then the check answers with what it has: a user waits, and 30 seconds are promised. */
const LONGEST_CHECK_MS = 20_000;
/** At most this many of the configured ids are tried, which takes seconds. */
const TRIED_SURVEYS = 20;
const TRIED_RESPONDENTS = 5;

/**
 * Says whether the configuration works: asks for one item of each configured survey and respondent, or of the
 * first if there are many. It fails if no survey is found: Airbyte starts no sync after a failed check, and one deleted survey
 * must not stop the others. Every other survey or respondent that is not found causes a warning, which names it.
 * Everything that was not tried is said.
 *
 * Ends without an answer when `signal` is aborted.
 *
 * @throws SurveyExportError only for an error of ours; everything that the user can correct is an answer
 */
export async function check(
  writer: MessageWriter,
  value: unknown,
  machine: Machine,
  signal: AbortSignal,
): Promise<void> {
  let configuration: Configuration;
  try {
    configuration = requireConfiguration(value);
  } catch (thrown) {
    await writer.result(SurveyExportError.from(thrown).whole);
    return;
  }
  const { personalData, secret } = configuration;
  const treatment = createRecordTreatment(personalData, machine.createHash(secret.hashSalt));
  writer.protect({ treatment: treatment.messages });
  await writer.warn(configurationWarnings(value, configuration, machine.clock.now()));
  const client = createClient(createHost(machine, configuration, writer), {
    ...configuration.service,
    retryPolicy: RETRY_POLICIES.check,
  });
  try {
    const { problem, remarks } = await tryIds(client, configuration, signal);
    await writer.warn(remarks);
    await writer.result(problem);
  } catch (thrown) {
    if (signal.aborted) return;
    const error = SurveyExportError.from(thrown);
    if (error.code === "defect") throw error;
    await writer.result(joined([error.facts, ADVICE[error.code] ?? error.advice]));
  }
}

/** In place of the core's advice to run the sync again: a check has delivered nothing. */
const ADVICE: Partial<Record<ErrorCode, Message>> = {
  rate_limited: say`Try again later, or lower requests_per_minute of the other connections to the same workspace.`,
  unavailable: say`Try again later. If it continues, ask the service.`,
  not_sent: say`Try again in a minute.`,
};

/** What the check found: by id, whether it is there; an id that was not tried in time is missing. */
type Findings = Map<string, Awaited<ReturnType<typeof probe>>>;

interface Result {
  readonly problem: Message | undefined;
  readonly remarks: readonly Warning[];
}

/** @throws SurveyExportError the first failure of a request; the signal's reason when that is aborted */
async function tryIds(client: Client, configuration: Configuration, signal: AbortSignal): Promise<Result> {
  const { surveyIds, respondentUuids } = configuration.selection;
  const surveys: Findings = new Map();
  const respondents: Findings = new Map();
  const enough = new AbortController();
  const requests = AbortSignal.any([signal, enough.signal]);
  let pause: Pause | undefined;
  const unsubscribe = client.onPause((latest) => {
    pause = latest;
  });
  const all = Promise.all([
    ...surveyIds.slice(0, TRIED_SURVEYS).map(async (surveyId) => {
      surveys.set(surveyId, await probe(client, { surveyId }, requests));
    }),
    ...respondentUuids.slice(0, TRIED_RESPONDENTS).map(async (respondentUuid) => {
      respondents.set(respondentUuid, await probe(client, { respondentUuid }, requests));
    }),
  ]);
  try {
    const isOver = await Promise.race([
      all.then(() => true),
      client.host.clock.sleep(LONGEST_CHECK_MS, requests).then(() => false),
    ]);
    if (!isOver && surveys.size + respondents.size === 0) return { problem: silence(pause), remarks: [] };
    const missing = missingSurveys(surveys, configuration.service.baseUrl);
    const remarks = [
      ...missing.remarks,
      ...missingRespondents(respondents),
      ...untried(say`surveys`, surveys.size, surveyIds.length),
      ...untried(say`respondents`, respondents.size, respondentUuids.length),
    ];
    return { ...missing, remarks };
  } finally {
    unsubscribe();
    enough.abort();
    all.catch(() => {}); // ended by the abort
  }
}

const missingOf = (findings: Findings): string[] =>
  [...findings].flatMap(([id, found]) => (found === "not found" ? [id] : []));

function missingSurveys(surveys: Findings, baseUrl: string): Result {
  const missing = missingOf(surveys);
  if (missing.length === 0) return { problem: undefined, remarks: [] };
  const names = listed(missing.map(given));
  if (missing.length < surveys.size) {
    const message = say`These surveys were not found: ${names}. Remove them from survey_ids, or correct their ids. A sync reads the others.`;
    return { problem: undefined, remarks: [{ code: "surveys_not_found", message }] };
  }
  const problem = say`The service answered, but none of the surveys was found (${names}). Correct survey_ids, and check that base_url (${given(baseUrl)}) is the service's address up to and including /v2.`;
  return { problem, remarks: [] };
}

function missingRespondents(respondents: Findings): Warning[] {
  const missing = missingOf(respondents);
  if (missing.length === 0) return [];
  const message = say`These respondents were not found: ${listed(missing.map(respondentId))}. They are skipped; remove them from respondent_uuids if they were deleted, or correct their ids.`;
  return [{ code: "respondents_not_found", message }];
}

function untried(what: Message, checked: number, all: number): Warning[] {
  if (checked === all) return [];
  const message = say`Only ${checked} of the ${all} configured ${what} were checked, so that check answers in time. A sync names those that it cannot read.`;
  return [{ code: "not_all_checked", message }];
}

function silence(pause: Pause | undefined): Message {
  const seconds = LONGEST_CHECK_MS / 1000;
  if (pause === undefined)
    return say`The service sent no answer within ${seconds} s. Check that base_url is right and can be reached from here, and try again.`;
  const status = pause.reason === "rate_limited" ? 429 : 503;
  return say`The service answered with nothing but status ${status} for ${seconds} s, so nothing could be checked. Try again later. If its rate limit is reached, lower requests_per_minute of the other connections to the same workspace.`;
}
