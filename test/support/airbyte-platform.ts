import { isStreamName } from "../../connector/airbyte/catalog.ts";
import { STREAMS } from "../../connector/core/index.ts";

/*
 * What Airbyte's platform reads without a check, or acts upon, although the schema of its protocol does not demand it. Read
 * in airbyte-platform at 310e6cb6 (2026-08-21); `file` is there. A message that breaks a demand ends the run with a null
 * pointer or the like, is dropped without a word, or is told wrongly to the user: `otherwise`.
 *
 * To read a newer version, look at what takes each message: `AirbyteMessageTracker`, `ParallelStreamStatsTracker`,
 * `StreamStatusTracker`, `StateEnricher`, `BasicAirbyteMessageValidator`, `ConnectorMessageProcessor`, and for what follows an
 * attempt `ConnectionManagerWorkflowImpl`.
 */

// biome-ignore lint/suspicious/noExplicitAny: a demand looks for whatever a line may hold
type Line = any;

/** What the platform demands of a message, or of all that a `read` writes. */
interface Demand<Held> {
  readonly demand: string;
  readonly otherwise: string;
  readonly file: string;
  readonly isMet: (held: Held) => boolean;
}

/** A demand on each message of a kind. */
export interface MessageDemand extends Demand<Line> {
  /** A message's type; of a TRACE with its own, as in "TRACE ERROR". */
  readonly of: string;
  /** A change that breaks it: the path of a field, and its value. An undefined field is not there. */
  readonly brokenBy: readonly [path: string, value: unknown];
}

/** All that one `read` wrote. */
export interface Read {
  readonly messages: readonly Line[];
  /** Names of the streams of its catalog. */
  readonly streams: readonly string[];
  readonly code: number | null;
}

/** As `MessageDemand.of` names a message. */
export const kindOf = ({ type, trace }: Line): string => (type === "TRACE" ? `${type} ${trace.type}` : type);

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** A `Long` of the platform that it takes out of its box: a whole number. */
const isLong = (value: unknown): boolean => Number.isSafeInteger(value);

const keyOf = (stream: string): readonly string[] => (isStreamName(stream) ? STREAMS[stream].primaryKey : []);
const isColumn = (stream: string, field: string): boolean =>
  !isStreamName(stream) || field in STREAMS[stream].columns;

const ORCHESTRATOR = "airbyte-container-orchestrator/src/main/kotlin/io/airbyte/container/orchestrator";
const BOOKKEEPING = `${ORCHESTRATOR}/bookkeeping`;
const STREAM_STATUS = `${BOOKKEEPING}/streamstatus`;
const WORKER = `${ORCHESTRATOR}/worker`;
const VALIDATOR =
  "airbyte-commons-worker/src/main/kotlin/io/airbyte/workers/internal/BasicAirbyteMessageValidator.kt";
const SIDECAR =
  "airbyte-connector-sidecar/src/main/kotlin/io/airbyte/connectorSidecar/ConnectorMessageProcessor.kt";
const CATALOG_CONVERTER =
  "airbyte-commons-server/src/main/kotlin/io/airbyte/commons/server/handlers/helpers/CatalogConverter.kt";
const WORKFLOW =
  "airbyte-workers/src/main/kotlin/io/airbyte/workers/temporal/scheduling/ConnectionManagerWorkflowImpl.kt";

