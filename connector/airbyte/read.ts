import {
  type Client,
  createClient,
  createRecordTreatment,
  type InitialState,
  KEEP_ALL,
  parseStreamState,
  quote,
  type RecordTreatment,
  readStreams,
  STREAMS,
  type StreamDefinition,
  type StreamName,
  SurveyExportError,
  type SyncEvent,
} from "@survey-export/core";
import { isStreamName, parseConfiguredCatalog, type SelectedStream } from "./catalog.ts";
import { parseConfiguration, type Selection } from "./configuration.ts";
import { configurationWarnings } from "./configuration-warnings.ts";
import { createHost, type Machine } from "./machine.ts";
import { errorLine, logLine, statusLine } from "./messages.ts";
import { type Output, withoutSecret } from "./output.ts";
import { harmless, type Progress } from "./progress.ts";
import { RecordLines } from "./record-lines.ts";
import { parseStates } from "./state.ts";
import { createStreamOutput, type StreamOutput } from "./stream-output.ts";
import { unmatchedStates } from "./unmatched-states.ts";

/** The content of the files that the command line names. */
export interface ReadInput {
  readonly configuration: unknown;
  readonly catalog: unknown;
  /** The text of the `--state` file; undefined without one. */
  readonly state: string | undefined;
}

/**
 * Reads the selected streams. The order of lines is the platform's: STARTED, RUNNING, records, each state behind
 * the records it covers, a last state, COMPLETE or INCOMPLETE; for every stream, empty ones too.
 *
 * When `signal` is aborted, the read ends early, with a state for everything that was read.
 *
 * @returns whether every stream is complete. After exit code 0 the platform takes every stream for complete, so a
 * false must become another exit code
 * @throws SurveyExportError when nothing can be read at all: configuration, catalog or state
 */
export async function read(
  output: Output,
  input: ReadInput,
  machine: Machine,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const configuration = parseConfiguration(input.configuration);
  const selected = parseConfiguredCatalog(input.catalog);
  const { selection, service, personalData, secret } = configuration;
  const safe = withoutSecret(output, secret.apiKey);
  for (const warning of configurationWarnings(input.configuration, configuration, machine.clock.now())) {
    await safe.write(logLine("WARN", warning));
  }
  const treatment = createRecordTreatment(personalData, machine.createHash(secret));
  const streamNames = [...Object.keys(STREAMS), ...selected.map(({ name }) => name)];
  const names = [...selection.surveyIds, ...selection.attributes, ...streamNames];
  const treat = (sentence: string): string => treatment.message(sentence, names);
  const discreet = withoutSecret(output, secret.apiKey, treat);
  try {
    // A state may name respondents, and so may what is wrong with it.
    const { states, warnings } = parseStates(input.state);
    for (const warning of [...warnings, ...unmatchedStates(states, selected)]) {
      await discreet.write(logLine("WARN", warning));
    }
    const client = createClient(createHost(machine, configuration, discreet), service);
    return await readFrom(client, { selection, selected, states, treatment }, discreet, progress, signal);
  } catch (thrown) {
    if (treatment === KEEP_ALL) throw thrown;
    const { kind, code, facts, advice } = SurveyExportError.from(thrown);
    // Without its cause, which may quote a state that names respondents.
    throw new SurveyExportError(kind, code, treat(facts), { advice });
  }
}

/** A read whose every part has been checked. */
export interface ReadPlan {
  readonly selection: Selection;
  readonly selected: readonly SelectedStream[];
  /** The states of the `--state` file by stream, not yet parsed. */
  readonly states: ReadonlyMap<string, unknown>;
  readonly treatment: RecordTreatment;
}

/**
 * The same with a client that exists already, with other limits for example.
 *
 * @throws SurveyExportError when a state cannot be read
 */
