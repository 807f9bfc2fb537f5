import { certain, type StreamName, type SyncEvent } from "@survey-export/core";
import type { MessageWriter } from "./message-writer.ts";
import type { Progress } from "./progress.ts";
import type { StreamOutput } from "./stream-output.ts";

const ONE_RECORD_A_RESPONSE = new Set<StreamName>([
  "survey_responses",
  "respondent_responses",
  "response_keys",
]);

/** A method for each event of a sync, by its type. */
type Listener = {
  readonly [Event in SyncEvent<StreamName> as Event["type"]]: (event: Event) => Promise<void>;
};

/** Writes what the events of a sync say: each state after the records that it covers. */
export function eventWriter(
  writer: MessageWriter,
  outputs: ReadonlyMap<StreamName, StreamOutput>,
  progress: Progress,
): (event: SyncEvent<StreamName>) => Promise<void> {
  const outputOf = (stream: StreamName): StreamOutput => certain(outputs.get(stream), "the stream");
  const listener: Listener = {
    start: ({ stream, state }) => outputOf(stream).started(state),
    async records(event) {
      const { stream, records, state } = event;
      const bytes = await writer.records(stream, records, event);
      progress.records(stream, records.length);
      await outputOf(stream).delivered(records.length, bytes, state);
    },
    async noted() {
      // The log has a line for each reason, and the end of the sync says what is missing.
    },
    async unreadable() {
      // The stream says at its end how many there were.
    },
    async failure({ streams, surveyIds, error }) {
      for (const stream of streams) progress.failed(stream, surveyIds);
      await (error.scope === "list" ? writer.error(error, ...streams) : writer.error(error));
    },
    async counted({ responses }) {
      for (const [stream, output] of outputs)
        if (ONE_RECORD_A_RESPONSE.has(stream)) await output.expects(responses);
    },
    async waiting({ pause }) {
      progress.waiting(pause);
      for (const output of outputs.values()) await output.waiting(pause);
    },
    end: ({ stream, state, complete }) => outputOf(stream).ended(state, complete),
  };
  return (event) => listener[event.type](event as never);
}