export const MESSAGE_DEMANDS: readonly MessageDemand[] = [
  {
    of: "RECORD",
    demand: "has data that is an object with a field",
    otherwise: "the record is dropped without a word",
    file: VALIDATOR,
    brokenBy: ["record.data", {}],
    isMet: ({ record }) => isObject(record.data) && Object.keys(record.data).length > 0,
  },
  {
    of: "RECORD",
    demand: "has each field of its primary key",
    otherwise: "the run dies: all the defined primary keys are null",
    file: VALIDATOR,
    brokenBy: ["record.data.id", null],
    isMet: ({ record }) => keyOf(record.stream).every((field) => (record.data[field] ?? null) !== null),
  },
  {
    of: "RECORD",
    demand: "has no field that the stream's schema does not name",
    otherwise: "the field is removed",
    file: `${WORKER}/filter/FieldSelector.kt`,
    brokenBy: ["record.data.mood", "good"],
    isMet: ({ record }) => Object.keys(record.data).every((field) => isColumn(record.stream, field)),
  },
  {
    of: "RECORD",
    demand: "has neither a namespace nor a file",
    otherwise: "the run dies: a stream that is not in the catalog, or no file transfer",
    file: `${BOOKKEEPING}/StatsTracker.kt`,
    brokenBy: ["record.namespace", ""],
    isMet: ({ record }) => !("namespace" in record) && !("file" in record) && !("file_reference" in record),
  },
  {
    of: "STATE",
    demand: "says that it is of one STREAM",
    otherwise: "the run dies: LEGACY states are deprecated",
    file: `${BOOKKEEPING}/ParallelStreamStatsTracker.kt`,
    brokenBy: ["state.type", undefined],
    isMet: ({ state }) => state.type === "STREAM",
  },
  {
    of: "STATE",
    demand: "names its stream",
    otherwise: "the run dies of a null pointer",
    file: `${STREAM_STATUS}/StreamStatusKey.kt`,
    brokenBy: ["state.stream.stream_descriptor", undefined],
    isMet: ({ state }) => isText(state.stream?.stream_descriptor?.name),
  },
  {
    of: "STATE",
    demand: "has a state",
    otherwise: "null is stored, and the stream's state is gone",
    file: `${BOOKKEEPING}/state/Aggregator.kt`,
    brokenBy: ["state.stream.stream_state", null],
    isMet: ({ state }) => isObject(state.stream?.stream_state),
  },
  {
    of: "STATE",
    demand: "counts its records if it has sourceStats",
    otherwise: "the run dies of a null pointer",
    file: `${WORKER}/state/StateEnricher.kt`,
    brokenBy: ["state.sourceStats.recordCount", undefined],
    isMet: ({ state }) => state.sourceStats === undefined || isLong(state.sourceStats.recordCount),
  },
  {
    of: "STATE",
    demand: "has no field id, where the platform keeps its own number",
    otherwise: "the run dies, or the platform's counts are switched off",
    file: `${WORKER}/state/StateWithId.kt`,
    brokenBy: ["state.id", 1],
    isMet: ({ state }) => !("id" in state),
  },
  ...(
    [
      ["ERROR", "trace.error"],
      ["STREAM_STATUS", "trace.stream_status"],
      ["ESTIMATE", "trace.emitted_at"],
    ] as const
  ).map(
    ([type, path]): MessageDemand => ({
      of: `TRACE ${type}`,
      demand: "says when it was written, and has the object of its type",
      otherwise: "it is dropped, or the run dies of a null pointer",
      file: `${WORKER}/util/AirbyteMessageDataExtractor.kt`,
      brokenBy: [path, undefined],
      isMet: ({ trace }) => isLong(trace.emitted_at) && isObject(trace[type.toLowerCase()]),
    }),
  ),
  {
    of: "TRACE ERROR",
    demand: "has a sentence and one of the three types of failure",
    otherwise: "the user reads nothing, and a configuration that is wrong is tried again and again",
    file: WORKFLOW,
    brokenBy: ["trace.error.failure_type", undefined],
    isMet: ({ trace: { error } }) =>
      isText(error?.message) &&
      ["config_error", "transient_error", "system_error"].includes(error?.failure_type),
  },
  {
    of: "TRACE ERROR",
    demand: "has an internal message if it has a stack",
    otherwise: "reporting the job's failure throws",
    file: "airbyte-persistence/job-persistence/src/main/kotlin/io/airbyte/persistence/job/errorreporter/SentryJobErrorReportingClient.kt",
    brokenBy: ["trace.error.internal_message", undefined],
    isMet: ({ trace: { error } }) => error?.stack_trace === undefined || isText(error.internal_message),
  },
  {
    of: "TRACE STREAM_STATUS",
    demand: "names its stream and its status",
    otherwise: "the run dies of a null pointer",
    file: `${STREAM_STATUS}/StreamStatusTracker.kt`,
    brokenBy: ["trace.stream_status.status", undefined],
    isMet: ({ trace: { stream_status: status } }) =>
      isText(status?.stream_descriptor?.name) && isText(status?.status),
  },
  {
    of: "TRACE STREAM_STATUS",
    demand: "has one reason at most, and only while it is RUNNING",
    otherwise: "nobody is told that the stream waits for the rate limit",
    file: `${ORCHESTRATOR}/RateLimitedMessageHelper.kt`,
    brokenBy: ["trace.stream_status.reasons", []],
    isMet: ({ trace: { stream_status: status } }) =>
      status?.reasons === undefined ||
      (status.status === "RUNNING" &&
        status.reasons.length === 1 &&
        isLong(status.reasons[0].rate_limited?.quota_reset)),
  },
  {
    of: "TRACE ESTIMATE",
    demand: "has both numbers",
    otherwise: "the run dies of a null pointer, and so does each further attempt",
    file: `${BOOKKEEPING}/StatsTracker.kt`,
    brokenBy: ["trace.estimate.byte_estimate", undefined],
    isMet: ({ trace: { estimate } }) => isLong(estimate?.row_estimate) && isLong(estimate?.byte_estimate),
  },
  {
    of: "TRACE ESTIMATE",
    demand: "is of a STREAM",
    otherwise: "estimates of streams and of the whole sync cancel each other",
    file: `${BOOKKEEPING}/ParallelStreamStatsTracker.kt`,
    brokenBy: ["trace.estimate.type", "SYNC"],
    isMet: ({ trace: { estimate } }) => estimate?.type === "STREAM" && isText(estimate.name),
  },
  {
    of: "LOG",
    demand: "has a level and a sentence",
    otherwise: "it is dropped",
    file: VALIDATOR,
    brokenBy: ["log.message", ""],
    isMet: ({ log }) => isText(log.level) && isText(log.message),
  },
  {
    of: "CONNECTION_STATUS",
    demand: "has a verdict",
    otherwise: "it is dropped, and the check has no result",
    file: VALIDATOR,
    brokenBy: ["connectionStatus.status", undefined],
    isMet: ({ connectionStatus }) => ["SUCCEEDED", "FAILED"].includes(connectionStatus?.status),
  },
  {
    of: "SPEC",
    demand: "has a form, and addresses that are URIs",
    otherwise: "it is dropped: the connector exited without an output",
    file: SIDECAR,
    brokenBy: ["spec.documentationUrl", "docs/airbyte.md"],
    isMet: ({ spec }) =>
      isObject(spec.connectionSpecification) &&
      [spec.documentationUrl, spec.changelogUrl].every((url) => url === undefined || URL.canParse(url)),
  },
  {
    of: "CATALOG",
    demand: "has streams with a name of their own and properties",
    otherwise: "no sync can start",
    file: `${WORKER}/filter/FieldSelector.kt`,
    brokenBy: ["catalog.streams.0.json_schema", {}],
    isMet: ({ catalog: { streams } }) =>
      new Set(streams.map(({ name }: Line) => name)).size === streams.length &&
      streams.every(({ name, json_schema: schema }: Line) => isText(name) && isObject(schema?.properties)),
  },
  {
    of: "CATALOG",
    demand: "has streams with a mode, a cursor and a primary key",
    otherwise: "a new stream, or one of which columns were selected, cannot be saved",
    file: CATALOG_CONVERTER,
    brokenBy: ["catalog.streams.0.supported_sync_modes", []],
    isMet: ({ catalog: { streams } }) =>
      streams.every(
        ({ supported_sync_modes, default_cursor_field, source_defined_primary_key }: Line) =>
          supported_sync_modes?.length > 0 &&
          Array.isArray(default_cursor_field) &&
          source_defined_primary_key?.length > 0,
      ),
  },
];

