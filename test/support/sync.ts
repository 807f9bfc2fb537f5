import {
  type Client,
  parseStreamState,
  readStreams,
  STREAMS,
  type StreamName,
  type StreamRecord,
  type SurveyExportError,
  type SyncEvent,
  type SyncOptions,
  surveysIn,
} from "@survey-export/core";
import { keyOf } from "../../sandbox/index.ts";
import { catalog, type Ended, type RunOptions, runBin } from "./bin.ts";
import type { Folder } from "./folder.ts";

interface Kept {
  readonly kept: Set<string>;
  /** Came without a later state so far. */
  readonly pending: Set<string>;
  /** Came in this sync. */
  readonly came: Set<string>;
  state: unknown;
}

/**
 * What a destination keeps of a source's streams, over as many syncs as a test wants. A record, here its key, counts
 * once a state of its stream has come after it. `syncInProcess` and `syncProgram` fill it.
 */
export class Replica {
  readonly #streams = new Map<string, Kept>();
  /** Records that came and were kept before. */
  repeats = 0;

  /** A sync begins: what came before without a later state is forgotten. */
  begin(): void {
    for (const { pending, came } of this.#streams.values()) {
      pending.clear();
      came.clear();
    }
  }

  /** The stream is read from its start. */
  forget(stream: string): void {
    this.#streams.delete(stream);
  }

  /** @returns whether the record comes for the first time in this sync */
  take(stream: string, key: string): boolean {
    const { kept, pending, came } = this.#of(stream);
    const isFirst = !came.has(key);
    came.add(key);
    pending.add(key);
    if (kept.has(key)) this.repeats++;
    return isFirst;
  }

  /** A state of the stream has arrived. */
  store(stream: string, state: unknown): void {
    const of = this.#of(stream);
    for (const key of of.pending) of.kept.add(key);
    of.pending.clear();
    of.state = JSON.parse(JSON.stringify(state));
  }

  state(stream: string): unknown {
    return this.#of(stream).state;
  }

  /** The last states, as Airbyte's platform gives them back. */
  get states() {
    return [...this.#streams].flatMap(([name, { state }]) =>
      state === undefined
        ? []
        : [{ type: "STREAM", stream: { stream_descriptor: { name }, stream_state: state } }],
    );
  }

  kept(stream: string): ReadonlySet<string> {
    return this.#of(stream).kept;
  }

  /** Whether a record has come, with or without a state after it. */
  has(stream: string, key: string): boolean {
    const { kept, pending } = this.#of(stream);
    return kept.has(key) || pending.has(key);
  }

  /** What is due and was not kept. */
  lost(stream: string, due: Iterable<string>): string[] {
    const { kept } = this.#of(stream);
    return [...due].filter((key) => !kept.has(key));
  }

  #of(stream: string): Kept {
    const known = this.#streams.get(stream);
    const kept = known ?? { kept: new Set(), pending: new Set(), came: new Set(), state: undefined };
    if (known === undefined) this.#streams.set(stream, kept);
    return kept;
  }
}

/** A record's key in a replica. */
export const keyIn = (stream: StreamName, record: object): string =>
  keyOf(record, STREAMS[stream].primaryKey);

export interface SyncInProcess extends Omit<SyncOptions, "streams"> {
  readonly streams: readonly StreamName[];
  /** A record's key in the replica. */
  readonly key?: (stream: StreamName, record: StreamRecord) => string;
  /** A record came twice in this sync. */
  readonly onTwice?: (stream: StreamName, key: string) => void;
  /** Sees each event, after its records were taken and before its state is stored. */
  readonly onEvent?: (event: SyncEvent<StreamName>, place: number) => Fate | undefined;
}

/** What becomes of an event. */
export interface Fate {
  /** Its state does not reach the destination. */
  readonly isLost?: boolean;
  /** The sync ends after it, as by a kill. */
  readonly isLast?: boolean;
}

/** What a sync told. */
export interface Told {
  /** Undefined if it ended early. */
  readonly isComplete: boolean | undefined;
  /** Streams that ended incomplete. */
  readonly incomplete: readonly StreamName[];
  readonly failures: readonly SurveyExportError[];
  readonly records: readonly StreamRecord[];
  readonly waits: number;
}

/** One sync of the core, from the replica's states on. */
export async function syncInProcess(client: Client, replica: Replica, options: SyncInProcess): Promise<Told> {
  const { streams: names, key = keyIn, onTwice, onEvent = () => undefined, ...others } = options;
  replica.begin();
  const streams = new Map(
    names.map((name) => [STREAMS[name], parseStreamState(replica.state(name), name)] as const),
  );
  const failures: SurveyExportError[] = [];
  const records: StreamRecord[] = [];
  const ended = new Map<StreamName, boolean>();
  let waits = 0;
  let place = 0;
  for await (const event of readStreams(client, {
    ...others,
    streams,
    knownSurveys: surveysIn(streams.values()),
  })) {
    if (event.type === "failure") failures.push(event.error);
    if (event.type === "waiting") waits++;
    if (event.type === "records") {
      records.push(...event.records);
      for (const record of event.records) {
        const of = key(event.stream, record);
        if (!replica.take(event.stream, of)) onTwice?.(event.stream, of);
      }
    }
    const fate = onEvent(event, place++);
    if ("state" in event && fate?.isLost !== true) replica.store(event.stream, event.state);
    if (event.type === "end") ended.set(event.stream, event.complete);
    if (fate?.isLast) break;
  }
  const incomplete = names.filter((name) => ended.get(name) === false);
  const isComplete = ended.size === names.length ? incomplete.length === 0 : undefined;
  return { isComplete, incomplete, failures, records, waits };
}

export interface SyncProgram extends RunOptions {
  readonly config: object;
  readonly streams: readonly string[];
}

/** One sync of the real program, from the replica's states on. What it wrote before a kill counts. */
export async function syncProgram(
  folder: Folder,
  replica: Replica,
  { config, streams, ...running }: SyncProgram,
): Promise<Ended> {
  const { states } = replica;
  const given = { config, catalog: catalog(...streams), ...(states.length > 0 && { state: states }) };
  const ended = await runBin(await folder.words("read", given), running);
  replica.begin();
  for (const { type, record, state } of ended.messages) {
    if (type === "STATE") replica.store(state.stream.stream_descriptor.name, state.stream.stream_state);
    if (type !== "RECORD") continue;
    const key = keyIn(record.stream, record.data);
    if (!replica.take(record.stream, key)) throw new Error(`${record.stream}: ${key} came twice in one run.`);
  }
  return ended;
}
