import {
  type Client,
  type Clock,
  given,
  type InitialState,
  isObject,
  type Message,
  parseStreamState,
  type RecordTreatment,
  readStreams,
  STREAMS,
  type StreamDefinition,
  type StreamName,
  SurveyExportError,
  type SyncProgress,
  say,
  surveysIn,
} from "@survey-export/core";
import { guessOf, isStreamName, type SelectedStream } from "./catalog.ts";
import { type Configuration, configurationWarnings, type Selection } from "./configuration.ts";
import { connect } from "./connect.ts";
import { eventWriter } from "./event-writer.ts";
import type { Machine } from "./machine.ts";
import type { MessageWriter } from "./message-writer.ts";
import { Progress } from "./progress.ts";
import { StreamOutput } from "./stream-output.ts";
import { omittedKey, requireReadable } from "./unreadable-streams.ts";

/** What to read, and from where on. */
export interface ReadInput {
  readonly configuration: Configuration;
  readonly selected: readonly SelectedStream[];
  /** The states of earlier runs by stream, not yet parsed; `*` is every stream's. */
  readonly states: ReadonlyMap<string, unknown>;
  /** Where the records go, for the summary: "in /path". */
  readonly destination?: Message | undefined;
}

/**
 * Reads the selected streams. The order of lines is the platform's: STARTED, RUNNING, records, each state after
 * the records it covers, a last state, COMPLETE or INCOMPLETE; for every stream, empty ones too.
 *
 * When `signal` is aborted, the read ends early, with a state for everything that was read.
 * @returns whether every stream is complete. After exit code 0 the platform takes every stream for complete, so a
 * false must become another exit code
 * @throws SurveyExportError when a state cannot be read, or a stream that somebody named
 */
export async function read(
  writer: MessageWriter,
  { configuration, selected, states, destination }: ReadInput,
  machine: Machine,
  signal: AbortSignal,
  draw?: (line: string) => void,
): Promise<boolean> {
  const { selection } = configuration;
  const { client, treatment } = connect(configuration, machine, writer);
  const named = selected.filter(({ isOurs }) => isOurs).map(({ name }) => name);
  requireReadable(named.filter(isStreamName), treatment);
  await writer.warn(configurationWarnings(configuration, machine.clock.now()));
  return readFrom(client, { selection, selected, states, treatment, destination }, writer, signal, draw);
}

/** The same without what makes a client. */
export interface ReadPlan extends Omit<ReadInput, "configuration"> {
  readonly selection: Selection;
  readonly treatment: RecordTreatment;
}

/**
 * The same with a client that exists already, with other limits for example.
 * @throws SurveyExportError when a state cannot be read
 */
export async function readFrom(
  client: Client,
  plan: ReadPlan,
  writer: MessageWriter,
  signal: AbortSignal,
  draw?: (line: string) => void,
): Promise<boolean> {
  const { selection, treatment } = plan;
  const { clock } = client.host;
  const { streams, outputs, knownSurveys } = await chosenStreams(plan, clock, writer);
  let complete = outputs.size === plan.selected.length;
  if (outputs.size === 0) return complete;

  const progress = new Progress(clock, client, outputs.keys(), () => writer.waitsFor);
  for (const { name } of plan.selected) if (!outputs.has(name as StreamName)) progress.failed(name);
  const write = eventWriter(writer, outputs, progress);
  const ended = new AbortController();
  const report = (line: Message) => void writer.log("INFO", line).catch(() => {});
  const live = draw && ((line: Message) => draw(writer.shown(line)));
  const shown = progress.show(ended.signal, report, live);
  const onStart = (sync: SyncProgress): void => progress.follow(sync);
  const options = { ...selection, streams, knownSurveys, treatment, signal, onStart };
  // Its state covers the records of the event that is being written: not all of them may be.
  let unfinished: StreamName | undefined;
  try {
    for await (const event of readStreams(client, options)) {
      unfinished = event.type === "records" ? event.stream : undefined;
      await write(event);
      unfinished = undefined;
      if (event.type === "end") complete &&= event.complete;
    }
    await writer.commit();
  } catch (thrown) {
    complete = false;
    for (const [name, stream] of outputs) {
      progress.failed(name);
      // Nothing may be writable any more, and the error says why.
      await stream.interrupted(name !== unfinished).catch(() => {});
    }
    // What was read before may fail to be kept, too.
    const refused = await writer.commit().catch((reason: unknown) => reason);
    for (const failure of new Set([thrown, refused ?? thrown]))
      if (!signal.aborted || failure instanceof SurveyExportError)
        await writer.error(SurveyExportError.from(failure));
  } finally {
    ended.abort();
    await shown;
  }
  for (const [stream, count] of writer.lost) progress.records(stream as StreamName, -count);
  const ending = signal.aborted ? "stopped" : complete ? "complete" : "incomplete";
  await writer.log("INFO", progress.end(ending, plan.destination));
  return complete;
}

/** The selected streams that can be read, each with its state. The others are reported and end as INCOMPLETE. */
async function chosenStreams({ selected, states, treatment }: ReadPlan, clock: Clock, writer: MessageWriter) {
  const streams = new Map<StreamDefinition & { readonly name: StreamName }, InitialState | undefined>();
  const outputs = new Map<StreamName, StreamOutput>();
  const initial: InitialState[] = [];
  for (const { name, syncMode } of selected) {
    const chosen = isStreamName(name)
      ? (withoutKey(STREAMS[name], treatment) ?? STREAMS[name])
      : unknownStream(name);
    if (!("columns" in chosen)) {
      // Platforms know a stream by the catalog's name. An ordinary one is the same when it is quoted.
      const shown = isStreamName(name) ? name : writer.quoted(name);
      await writer.error(refused(selected.length > 1 ? say`${chosen} ${OTHERS}` : chosen), shown);
      await writer.status(shown, "INCOMPLETE");
      continue;
    }
    const stored = states.get(name) ?? states.get("*");
    const isUnfinished = isObject(stored) && stored.full_refresh === true;
    const state = parseStreamState(stored, name);
    initial.push(state);
    streams.set(chosen, syncMode === "incremental" || isUnfinished ? state : undefined);
    outputs.set(chosen.name, new StreamOutput(chosen.name, syncMode, writer, clock));
  }
  if (selected.length === 0) await writer.log("WARN", NO_STREAMS, "nothing_to_read");
  return { streams, outputs, knownSurveys: surveysIn(initial) };
}

const NO_STREAMS = say`The configured catalog (--catalog) selects no stream, so nothing was read. Add each stream that you want to read, as discover prints it.`;

const OTHERS = say`This does not affect the other streams.`;

function withoutKey(definition: StreamDefinition, treatment: RecordTreatment): Message | undefined {
  const problem = omittedKey(definition, treatment);
  return problem && say`${problem} Set respondent_identifiers to hash or keep, or remove the stream.`;
}

const unknownStream = (name: string): Message =>
  say`The configured catalog asks for stream ${given(name)}, which this source does not have.${guessOf(name)} Refresh the source's schema, or remove the stream.`;

const refused = (sentence: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", sentence);
