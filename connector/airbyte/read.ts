import {
  connect,
  type Delivered,
  parseStreamState,
  type ReadEvent,
  read as readStreams,
  type Service,
  type StreamName,
  SurveyExportError,
} from "@survey-export/core";
import { isStreamName, parseConfiguredCatalog, type SelectedStream } from "./catalog.ts";
import type { MakeHost } from "./check.ts";
import { type Configuration, parseConfiguration } from "./configuration.ts";
import { errorLine, logLine, recordLines, statusLine } from "./messages.ts";
import { type Output, withoutSecret } from "./output.ts";
import type { Progress } from "./progress.ts";
import { parseStates } from "./state.ts";
import { createStreamOutput, type StreamOutput } from "./stream-output.ts";

/** What the command line was given, already read from the files. */
export interface ReadInput {
  readonly configuration: unknown;
  readonly catalog: unknown;
  /** The text of the `--state` file; empty when there is none. */
  readonly state: string;
}

/**
 * Reads the selected streams. The order of lines is the platform's: STARTED, RUNNING, records, each state behind
 * the records it covers, a last state, COMPLETE or INCOMPLETE; for every stream, empty ones too.
 *
 * Ends early, with everything told that was read, when `signal` is aborted.
 *
 * @returns whether every stream is complete. On exit 0 the platform takes them all for complete, so a false
 * must become another exit code
 * @throws SurveyExportError when nothing can be read at all: configuration, catalog or state
 */
export async function read(
  output: Output,
  input: ReadInput,
  makeHost: MakeHost,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const configuration = parseConfiguration(input.configuration);
  const safe = withoutSecret(output, configuration.apiKey);
  const selected = parseConfiguredCatalog(input.catalog);
  const states = parseStates(input.state);
  const service = connect(makeHost(configuration, safe), configuration);
  return readFrom(service, { configuration, selected, states }, output, progress, signal);
}

/** A read whose every part has been checked. */
export interface ReadPlan {
  readonly configuration: Configuration;
  readonly selected: readonly SelectedStream[];
  /** What `--state` says, by stream, still to be read. */
  readonly states: ReadonlyMap<string, unknown>;
}

/**
 * The same, from a service that is connected already: within other limits, say.
 *
 * @throws SurveyExportError when a state cannot be read
 */
export async function readFrom(
  service: Service,
  plan: ReadPlan,
  output: Output,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const { configuration, selected, states } = plan;
  // Records are the user's data and go out as they are; to search each for the key would cost as much as to make it.
  const safe = withoutSecret(output, configuration.apiKey);
  const { clock } = service.host;
  const now = (): number => clock.now();

  const streams = new Map<StreamName, Delivered | undefined>();
  const outputs = new Map<StreamName, StreamOutput>();
  let complete = true;
  for (const { name, syncMode } of selected) {
    if (!isStreamName(name)) {
      complete = false;
      await safe.write(errorLine(unknownStream(name), now(), name) + statusLine(name, "INCOMPLETE", now()));
      continue;
    }
    const stored = states.get(name) ?? states.get("*");
    const isUnfinished = (stored as { full_refresh?: unknown } | null | undefined)?.full_refresh === true;
    const delivered = parseStreamState(stored, name);
    streams.set(name, syncMode === "incremental" || isUnfinished ? delivered : undefined);
    outputs.set(name, createStreamOutput(name, syncMode, clock));
  }
  if (outputs.size === 0) return complete;

  progress.begin({ streams: [...outputs.keys()], configuration, traffic: service.traffic });
  const handle = async (event: ReadEvent): Promise<void> => {
    if (event.type === "waiting") {
      for (const stream of outputs.values()) await safe.write(stream.waiting(event.pause));
      await safe.write(progress.waiting(event.pause));
      return;
    }
    const stream = outputs.get(event.stream)!;
    if (event.type === "start") await safe.write(stream.started(event.state));
    else if (event.type === "records") {
      await output.write(recordLines(event.stream, event.records, now()));
      await safe.write(stream.delivered(event.records.length, event.state));
      await safe.write(progress.records(event.stream, event.records.length, event.state));
    } else if (event.type === "failure") await safe.write(stream.failed(event.error));
    else {
      complete &&= event.complete;
      await safe.write(stream.ended(event.state, event.complete));
    }
  };
  try {
    for await (const event of readStreams(service, { ...configuration, streams, signal }))
      await handle(event);
  } catch (thrown) {
    complete = false;
    for (const stream of outputs.values()) await safe.write(stream.interrupted());
    if (!signal.aborted) {
      const error = SurveyExportError.from(thrown);
      for (const name of outputs.keys()) await safe.write(errorLine(error, now(), name));
    }
  }
  const summary = progress.end();
  if (summary) await safe.write(logLine("INFO", summary));
  return complete;
}

function unknownStream(name: string): SurveyExportError {
  return new SurveyExportError(
    "config",
    "invalid_configuration",
    `The configured catalog asks for stream ${JSON.stringify(name)}, which this source does not have. Refresh the source's schema, or remove the stream; the other streams were read.`,
  );
}
