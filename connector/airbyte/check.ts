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
  type Pause,
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

/** Then the check answers with what it has: a user waits, and 30 seconds are promised. */
const LONGEST_CHECK_MS = 20_000;
/** At most this many of the configured ids are tried, which takes seconds; more only while none of them is found. */
const [FIRST_SURVEYS, FIRST_RESPONDENTS] = [20, 5];
/** At most this many of the surveys that the service lists are tried. */
const LISTED_SURVEYS = 5;
/** So many failures that could be every id's, such as a refused key, end the check if no id has answered. */
const ENOUGH_FAILURES = 5;

/**
 * Says whether the configuration works: asks for one item of each configured survey and respondent, or of the
 * first if there are many. If none is configured, it asks the service for its surveys, and then for a few of those. It
 * fails only if none of them answers: Airbyte starts no sync after a failed check, and one bad survey must not stop the
 * others. Once an id has answered, whatever happens to another is a warning, which names
 * it. If the time is over after the service has listed its surveys, the list is enough: it shows that the address and the
 * key are right. Everything that was not tried is said.
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
  const { personalData, secret } = configuration;
  const treatment = createRecordTreatment(personalData, machine.createHash(secret.hashSalt));
  writer.protect({ treatment: treatment.messages });
  const warnings = configurationWarnings(configuration, machine.clock.now());
  await writer.warn(warnings);
  const heard: Warning[] = [];
  // The result and the warnings say what became of each id. Lines of each attempt would say it again.
  const log: Log = (_, message, code) => void (code && heard.push({ code, message }));
  const host = { ...createHost(machine, configuration, writer), log };
  const client = createClient(host, { ...configuration.service, retryPolicy: RETRY_POLICIES.check });
  try {
    const { problem, remarks = [] } = await tryIds(client, configuration, signal);
    await writer.warn([...heard, ...remarks]);
    const all = [...warnings, ...heard, ...remarks];
    if (problem) await writer.result("FAILED", problem);
    else await writer.result("SUCCEEDED", joined(all.map(({ message }) => message)));
    return problem === undefined;
  } catch (thrown) {
    if (signal.aborted) return false;
    if (!(thrown instanceof SurveyExportError) || thrown.code === "defect") throw thrown;
    await writer.result("FAILED", withAdvice(thrown));
    return false;
  }
}

interface Candidate {
  readonly id: Probed;
  /** Whether it is tried in any case. */
  readonly isFirst: boolean;
  /** Undefined if it was not tried in time. */
  finding?: Awaited<ReturnType<typeof probe>>;
}

interface Result {
  readonly problem?: Message;
  readonly remarks?: readonly Warning[];
}

/** @throws SurveyExportError `defect`, or why the surveys are not listed; the signal's reason when that is aborted */
async function tryIds(client: Client, configuration: Configuration, signal: AbortSignal): Promise<Result> {
  let candidates: readonly Candidate[] | undefined;
  const over = new AbortController();
  const requests = AbortSignal.any([signal, over.signal]);
  let pause: Pause | undefined;
  const unsubscribe = client.onPause((latest) => {
    pause = latest;
  });
  const tryAll = async (): Promise<void> => {
    candidates = await candidatesOf(client, configuration.selection, requests);
    const all = candidates;
    const tryOne = async (candidate: Candidate, _: number, running: AbortSignal) => {
      if (!isEnough(all, candidate)) candidate.finding = await probe(client, candidate.id, running);
    };
    await inParallel([...all.filter(isFirst), ...all.filter((one) => !isFirst(one))], tryOne, requests);
  };
  const all = tryAll();
  try {
    await Promise.race([all, client.host.clock.sleep(LONGEST_CHECK_MS, requests)]);
  } finally {
    unsubscribe();
    over.abort();
    all.catch(() => {}); // ended by the abort
  }
  if (candidates === undefined) return { problem: silence(pause) };
  if (candidates.length === 0) {
    const message = configuration.selection.excludedSurveyIds.size > 0 ? ALL_EXCLUDED : NO_SURVEYS;
    return { remarks: [{ code: "nothing_to_read", message }] };
  }
  const { surveyIds, respondentUuids } = configuration.selection;
  const areListed = surveyIds.length + respondentUuids.length === 0;
  const tried = candidates.filter(isTried);
  const remarks = areListed ? [] : untried(candidates);
  if (isAnyFound(tried)) return { remarks: [...failures(tried, areListed), ...remarks] };
  if (areListed && tried.length < candidates.length)
    return { remarks: [...failures(tried, areListed), { code: "not_checked", message: ONLY_LISTED }] };
  if (tried.length === 0) return { problem: silence(pause) };
  return { problem: whyNone(tried, areListed, configuration.service.baseUrl), remarks };
}

/** @throws SurveyExportError if the service has to list its surveys, and does not; the signal's reason */
async function candidatesOf(client: Client, selection: Selection, signal: AbortSignal): Promise<Candidate[]> {
  const { surveyIds, isEverySurvey, excludedSurveyIds } = selection;
  let listed: readonly string[] = [];
  if (isEverySurvey) {
    // As far as a survey to try: a list without one says only at its end whether that is an error.
    for await (const { surveys } of listSurveys(client, signal)) {
      listed = surveys.map(({ id }) => id).filter((id) => !excludedSurveyIds.has(id));
      if (listed.length > 0) break;
    }
  }
  const ids = [...surveyIds, ...listed.slice(0, LISTED_SURVEYS)];
  return [
    ...ids.map((surveyId, at) => ({ id: { surveyId }, isFirst: at < FIRST_SURVEYS })),
    ...selection.respondentUuids.map((respondentUuid, at) => ({
      id: { respondentUuid },
      isFirst: at < FIRST_RESPONDENTS,
    })),
  ];
}

