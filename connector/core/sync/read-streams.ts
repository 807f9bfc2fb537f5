import type { Client } from "../client/client.ts";
import type { SyncEvent } from "./channel.ts";
import { Sync } from "./sync.ts";
import type { SyncOptions } from "./sync-options.ts";

/**
 * Reads the streams: every response and every respondent that the streams' states do not cover, each once, and after
 * each page the state that covers everything emitted so far (spec/sync.md).
 *
 * The caller pulls. Pages in flight or waiting to be pulled are bounded by the number of slots, so a slow caller slows
 * the requests. Breaking out of the loop ends the requests.
 * @throws SurveyExportError only for a defect; the service's failures come as "failure" events. The signal's reason
 * when that is aborted
 */
export async function* readStreams<Name extends string>(
  client: Client,
  options: SyncOptions<Name>,
): AsyncGenerator<SyncEvent<Name>, void> {
  const { inOrder = false, signal } = options;
  signal?.throwIfAborted();
  const sync = new Sync(client, options);
  const onAbort = (): void => sync.fail(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (const stream of sync.streams)
      yield { type: "start", stream: stream.definition.name as Name, state: stream.coverage.state() };
    sync.run().catch((thrown: unknown) => sync.fail(thrown));
    for (let entry = await sync.channel.next(); entry; entry = await sync.channel.next()) {
      // The next requests are on their way while the caller works. A caller in order may want no more.
      if (!inOrder) entry.taken();
      yield entry.event as SyncEvent<Name>;
      if (inOrder) entry.taken();
    }
    yield* sync.ends() as Generator<SyncEvent<Name>>;
  } finally {
    signal?.removeEventListener("abort", onAbort);
    sync.stop();
  }
}
