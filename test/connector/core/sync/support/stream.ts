import { render, STREAMS, type StreamName, type SyncEvent } from "@survey-export/core";
import type { Interval } from "../../../../../connector/core/coverage/coverage.ts";
import type { ListCoverage } from "../../../../../connector/core/coverage/list-coverage.ts";
import { EMPTY_STATE } from "../../../../../connector/core/coverage/stream-state.ts";
import type { Read } from "../../../../../connector/core/lists/coverage-tracker.ts";
import { Channel } from "../../../../../connector/core/sync/channel.ts";
import { StreamInSync, type StreamOptions } from "../../../../../connector/core/sync/stream-in-sync.ts";
import { Warnings } from "../../../../../connector/core/sync/warnings.ts";
import { at, PRESENT } from "../../coverage/support/timestamps.ts";

/** A stream in a sync that begins with nothing, of survey `s` unless the options say otherwise. */
export function streamOf(name: StreamName, options: Partial<StreamOptions> = {}) {
  const channel = new Channel();
  const warnings: string[] = [];
  const log = new Warnings((_, message, code) => warnings.push(`${code}: ${render(message)}`));
  const all: StreamOptions = {
    ...{ surveyIds: ["s"], respondents: [], startDate: undefined, endDate: undefined, lookbackMs: 0 },
    ...{ present: PRESENT, personalData: undefined, ...options },
  };
  const stream = new StreamInSync(STREAMS[name], EMPTY_STATE, all, log, channel);
  /** Delivers a page whose newest response is at 90. */
  const deliver = (
    read: Partial<Read>,
    left: readonly Interval[] = [],
    list: ListCoverage = stream.surveys.of("s"),
  ): Promise<void> => {
    const whole = { covered: [], unreadable: [], doubtful: [], ...read };
    return stream.deliver([], "s", { list, read: [whole], newestSeen: at(90), left });
  };
  /** All events so far. */
  const told = async (): Promise<SyncEvent[]> => {
    channel.close();
    const events: SyncEvent[] = [];
    for (let entry = await channel.next(); entry; entry = await channel.next()) events.push(entry.event);
    return events;
  };
  return { stream, channel, deliver, told, warnings };
}
