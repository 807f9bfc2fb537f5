import {
  ALL_EXCLUDED,
  type Client,
  excludedNothing,
  idleExclusions,
  isEverySurveyRead,
  joined,
  type Log,
  NO_SURVEYS,
  RETRY_POLICIES,
  SurveyExportError,
  say,
} from "@survey-export/core";
import { beforeSync } from "./advice-before-sync.ts";
import { type Configuration, configurationWarnings, type Selection } from "./configuration.ts";
import { connect } from "./connect.ts";
import { IdTrial } from "./id-trial.ts";
import { inTime } from "./in-time.ts";
import { ListReading } from "./list-reading.ts";
import type { Machine } from "./machine.ts";
import type { MessageWriter, Warning } from "./message-writer.ts";

/**
 * Says whether the configuration works: reads the list of surveys if every survey is to be read, and asks for one item of
 * each configured survey and respondent, or of the first if there are many. It fails only if none of these is found: Airbyte
 * starts no sync after a failed check, and one bad survey must not stop the others. What happens to another id is a warning,
 * which names it, and so is what was not tried, and what `excluded_survey_ids` names in vain.
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
  const heard: Warning[] = [];
  // The result and the warnings say what became of each id. Lines of each attempt would say it again.
  const log: Log = (_, message, code) => void (code && heard.push({ code, message }));
  const retryPolicy = RETRY_POLICIES.check;
  const { client } = connect(configuration, machine, writer, { log, retryPolicy });
  const warnings = configurationWarnings(configuration, machine.clock.now());
  await writer.warn(warnings);
  try {
    heard.push(...(await tryAll(client, configuration, signal)));
    await writer.warn(heard);
    await writer.result("SUCCEEDED", joined([...warnings, ...heard].map(({ message }) => message)));
    return true;
  } catch (thrown) {
    if (signal.aborted) return false;
    if (!(thrown instanceof SurveyExportError) || thrown.code === "defect") throw thrown;
    await writer.result("FAILED", beforeSync(thrown).whole);
    return false;
  }
}

/**
 * @returns warnings
 * @throws SurveyExportError if nothing shows that the connection works; the signal's reason when that is aborted
 */
async function tryAll(
  client: Client,
  { selection, service }: Configuration,
  signal: AbortSignal,
): Promise<Warning[]> {
  const trial = new IdTrial(client, selection);
  const list = new ListReading(client);
  const isEverySurvey = isEverySurveyRead(selection);
  /** Why there is no list of surveys, if every survey is to be read. */
  let unlisted: SurveyExportError | undefined;
  const readList = async (running: AbortSignal): Promise<void> => {
    try {
      if (isEverySurvey) await readForSelection(list, selection, running);
    } catch (thrown) {
      running.throwIfAborted();
      unlisted = SurveyExportError.from(thrown);
    }
  };
  const work = async (running: AbortSignal): Promise<void> => {
    // At once: a list that stays silent leaves no time for the respondents.
    await Promise.all([readList(running), trial.run(running)]);
    // The list has their names, if somebody wrote a name for an id.
    if (trial.missingSurveys.length > 0) await readOn(list, () => false, running);
  };
  await inTime(client, work, signal);
  const isListed = isEverySurvey && hasWanted(list, selection);
  const remarks = [...trial.remarks(list.found), ...exclusionsInVain(list, selection)];
  if (isListed) return remarks;
  if (unlisted && !trial.hasFound) throw unlisted;
  if (unlisted) return [withoutList(unlisted), ...remarks];
  if (trial.hasTried && !trial.hasFound) throw trial.whyNone(list.found, service.baseUrl);
  if (!isEverySurvey) return remarks;
  const message = selection.excludedSurveyIds.size > 0 ? ALL_EXCLUDED : NO_SURVEYS;
  return [{ code: "nothing_to_read", message }, ...remarks];
}

/** A respondent was found, so the streams of respondents can be read. */
function withoutList(error: SurveyExportError): Warning {
  const message = say`${beforeSync(error).whole} Only the streams of the respondents can be read.`;
  return { code: "not_checked", message };
}

/**
 * Reads the list until it has a survey to read, and each one that is excluded.
 * @throws SurveyExportError if it fails before it has one to read. A list without one says only at its end whether that is an
 * error
 */
async function readForSelection(list: ListReading, selection: Selection, signal: AbortSignal): Promise<void> {
  await list.readUntil(() => hasWanted(list, selection), signal);
  const hasExcluded = (): boolean => [...selection.excludedSurveyIds].every((id) => list.found.has(id));
  await readOn(list, hasExcluded, signal);
}

/** Reads on for what is only worth a warning. If the list fails, there is no warning. */
async function readOn(list: ListReading, hasEnough: () => boolean, signal: AbortSignal): Promise<void> {
  await list.readUntil(hasEnough, signal).catch(() => signal.throwIfAborted());
}

const hasWanted = ({ found }: ListReading, { excludedSurveyIds }: Selection): boolean =>
  [...found.keys()].some((id) => !excludedSurveyIds.has(id));

/** What `excluded_survey_ids` names in vain, if the whole list of surveys was read. */
export function exclusionsInVain({ found, isWhole }: ListReading, selection: Selection): Warning[] {
  const idle = isWhole ? idleExclusions(selection, found) : [];
  return idle.length === 0 ? [] : [{ code: "nothing_excluded", message: excludedNothing(idle, found) }];
}