export async function readFrom(
  client: Client,
  plan: ReadPlan,
  output: Output,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const { selection, selected, states, treatment } = plan;
  const shown = harmless(progress);
  const { clock } = client.host;
  const streams = new Map<StreamDefinition & { readonly name: StreamName }, InitialState | undefined>();
  const outputs = new Map<StreamName, StreamOutput>();
  const recordLines = new RecordLines();
  let complete = true;
  for (const { name, syncMode } of selected) {
    const refusal = isStreamName(name) ? keyLeftOut(STREAMS[name], treatment) : unknownStream(name);
    if (!isStreamName(name) || refusal) {
      complete = false;
      const now = clock.now();
      const error = refused(selected.length > 1 ? `${refusal} ${OTHERS}` : refusal!);
      await output.write(errorLine(error, now, name) + statusLine(name, "INCOMPLETE", now));
      continue;
    }
    const stored = states.get(name) ?? states.get("*");
    const isUnfinished = (stored as { full_refresh?: unknown } | null | undefined)?.full_refresh === true;
    const state = parseStreamState(stored, name);
    streams.set(STREAMS[name], syncMode === "incremental" || isUnfinished ? state : undefined);
    outputs.set(name, createStreamOutput(name, syncMode, clock));
  }
  if (selected.length === 0) await output.write(logLine("WARN", NO_STREAMS));
  if (outputs.size === 0) return complete;

  shown.begin({ streams: [...outputs.keys()], selection, client });
  try {
    for await (const event of readStreams(client, { ...selection, streams, treatment, signal })) {
      if (event.type === "records") {
        const hadReplaced = recordLines.hasReplaced;
        await output.writeRecords(recordLines.encode(event.stream, event.records, clock.now()));
        if (recordLines.hasReplaced && !hadReplaced) {
          await output.write(logLine("WARN", replacedCharacters(event.stream)));
        }
      }
      await writeEvent(event, outputs, output, shown);
      if (event.type === "end") complete &&= event.complete;
    }
  } catch (thrown) {
    complete = false;
    const error = signal.aborted ? undefined : SurveyExportError.from(thrown);
    for (const [name, stream] of outputs) {
      await output.write(stream.interrupted());
      if (error) await output.write(errorLine(error, clock.now(), name));
    }
  }
  const summary = shown.end(signal.aborted);
  if (summary) await output.write(logLine("INFO", summary));
  return complete;
}

/** Writes what an event says. Its records have been written: a state stands behind the records that it covers. */
async function writeEvent(
  event: SyncEvent<StreamName>,
  outputs: ReadonlyMap<StreamName, StreamOutput>,
  output: Output,
  progress: Progress,
): Promise<void> {
  if (event.type === "waiting") {
    for (const stream of outputs.values()) await output.write(stream.waiting(event.pause));
    await output.write(progress.waiting(event.pause));
    return;
  }
  const stream = outputs.get(event.stream)!;
  if (event.type === "start") await output.write(stream.started(event.state));
  else if (event.type === "records") {
    await output.write(stream.delivered(event.records.length, event.state));
    await output.write(progress.records(event.stream, event.records.length, event.state));
  } else if (event.type === "failure") await output.write(stream.failed(event.error));
  else await output.write(stream.ended(event.state, event.complete));
}

const NO_STREAMS =
  "The configured catalog (--catalog) selects no stream, so nothing was read. Add each stream to read, as discover describes it.";

const OTHERS = "This does not affect the other streams.";

const replacedCharacters = (stream: string): string =>
  `A text of stream ${stream} holds a character that databases cannot store (half of an emoji, or NUL). It was replaced by U+FFFD. Further ones are replaced without a warning.`;

/** Without its primary key a stream cannot be stored: rows of different respondents would replace each other. */
function keyLeftOut(
  { name, primaryKey, columns }: StreamDefinition,
  { identifiers }: RecordTreatment,
): string | undefined {
  const needsIdentifier = primaryKey.some((column) => columns[column] === "respondent_identifiers");
  if (!needsIdentifier || identifiers !== "omit") return undefined;
  return `Stream ${name} cannot be read with personal_data.respondent_identifiers set to omit: its primary key holds the respondent's UUID. Choose hash, or remove the stream.`;
}

const unknownStream = (name: string): string =>
  `The configured catalog asks for stream ${quote(name)}, which this source does not have. Refresh the source's schema, or remove the stream.`;

const refused = (sentence: string): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", sentence);
