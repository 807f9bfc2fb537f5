import {
  ALL_EXCLUDED,
  type Client,
  createClient,
  createRecordTreatment,
  type ErrorCode,
  given,
  inParallel,
  joined,
  type Log,
  listed,
  listSurveys,
  type Message,
  NO_SURVEYS,
  type Probed,
  probe,
  RETRY_POLICIES,
  respondentId,
  SurveyExportError,
  say,
} from "@survey-export/core";
import type { Part } from "@survey-export/core/message";
import { type Configuration, configurationWarnings, type Selection } from "./configuration.ts";
import { createHost, type Machine } from "./machine.ts";
import type { MessageWriter, Warning } from "./message-writer.ts";

/** Then the check answers with what it has: 30 seconds are promised. One request ends earlier by itself. */
const LONGEST_CHECK_MS = 27_000;
/** At most this many of the configured ids are tried, which takes seconds; more only if those are not found. */
const MOST_IDS = 25;

/**
 * Says whether the configuration works: reads the list of surveys if every survey is to be read, and asks for one item of
 * each configured survey and respondent, or of the first if there are many. It fails only if that list cannot be read, or
 * if it has no survey and none of the ids is found: Airbyte starts no sync after a failed check, and one bad survey must
 * not stop the others. What happens to another id is a warning, which names it, and so is what was not tried.
 *
 * SUCCEEDED has all warnings as its message, too. Airbyte's form shows none of them: its `TestingConnectionSuccess.tsx` says
 * "All connection tests passed!" and nothing else. But the platform passes a message on with either status
 * (`ConnectorMessageProcessor.kt`), up to its API (`CommandApiController.kt`, `SchedulerHandler.kt`).
 *
 * Ends without an answer when `signal` is aborted.
 * @returns whether the connection works
 * @throws SurveyExportError only for an error of ours; everything that the user can correct is an answer
 */
export async function check(
  writer: MessageWriter,
  configuration: Configuration,
  machine: Machine,
  signal: AbortSignal,
): Promise<boolean> {
  const { personalData, secret, service } = configuration;
  const treatment = createRecordTreatment(personalData, machine.createHash(secret.hashSalt));
  writer.protect({ treatment: treatment.messages });
  const warnings = configurationWarnings(configuration, machine.clock.now());
  await writer.warn(warnings);
  const heard: Warning[] = [];
  // The result and the warnings say what became of each id. Lines of each attempt would say it again.
  const log: Log = (_, message, code) => void (code && heard.push({ code, message }));
  const host = { ...createHost(machine, configuration, writer), log };
  const client = createClient(host, { ...service, retryPolicy: RETRY_POLICIES.check });
  try {
    heard.push(...(await tryIds(client, configuration, signal)));
    await writer.warn(heard);
    await writer.result("SUCCEEDED", joined([...warnings, ...heard].map(({ message }) => message)));
    return true;
  } catch (thrown) {
    if (signal.aborted) return false;
    if (!(thrown instanceof SurveyExportError) || thrown.code === "defect") throw thrown;
    await writer.result("FAILED", withAdvice(thrown));
    return false;
  }
}

/** An id that was tried, and what was found. */
type Finding = readonly [id: Probed, found: Awaited<ReturnType<typeof probe>>];

/**
 * @returns warnings
 * @throws SurveyExportError if nothing shows that the connection works; the signal's reason when that is aborted
 */
async function tryIds(
  client: Client,
  { selection, service }: Configuration,
  signal: AbortSignal,
): Promise<Warning[]> {
  const { isEverySurvey, surveyIds, respondentUuids } = selection;
  const ids: readonly Probed[] = [
    ...surveyIds.map((surveyId) => ({ surveyId })),
    ...respondentUuids.map((respondentUuid) => ({ respondentUuid })),
  ];
  const findings: Finding[] = [];
  const has = (what: string): boolean => findings.some(([, found]) => found === what);
  let isListed = false;

  const tryAll = async (running: AbortSignal): Promise<void> => {
    if (isEverySurvey) isListed = await listsAny(client, selection, running);
    const tryOne = async (id: Probed, at: number): Promise<void> => {
      const isWorth = at < MOST_IDS || (has("not found") && !has("found"));
      if (isWorth) findings[at] = [id, await probe(client, id, running)];
    };
    await inParallel(ids, tryOne, running);
  };
  await inTime(client, tryAll, signal);
  const tried = findings.filter(Boolean);
  if (isListed || has("found"))
    return [...remarksOn(tried), ...untried(ids.length - tried.length, ids.length)];
  if (tried.length > 0) throw whyNone(tried, service.baseUrl);
  const message = selection.excludedSurveyIds.size > 0 ? ALL_EXCLUDED : NO_SURVEYS;
  return [{ code: "nothing_to_read", message }];
}

