import { render, STREAMS, type StreamName, type SyncEvent, type SyncOptions } from "@survey-export/core";
import type { Interval } from "../../../../../connector/core/coverage/coverage.ts";
import { EMPTY_STATE, type InitialState } from "../../../../../connector/core/coverage/stream-state.ts";
import type { WalkedPage } from "../../../../../connector/core/lists/list-walk.ts";
import { Channel } from "../../../../../connector/core/sync/channel.ts";
import { StreamInSync } from "../../../../../connector/core/sync/stream-in-sync.ts";
import { settingsOf } from "../../../../../connector/core/sync/sync-options.ts";
import { Warnings } from "../../../../../connector/core/sync/warnings.ts";
import { createSimulatedClock } from "../../../../support/clock.ts";
import { at, PRESENT } from "../../coverage/support/timestamps.ts";

/** A stream in a sync, of survey `s` unless the options say otherwise. */
export function streamOf(
  name: StreamName,
  options: Partial<SyncOptions> = {},
  stored: Partial<InitialState> = {},
) {
  const channel = new Channel(createSimulatedClock());
  const warnings: string[] = [];
  const log = new Warnings((_, message, code) => warnings.push(`${code}: ${render(message)}`));
  const settings = settingsOf({ surveyIds: ["s"], respondentUuids: [], streams: new Map(), ...options });
  const state = { ...EMPTY_STATE, ...stored };
  const stream = new StreamInSync(STREAMS[name], state, settings, log, channel);
  stream.coverage.begin(settings.surveyIds, PRESENT, true);
  /** Delivers a page whose newest response is at 89. */
  const deliver = (
    page: Partial<WalkedPage>,
    undelivered: readonly Interval[] = [],
    id = "s",
  ): Promise<void> => {
    const { covered, holes = [] } = page;
    const seen = { present: PRESENT, isDated: true, newest: at(89), grain: 1 };
    return stream.deliver([], 0, id, { id, covered, holes, seen, undelivered, responses: [] });
  };
  /** Takes all events so far. `seen`: called with each, before the next one is taken. */
  const told = async (seen: (event: SyncEvent) => void = () => {}): Promise<SyncEvent[]> => {
    channel.close();
    const events: SyncEvent[] = [];
    for (let entry = await channel.next(); entry; entry = await channel.next()) {
      events.push(entry.event);
      seen(entry.event);
    }
    return events;
  };
  return { stream, channel, deliver, told, warnings };
}
