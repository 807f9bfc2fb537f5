import {
  type Client,
  certain,
  createClient,
  createRecordTreatment,
  type ErrorCode,
  given,
  inParallel,
  isEverySurvey,
  joined,
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
import {
  type Configuration,
  configurationWarnings,
  requireConfiguration,
  type Selection,
} from "./configuration.ts";
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
 * it. Everything that was not tried is said.
 *
 * Ends without an answer when `signal` is aborted.
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
    if (!(thrown instanceof SurveyExportError) || thrown.code === "defect") throw thrown;
    await writer.result(withAdvice(thrown));
  }
}

type Finding = "found" | "not found" | SurveyExportError;
/** An id that was not tried in time is missing. */
type Findings = Map<Probed, Finding>;

interface Result {
  readonly problem: Message | undefined;
  readonly remarks: readonly Warning[];
}

/** What is tried. */
interface Tried {
  readonly surveys: readonly Probed[];
  readonly respondents: readonly Probed[];
  /** Whether the surveys are those that the service lists, since the configuration names none. */
  readonly areListed: boolean;
}

/** @throws SurveyExportError `defect`, or why the surveys are not listed; the signal's reason when that is aborted */
async function tryIds(client: Client, configuration: Configuration, signal: AbortSignal): Promise<Result> {
  let tried: Tried | undefined;
  const answers: Findings = new Map();
  const over = new AbortController();
  const requests = AbortSignal.any([signal, over.signal]);
  let pause: Pause | undefined;
  const unsubscribe = client.onPause((latest) => {
    pause = latest;
  });
  const tryAll = async (): Promise<void> => {
    tried = await idsToTry(client, configuration.selection, requests);
    const { surveys, respondents } = tried;
    const first = [...surveys.slice(0, FIRST_SURVEYS), ...respondents.slice(0, FIRST_RESPONDENTS)];
    const others = [...surveys.slice(FIRST_SURVEYS), ...respondents.slice(FIRST_RESPONDENTS)];
    const tryOne = async (id: Probed, at: number, running: AbortSignal) => {
      if (!isEnough(answers, at >= first.length)) answers.set(id, await probe(client, id, running));
    };
    await inParallel([...first, ...others], tryOne, requests);
  };
  const all = tryAll();
  try {
    await Promise.race([all, client.host.clock.sleep(LONGEST_CHECK_MS, requests)]);
  } finally {
    unsubscribe();
    over.abort();
    all.catch(() => {}); // ended by the abort
  }
  if (tried === undefined) return { problem: silence(pause), remarks: [] };
  const { surveys, respondents, areListed } = tried;
  if (surveys.length + respondents.length === 0)
    return { problem: undefined, remarks: [{ code: "no_surveys", message: NO_SURVEYS }] };
  const configured = [...surveys, ...respondents].filter((id) => answers.has(id));
  const findings: Findings = new Map(configured.map((id) => [id, certain(answers.get(id), "the answer")]));
  const remarks = [
    ...untried(say`surveys`, areListed ? [] : surveys, findings),
    ...untried(say`respondents`, respondents, findings),
  ];
  if (isAnyFound(findings))
    return { problem: undefined, remarks: [...failures(findings, areListed), ...remarks] };
  if (findings.size === 0) return { problem: silence(pause), remarks: [] };
  return { problem: whyNone(findings, areListed, configuration.service.baseUrl), remarks };
}

/** @throws SurveyExportError if the service has to list its surveys, and does not; the signal's reason */
async function idsToTry(client: Client, selection: Selection, signal: AbortSignal): Promise<Tried> {
  const { surveyIds, respondentUuids } = selection;
  const areListed = isEverySurvey(selection);
  let ids = surveyIds;
  if (areListed) {
    const { value: first } = await listSurveys(client, signal).next();
    ids = (first?.surveys ?? []).slice(0, LISTED_SURVEYS).map(({ id }) => id);
  }
  return {
    surveys: ids.map((surveyId) => ({ surveyId })),
    respondents: respondentUuids.map((respondentUuid) => ({ respondentUuid })),
    areListed,
  };
}

const isAnyFound = (findings: Findings): boolean => [...findings.values()].includes("found");