const statusesOf = ({ messages }: Read): Line[] =>
  messages.flatMap(({ trace }) => (trace?.type === "STREAM_STATUS" ? [trace.stream_status] : []));
const complete = (read: Read): string[] =>
  statusesOf(read).flatMap(({ status, stream_descriptor: { name } }) =>
    status === "COMPLETE" ? [name] : [],
  );
const streamOf = ({ record, state, trace }: Line): string | undefined =>
  record?.stream ??
  state?.stream.stream_descriptor.name ??
  trace?.stream_status?.stream_descriptor.name ??
  trace?.estimate?.name;
const ENDS = ["COMPLETE", "INCOMPLETE"];

/** For each stream, its messages in order. */
const ofStreams = ({ messages }: Read): Line[][] =>
  [...Map.groupBy(messages, streamOf)].flatMap(([name, own]) => (name === undefined ? [] : [own]));

export const READ_DEMANDS: readonly Demand<Read>[] = [
  {
    demand: "Records and states are of streams of the catalog.",
    otherwise: "the run dies: a missing catalog stream",
    file: VALIDATOR,
    isMet: ({ messages, streams }) =>
      messages.every(
        (message) => !["RECORD", "STATE"].includes(message.type) || streams.includes(streamOf(message)!),
      ),
  },
  {
    demand: "Only streams of the catalog are COMPLETE.",
    otherwise: "the run dies: a status of a stream that is not in the catalog",
    file: `${ORCHESTRATOR}/tracker/StreamStatusCompletionTracker.kt`,
    isMet: (read) => complete(read).every((name) => read.streams.includes(name)),
  },
  {
    demand: "A state counts the records of its stream since the one before.",
    otherwise: "the user is told that the sync appears to have dropped records",
    file: `${BOOKKEEPING}/StateCheckSumCountEventHandler.kt`,
    isMet: (read) =>
      ofStreams(read).every((own) => {
        let since = 0;
        return own.every(({ type, state }) => {
          if (type === "RECORD") since++;
          if (type !== "STATE") return true;
          const isExact = state.sourceStats.recordCount === since;
          since = 0;
          return isExact;
        });
      }),
  },
  {
    demand: "A state comes before COMPLETE, and no record between them.",
    otherwise: "the stream stays RUNNING for good, and counts as failed later",
    file: `${STREAM_STATUS}/StreamStatusStateStore.kt`,
    isMet: (read) =>
      ofStreams(read).every((own) =>
        own.every(
          ({ trace }, at) => trace?.stream_status?.status !== "COMPLETE" || own[at - 1]?.type === "STATE",
        ),
      ),
  },
  {
    demand: "After COMPLETE or INCOMPLETE nothing comes of a stream.",
    otherwise: "a changed status forgets that the stream is complete",
    file: `${STREAM_STATUS}/StreamStatusStateStore.kt`,
    isMet: (read) =>
      ofStreams(read).every((own) => {
        const end = own.findIndex(({ trace }) => ENDS.includes(trace?.stream_status?.status));
        return end === -1 || end === own.length - 1;
      }),
  },
  {
    demand: "A stream runs, or has a record, between two pauses for the rate limit.",
    otherwise: "the page counts down to the end of the first pause",
    file: `${STREAM_STATUS}/StreamStatusTracker.kt`,
    isMet: (read) =>
      ofStreams(read).every((own) => {
        const steps = own.filter(({ record, trace }) => record || trace?.stream_status);
        const isPause = (step: Line): boolean => step?.trace?.stream_status?.reasons !== undefined;
        return steps.every((step, at) => !isPause(step) || !isPause(steps[at - 1]));
      }),
  },
  {
    demand: "The exit code is 0 if, and only if, every stream of the catalog is COMPLETE.",
    otherwise:
      "the platform tells the destination that what is missing is gone, or keeps what was read whole as unfinished",
    file: `${ORCHESTRATOR}/tracker/StreamStatusCompletionTracker.kt`,
    isMet: (read) => (read.code === 0) === read.streams.every((name) => complete(read).includes(name)),
  },
  {
    demand: "A run that fails by itself has an error.",
    otherwise: "the user reads that the source exited with a code, and nothing else",
    file: `${WORKER}/ReplicationWorkerHelper.kt`,
    isMet: ({ messages, code }) =>
      code !== 1 || messages.some((message) => kindOf(message) === "TRACE ERROR"),
  },
  {
    demand:
      "Errors come in the order of their times: the first one decides whether there is another attempt.",
    otherwise: "another error decides",
    file: `${BOOKKEEPING}/AirbyteMessageTracker.kt`,
    isMet: ({ messages }) => {
      const times = messages.flatMap(({ trace }) => (trace?.type === "ERROR" ? [trace.emitted_at] : []));
      return times.every((time, at) => at === 0 || time >= times[at - 1]);
    },
  },
  {
    demand: "A read writes records, states, traces and log lines, and nothing else.",
    otherwise: "it is filtered out",
    file: `${WORKER}/io/LocalContainerConstants.kt`,
    isMet: ({ messages }) => messages.every(({ type }) => ["RECORD", "STATE", "TRACE", "LOG"].includes(type)),
  },
];

/** What the platform would do because of a message; undefined if it takes it. */
export function whatPlatformDoes(message: Line): string | undefined {
  const kind = kindOf(message);
  const broken = MESSAGE_DEMANDS.find(({ of, isMet }) => of === kind && !isMet(message));
  return (
    broken &&
    `Airbyte's platform demands that a ${kind} ${broken.demand}; otherwise ${broken.otherwise} (${broken.file}).`
  );
}