/**
 * Whether the service lists a survey to read. A list without one says only at its end whether that is an error.
 * @throws SurveyExportError if the service does not list its surveys; the signal's reason
 */
async function listsAny(
  client: Client,
  { excludedSurveyIds }: Selection,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const { surveys } of listSurveys(client, signal))
    if (surveys.some(({ id }) => !excludedSurveyIds.has(id))) return true;
  return false;
}

/** Does `work` until it is done, or the time of a check is over. */
async function inTime(
  { host }: Client,
  work: (running: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const running = AbortSignal.any([signal, over.signal]);
  const all = work(running);
  try {
    await Promise.race([all, host.clock.sleep(LONGEST_CHECK_MS, running)]);
  } finally {
    over.abort();
    all.catch(() => {}); // ended by the abort
  }
}

/** Why no id is found: an error that could be every id's, if there is one. */
function whyNone(tried: readonly Finding[], baseUrl: string): SurveyExportError {
  const errors = tried.map(([, found]) => found).filter((found) => found instanceof SurveyExportError);
  const error = errors.find(({ scope }) => scope === "run") ?? errors[0];
  const facts = say`The service answered, but found none of the ids that were tried (${listed(tried.map(nameOf))}).`;
  const advice = say`Correct survey_ids and respondent_uuids, and check that base_url (${given(baseUrl)}) is the service's address up to and including /v2.`;
  return error ?? new SurveyExportError("config", "not_found", facts, { advice });
}

const nameOf = ([id]: Finding): Part =>
  "surveyId" in id ? given(id.surveyId) : respondentId(id.respondentUuid);

/** In place of the core's advice to run the sync again: a check has delivered nothing. */
const ADVICE: Partial<Record<ErrorCode, Message>> = {
  rate_limited: say`Try again later, or lower requests_per_minute of the other connections to the same workspace.`,
  unavailable: say`Try again later. If it continues, ask the service.`,
  unreadable_item: say`Name the surveys to read in survey_ids, and report this to the service.`,
};

const withAdvice = ({ code, facts, advice }: SurveyExportError): Message =>
  joined([facts, ADVICE[code] ?? advice]);

/** Warnings of the ids that do not answer, while others do. Of their errors, the first is named. */
function remarksOn(tried: readonly Finding[]): Warning[] {
  const missing = tried.filter(([, found]) => found === "not found");
  const surveys = missing.filter(([id]) => "surveyId" in id).map(nameOf);
  const respondents = missing.filter(([id]) => "respondentUuid" in id).map(nameOf);
  const failed = tried.filter(([, found]) => found instanceof SurveyExportError);
  const warnings: Warning[] = [];
  const [, error] = failed[0] ?? [];
  if (error instanceof SurveyExportError) {
    const message = say`These ids cannot be read now: ${listed(failed.map(nameOf))}. ${withAdvice(error)} A sync reads the others.`;
    warnings.push({ code: "not_checked", message });
  }
  if (surveys.length > 0) {
    const message = say`These surveys were not found: ${listed(surveys)}. A sync reads the others, and fails until you remove them from survey_ids or correct their ids.`;
    warnings.push({ code: "surveys_not_found", message });
  }
  if (respondents.length > 0) {
    const message = say`These respondents were not found: ${listed(respondents)}. A sync reads the others, and fails until you remove them from respondent_uuids or correct their ids.`;
    warnings.push({ code: "respondents_not_found", message });
  }
  return warnings;
}

function untried(count: number, all: number): Warning[] {
  const message = say`Only ${all - count} of the ${all} configured surveys and respondents were checked, so that check answers in time. Look into the log of the first sync: it names those that it cannot read.`;
  return count === 0 ? [] : [{ code: "not_checked", message }];
}
