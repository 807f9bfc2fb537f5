import { type Client, RETRY_POLICIES, type StreamName, SurveyExportError } from "@survey-export/core";
import { beforeSync } from "../airbyte/advice-before-sync.ts";
import { namedStreams } from "../airbyte/catalog.ts";
import { type Configuration, configurationWarnings } from "../airbyte/configuration.ts";
import { connect } from "../airbyte/connect.ts";
import { parseConfiguration, readConfiguration } from "../airbyte/input.ts";
import { MessageWriter } from "../airbyte/message-writer.ts";
import { requireReadable } from "../airbyte/unreadable-streams.ts";
import { machine } from "../node/machine.ts";
import { NOWHERE } from "../node/output.ts";
import { asksForRespondents, dryRunLines, type Plan } from "./dry-run-lines.ts";
import { samplePeople } from "./people-sample.ts";
import { FAILED, type Sources, type SyncHost } from "./read-into.ts";
import { planSurveys } from "./survey-plan.ts";

/**
 * Prints what a sync would read, and how long that takes: the surveys, the streams and the requests. Nothing is written. What
 * the sync would warn of, or refuse, is told as the sync tells it. It waits for the service no longer than `check` does.
 * `hasTarget`: whether an earlier sync may have read a part.
 * @returns the exit code: 0 done, 1 failed, or the one of a signal
 */
export async function dryRun(sources: Sources, hasTarget: boolean, host: SyncHost): Promise<number> {
  const { stop, screen, env, print } = host;
  const writer = new MessageWriter(NOWHERE, Date, screen.print);
  try {
    const configuration = parseConfiguration(await readConfiguration(sources.config), env, writer);
    const streams = namedStreams(sources.streams);
    const retryPolicy = RETRY_POLICIES.check;
    const { client, treatment } = connect(configuration, machine, writer, { retryPolicy });
    requireReadable(streams, treatment);
    await writer.warn(configurationWarnings(configuration, machine.clock.now()));
    const plan = await planOf(client, configuration, streams, stop.signal);
    await writer.warn(plan.surveys.warnings);
    const lines = dryRunLines({ ...plan, hasTarget }, configuration, (message) => writer.shown(message));
    await print(`${lines.join("\n")}\n`);
    return 0;
  } catch (thrown) {
    if (stop.exitCode !== undefined) {
      screen.print("sync: stopped before the end of the dry run. Nothing was written.");
      return stop.exitCode;
    }
    await writer.error(beforeSync(SurveyExportError.from(thrown)));
    return FAILED;
  }
}

/** Asks the service for what a sync would read. */
async function planOf(
  client: Client,
  configuration: Configuration,
  streams: readonly StreamName[],
  signal: AbortSignal,
): Promise<Omit<Plan, "hasTarget">> {
  const surveys = await planSurveys(client, configuration, streams, signal);
  const asks = asksForRespondents(streams, configuration.selection).length > 0;
  const sample = asks ? await samplePeople(client, surveys.surveys, signal) : undefined;
  return { surveys, streams, sample };
}