const errorsIn = (findings: Findings): SurveyExportError[] =>
  [...findings.values()].filter((finding) => typeof finding !== "string");

/** Whether no further id needs to be tried. `areFirstTried`: those that are tried in any case. */
function isEnough(findings: Findings, areFirstTried: boolean): boolean {
  if (isAnyFound(findings)) return areFirstTried;
  const couldBeEveryIds = ({ scope, code }: SurveyExportError) => scope === "run" || code === "no_answer";
  return errorsIn(findings).filter(couldBeEveryIds).length >= ENOUGH_FAILURES;
}

/** Why no id is found: an error that could be every id's, if there is one. */
function whyNone(findings: Findings, areListed: boolean, baseUrl: string): Message {
  const errors = errorsIn(findings);
  const error = errors.find(({ scope }) => scope === "run") ?? errors[0];
  if (error) return withAdvice(error);
  const names = listed([...findings.keys()].map(nameOf));
  if (areListed)
    return say`The service lists its surveys, and has no responses of those that were tried (${names}; status 404). Try again later. If it continues, ask the service.`;
  return say`The service answered, but found none of the ids that were tried (${names}). Correct survey_ids and respondent_uuids, and check that base_url (${given(baseUrl)}) is the service's address up to and including /v2.`;
}

const nameOf = (id: Probed): Part =>
  "surveyId" in id ? given(id.surveyId) : respondentId(id.respondentUuid);

/** In place of the core's advice to run the sync again: a check has delivered nothing. */
const ADVICE: Partial<Record<ErrorCode, Message>> = {
  rate_limited: say`Try again later, or lower requests_per_minute of the other connections to the same workspace.`,
  unavailable: say`Try again later. If it continues, ask the service.`,
  not_sent: say`Try again in a minute.`,
};

const withAdvice = ({ code, facts, advice }: SurveyExportError): Message =>
  joined([facts, ADVICE[code] ?? advice]);

/** Warnings of the ids that do not answer, while others do. */
function failures(findings: Findings, areListed: boolean): Warning[] {
  const missing = [...findings].flatMap(([id, finding]) => (finding === "not found" ? [id] : []));
  const surveys = missing.filter((id) => "surveyId" in id).map(nameOf);
  const respondents = missing.filter((id) => "respondentUuid" in id).map(nameOf);
  const warnings = [...findings].flatMap(([id, finding]): Warning[] => {
    if (typeof finding === "string") return [];
    const what = "surveyId" in id ? say`Survey` : say`Respondent`;
    const message = say`${what} ${nameOf(id)} cannot be read now. ${withAdvice(finding)} A sync reads the others.`;
    return [{ code: "not_readable", message }];
  });
  if (surveys.length > 0) {
    const message = areListed
      ? say`These surveys are listed, and their responses were not found: ${listed(surveys)}. A sync reads the others.`
      : say`These surveys were not found: ${listed(surveys)}. Remove them from survey_ids, or correct their ids. A sync reads the others.`;
    warnings.push({ code: "surveys_not_found", message });
  }
  if (respondents.length > 0) {
    const message = say`These respondents were not found: ${listed(respondents)}. They are skipped; remove them from respondent_uuids if they were deleted, or correct their ids.`;
    warnings.push({ code: "respondents_not_found", message });
  }
  return warnings;
}

function untried(what: Message, ids: readonly Probed[], findings: Findings): Warning[] {
  const tried = ids.filter((id) => findings.has(id)).length;
  if (tried === ids.length) return [];
  const message = say`Only ${tried} of the ${ids.length} configured ${what} were checked, so that check answers in time. A sync names those that it cannot read.`;
  return [{ code: "not_all_checked", message }];
}

/** `pause`: the last one that the service asked for. */
function silence(pause: Pause | undefined): Message {
  const seconds = LONGEST_CHECK_MS / 1000;
  if (pause === undefined)
    return say`The service sent no answer within ${seconds} s. Check that base_url is right and can be reached from here, and try again.`;
  const status = pause.reason === "rate_limited" ? 429 : 503;
  return say`The service answered with nothing but status ${status} for ${seconds} s, so nothing could be checked. Try again later. If its rate limit is reached, lower requests_per_minute of the other connections to the same workspace.`;
}
