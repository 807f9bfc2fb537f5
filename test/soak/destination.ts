import { STREAMS, type StreamName } from "@survey-export/core";
import { keyOf } from "../../scripts/expected-keys.ts";

/** What an Airbyte destination keeps: a stream's records count once a state of that stream has come after them. */
export interface Destination {
  /** One line of a run's standard output, whole. Throws when it is not a message. */
  take(line: string): void;
  /** The run is over: records without a later state are forgotten. Returns how many records came that were kept before. */
  endRun(): number;
  /** The last states, as lines for `--state`. */
  readonly stateLines: string;
  kept(stream: string): ReadonlySet<string>;
}

interface Stream {
  readonly kept: Set<string>;
  readonly pending: string[];
  /** Keys of this run, kept or not: none may come twice in one run. */
  readonly run: Set<string>;
  state: string | undefined;
}

export function createDestination(): Destination {
  const streams = new Map<string, Stream>();
  let repeats = 0;
  const streamOf = (name: string): Stream => {
    const stream = streams.get(name) ?? { kept: new Set(), pending: [], run: new Set(), state: undefined };
    streams.set(name, stream);
    return stream;
  };
  return {
    take(line) {
      const message = JSON.parse(line);
      if (message.type === "RECORD") {
        const { stream: name, data } = message.record;
        const stream = streamOf(name);
        const key = keyOf(data, STREAMS[name as StreamName].primaryKey);
        if (stream.run.has(key)) throw new Error(`${name}: ${key} came twice in one run.`);
        stream.run.add(key);
        if (stream.kept.has(key)) repeats++;
        stream.pending.push(key);
      } else if (message.type === "STATE") {
        const stream = streamOf(message.state.stream.stream_descriptor.name);
        for (const key of stream.pending.splice(0)) stream.kept.add(key);
        stream.state = line;
      }
    },
    endRun() {
      for (const stream of streams.values()) {
        stream.pending.length = 0;
        stream.run.clear();
      }
      const count = repeats;
      repeats = 0;
      return count;
    },
    get stateLines() {
      return [...streams.values()].flatMap(({ state }) => (state === undefined ? [] : `${state}\n`)).join("");
    },
    kept: (name) => streamOf(name).kept,
  };
}
