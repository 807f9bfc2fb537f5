import { certain, type StreamName, type SurveyExportError, type SyncEvent } from "@survey-export/core";
import type { MessageWriter } from "./message-writer.ts";
import type { Progress } from "./progress.ts";
import type { StreamOutput } from "./stream-output.ts";

type Event<Type extends SyncEvent["type"]> = Extract<SyncEvent<StreamName>, { readonly type: Type }>;

/** Writes what the events of a sync say, with a method for each: each state after the records that it covers. */
export class EventWriter implements Record<SyncEvent["type"], (event: never) => Promise<void>> {
  readonly #writer: MessageWriter;
  readonly #outputs: ReadonlyMap<StreamName, StreamOutput>;
  readonly #progress: Progress;
  /** What ends the run. It fails every stream, and is said once. */
  #runError: SurveyExportError | undefined;

  constructor(writer: MessageWriter, outputs: ReadonlyMap<StreamName, StreamOutput>, progress: Progress) {
    this.#writer = writer;
    this.#outputs = outputs;
    this.#progress = progress;
  }

  async write(event: SyncEvent<StreamName>): Promise<void> {
    await this[event.type](event as never);
  }

  async start({ stream, state }: Event<"start">): Promise<void> {
    await this.#output(stream).started(state);
  }

  async records({ stream, records, state }: Event<"records">): Promise<void> {
    await this.#writer.records(stream, records);
    this.#progress.records(stream, records.length);
    await this.#output(stream).delivered(records.length, state);
  }

  async unreadable({ stream, count }: Event<"unreadable">): Promise<void> {
    this.#progress.unreadable(stream, count);
  }

  async failure({ stream, surveyId, error }: Event<"failure">): Promise<void> {
    this.#progress.failed(stream, surveyId);
    if (error.scope === "list") return this.#output(stream).failed(error);
    if (this.#runError !== error) await this.#writer.error(error);
    this.#runError = error;
  }

  async waiting({ pause }: Event<"waiting">): Promise<void> {
    this.#progress.waiting(pause);
    for (const output of this.#outputs.values()) await output.waiting(pause);
  }

  async end({ stream, state, complete }: Event<"end">): Promise<void> {
    await this.#output(stream).ended(state, complete);
  }

  #output(stream: StreamName): StreamOutput {
    return certain(this.#outputs.get(stream), "the stream");
  }
}