const isSurvey = ({ id }: Candidate): boolean => "surveyId" in id;
const isRespondent = (candidate: Candidate): boolean => !isSurvey(candidate);
const isFirst = (candidate: Candidate): boolean => candidate.isFirst;
const isTried = ({ finding }: Candidate): boolean => finding !== undefined;

const isAnyFound = (candidates: readonly Candidate[]): boolean =>
  candidates.some(({ finding }) => finding === "found");

const errorsIn = (candidates: readonly Candidate[]): SurveyExportError[] =>
  candidates.map(({ finding }) => finding).filter((finding) => finding instanceof SurveyExportError);

/** Whether `next` does not need to be tried any more. */
function isEnough(candidates: readonly Candidate[], next: Candidate): boolean {
  if (isAnyFound(candidates)) return !next.isFirst;
  const couldBeEveryIds = ({ scope, code }: SurveyExportError) => scope === "run" || code === "no_answer";
  return errorsIn(candidates).filter(couldBeEveryIds).length >= ENOUGH_FAILURES;
}

/** Why no id is found: an error that could be every id's, if there is one. */
function whyNone(tried: readonly Candidate[], areListed: boolean, baseUrl: string): Message {
  const errors = errorsIn(tried);
  const error = errors.find(({ scope }) => scope === "run") ?? errors[0];
  if (error) return withAdvice(error);
  const names = listed(tried.map(nameOf));
  if (areListed)
    return say`The service lists its surveys, and has no responses of those that were tried (${names}; status 404). Try again later. If it continues, ask the service.`;
  return say`The service answered, but found none of the ids that were tried (${names}). Correct survey_ids and respondent_uuids, and check that base_url (${given(baseUrl)}) is the service's address up to and including /v2.`;
}

const nameOf = ({ id }: Candidate): Part =>
  "surveyId" in id ? given(id.surveyId) : respondentId(id.respondentUuid);

const NAME_SURVEYS = say`Name the surveys to read in survey_ids, and report this to the service.`;

/** In place of the core's advice to run the sync again: a check has delivered nothing. */
const ADVICE: Partial<Record<ErrorCode, Message>> = {
  rate_limited: say`Try again later, or lower requests_per_minute of the other connections to the same workspace.`,
  unavailable: say`Try again later. If it continues, ask the service.`,
  unreadable_item: NAME_SURVEYS,
};

const withAdvice = ({ code, facts, advice }: SurveyExportError): Message =>
  joined([facts, ADVICE[code] ?? advice]);

/** Warnings of the ids that do not answer, while others do: one for each kind of failure. */
function failures(tried: readonly Candidate[], areListed: boolean): Warning[] {
  const missing = tried.filter(({ finding }) => finding === "not found");
  const surveys = missing.filter(isSurvey).map(nameOf);
  const respondents = missing.filter(isRespondent).map(nameOf);
  const errors = errorsIn(tried);
  const isFirstOfKind = ({ code }: SurveyExportError, at: number) =>
    errors.findIndex((error) => error.code === code) === at;
  const warnings = errors.filter(isFirstOfKind).map((error): Warning => {
    const alike = tried.filter(
      ({ finding }) => finding instanceof SurveyExportError && finding.code === error.code,
    );
    const message = say`These ids cannot be read now: ${listed(alike.map(nameOf))}. ${withAdvice(error)} A sync reads the others.`;
    return { code: "not_checked", message };
  });
  if (surveys.length > 0) {
    const message = areListed
      ? say`These surveys are listed, and their responses were not found: ${listed(surveys)}. A sync reads the others. If it continues, ask the service.`
      : say`These surveys were not found: ${listed(surveys)}. Remove them from survey_ids, or correct their ids. A sync reads the others.`;
    warnings.push({ code: "surveys_not_found", message });
  }
  if (respondents.length > 0) {
    const message = say`These respondents were not found: ${listed(respondents)}. They are skipped; remove them from respondent_uuids if they were deleted, or correct their ids.`;
    warnings.push({ code: "respondents_not_found", message });
  }
  return warnings;
}

function untried(candidates: readonly Candidate[]): Warning[] {
  const partOf = (what: Message, all: readonly Candidate[]): Message[] => {
    const tried = all.filter(isTried).length;
    return tried === all.length ? [] : [say`${tried} of the ${all.length} configured ${what}`];
  };
  const surveys = partOf(say`surveys`, candidates.filter(isSurvey));
  const parts = [...surveys, ...partOf(say`respondents`, candidates.filter(isRespondent))];
  if (parts.length === 0) return [];
  const message = say`Only ${joined(parts, " and ")} were checked, so that check answers in time. Look into the log of the first sync: it names those that it cannot read.`;
  return [{ code: "not_checked", message }];
}

const SECONDS = LONGEST_CHECK_MS / 1000;

const ONLY_LISTED = say`The service lists its surveys, and sent no responses of them within ${SECONDS} s, so only base_url and api_key were checked. Look into the log of the first sync: it names the surveys that it cannot read.`;

/** `pause`: the last one that the service asked for. */
function silence(pause: Pause | undefined): Message {
  if (pause === undefined)
    return say`The service sent no answer within ${SECONDS} s. Check that base_url is right and can be reached from here, and try again.`;
  const status = pause.reason === "rate_limited" ? 429 : 503;
  return say`The service answered with nothing but status ${status} for ${SECONDS} s, so nothing could be checked. Try again later. If its rate limit is reached, lower requests_per_minute of the other connections to the same workspace.`;
}
