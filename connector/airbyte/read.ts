import {
  type Client,
  createClient,
  createRecordTreatment,
  fixed,
  given,
  type InitialState,
  type Message,
  parseStreamState,
  type RecordTreatment,
  readStreams,
  STREAMS,
  type StreamDefinition,
  type StreamName,
  SurveyExportError,
  type SyncEvent,
  say,
} from "@survey-export/core";
import { isStreamName, parseConfiguredCatalog, type SelectedStream } from "./catalog.ts";
import { requireConfiguration, type Selection } from "./configuration.ts";
import { configurationWarnings } from "./configuration-warnings.ts";
import { createHost, type Machine } from "./machine.ts";
import type { MessageWriter } from "./message-writer.ts";
import type { Progress } from "./progress.ts";
import { RecordLines } from "./record-lines.ts";
import { parseStates } from "./state.ts";
import { StreamOutput } from "./stream-output.ts";
import { unmatchedStates } from "./unmatched-states.ts";
import { warn } from "./warning.ts";

/** The content of the files that the command line names. */
export interface ReadInput {
  readonly configuration: unknown;
  readonly catalog: unknown;
  /** The text of the `--state` file; undefined without one. */
  readonly state: string | undefined;
}

/**
 * Reads the selected streams. The order of lines is the platform's: STARTED, RUNNING, records, each state after
 * the records it covers, a last state, COMPLETE or INCOMPLETE; for every stream, empty ones too.
 *
 * When `signal` is aborted, the read ends early, with a state for everything that was read.
 *
 * @returns whether every stream is complete. After exit code 0 the platform takes every stream for complete, so a
 * false must become another exit code
 * @throws SurveyExportError when nothing can be read at all: configuration, catalog or state
 */
export async function read(
  writer: MessageWriter,
  input: ReadInput,
  machine: Machine,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const configuration = requireConfiguration(input.configuration);
  const { selection, service, personalData, secret } = configuration;
  const treatment = createRecordTreatment(personalData, machine.createHash(secret));
  writer.protect({ treatment: treatment.messages });
  const selected = parseConfiguredCatalog(input.catalog);
  await warn(writer, configurationWarnings(input.configuration, configuration, machine.clock.now()));
  const { states, warnings } = parseStates(input.state);
  await warn(writer, [...warnings, ...unmatchedStates(states, selected)]);
  const client = createClient(createHost(machine, configuration, writer), service);
  return readFrom(client, { selection, selected, states, treatment }, writer, progress, signal);
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
  writer: MessageWriter,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const { selection, selected, states, treatment } = plan;
  const { clock } = client.host;
  const streams = new Map<StreamDefinition & { readonly name: StreamName }, InitialState | undefined>();
  const outputs = new Map<StreamName, StreamOutput>();
  const recordLines = new RecordLines();
  let complete = true;
  for (const { name, syncMode } of selected) {
    const refusal = isStreamName(name) ? keyLeftOut(STREAMS[name], treatment) : unknownStream(name);
    if (!isStreamName(name) || refusal) {
      complete = false;
      await writer.error(refused(selected.length > 1 ? say`${refusal!} ${OTHERS}` : refusal!), name);
      await writer.status(name, "INCOMPLETE");
      continue;
    }
    const stored = states.get(name) ?? states.get("*");
    const isUnfinished = (stored as { full_refresh?: unknown } | null | undefined)?.full_refresh === true;
    const state = parseStreamState(stored, name);
    streams.set(STREAMS[name], syncMode === "incremental" || isUnfinished ? state : undefined);
    outputs.set(name, new StreamOutput(name, syncMode, writer, clock));
  }
  if (selected.length === 0) await writer.log("WARN", NO_STREAMS, "no_streams");
  if (outputs.size === 0) return complete;

  progress.begin({ streams: [...outputs.keys()], selection, client });
  try {
    for await (const event of readStreams(client, { ...selection, streams, treatment, signal })) {
      if (event.type === "records") {
        const hadReplaced = recordLines.hasReplaced;
        await writer.records(recordLines.encode(event.stream, event.records, clock.now()));
        if (recordLines.hasReplaced && !hadReplaced) {
          await writer.log("WARN", replacedCharacters(event.stream), "text_not_storable");
        }
      }
      const remark = await writeEvent(event, outputs, progress);
      if (remark) await writer.log("INFO", remark);
      if (event.type === "end") complete &&= event.complete;
    }
  } catch (thrown) {
    complete = false;
    const error = signal.aborted ? undefined : SurveyExportError.from(thrown);
    for (const [name, stream] of outputs) {
      await stream.interrupted();
      if (error) await writer.error(error, name);
    }
  }
  const summary = progress.end(signal.aborted);
  if (summary) await writer.log("INFO", summary);
  return complete;
}

/**
 * Writes what an event says. Its records have been written: a state stands after the records that it covers.
 *
 * @returns what there is to say about the progress
 */
async function writeEvent(
  event: SyncEvent<StreamName>,
  outputs: ReadonlyMap<StreamName, StreamOutput>,
  progress: Progress,
): Promise<Message | undefined> {
  if (event.type === "waiting") {
    for (const stream of outputs.values()) await stream.waiting(event.pause);
    return progress.waiting(event.pause);
  }
  const stream = outputs.get(event.stream)!;
  if (event.type === "records") {
    await stream.delivered(event.records.length, event.state);
    return progress.records(event.stream, event.records.length, event.state);
  }
  if (event.type === "start") await stream.started(event.state);
  else if (event.type === "failure") await stream.failed(event.error);
  else await stream.ended(event.state, event.complete);
  return undefined;
}

const NO_STREAMS = say`The configured catalog (--catalog) selects no stream, so nothing was read. Add each stream to read, as discover describes it.`;

const OTHERS = say`This does not affect the other streams.`;

const replacedCharacters = (stream: StreamName): Message =>
  say`A text of stream ${fixed(stream)} holds a character that databases cannot store (half of an emoji, or NUL). It was replaced by U+FFFD. Further ones are replaced without a warning.`;

/** Without its primary key a stream cannot be stored: rows of different respondents would replace each other. */
function keyLeftOut(
  { name, primaryKey, columns }: StreamDefinition,
  { identifiers }: RecordTreatment,
): Message | undefined {
  const needsIdentifier = primaryKey.some((column) => columns[column]?.holds === "respondent_identifiers");
  if (!needsIdentifier || identifiers !== "omit") return undefined;
  return say`Stream ${fixed(name)} cannot be read with personal_data.respondent_identifiers set to omit: its primary key holds the respondent's UUID. Choose hash, or remove the stream.`;
}

const unknownStream = (name: string): Message =>
  say`The configured catalog asks for stream ${given(name)}, which this source does not have. Refresh the source's schema, or remove the stream.`;

const refused = (sentence: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", sentence);
