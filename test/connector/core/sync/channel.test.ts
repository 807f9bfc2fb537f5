import { describe, expect, it } from "vitest";
import { Channel } from "../../../../connector/core/sync/channel.ts";
import type { SyncEvent } from "../../../../connector/core/sync/sync-event.ts";

const event = (stream: string): SyncEvent => ({
  ...{ type: "start", stream },
  state: { toJSON: () => ({ version: 1, surveys: {} }) },
});
const [FIRST, SECOND] = [event("first"), event("second")];
const nextOf = async (channel: Channel) => (await channel.next())?.event;
/** Whether a promise is settled by now. */
const isSettled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

it("gives events in the order in which they were put, and waits for the next one", async () => {
  const channel = new Channel();
  void channel.put(FIRST);
  void channel.put(SECOND);
  expect([await nextOf(channel), await nextOf(channel)]).toEqual([FIRST, SECOND]);
  const next = nextOf(channel);
  expect(await isSettled(next)).toBe(false);
  void channel.put(FIRST);
  expect(await next).toBe(FIRST);
});

it("lets whoever put an event go on when the caller has taken it, and not before", async () => {
  const channel = new Channel();
  const put = channel.put(FIRST);
  const entry = await channel.next();
  expect(await isSettled(put)).toBe(false);
  entry?.taken();
  expect(await isSettled(put)).toBe(true);
});

describe("a channel that is closed", () => {
  it("gives what was put before, and nothing that is put later", async () => {
    const channel = new Channel();
    void channel.put(FIRST);
    channel.close();
    const late = channel.put(SECOND);
    expect([await nextOf(channel), await nextOf(channel), channel.isOver]).toEqual([FIRST, undefined, false]);
    expect(await isSettled(late), "nobody takes it").toBe(false);
  });

  it("lets go of whoever waits for an event", async () => {
    const channel = new Channel();
    const next = channel.next();
    channel.close();
    expect(await next).toBeUndefined();
  });
});

it("a channel that fails throws the first error at once, whatever was put before", async () => {
  const channel = new Channel();
  void channel.put(FIRST);
  channel.fail("first");
  channel.fail("second");
  expect(channel.isOver, "nothing is covered any more").toBe(true);
  await expect(channel.next()).rejects.toBe("first");
  const other = new Channel();
  const waiting = other.next();
  other.fail(undefined);
  await expect(waiting).rejects.toBeUndefined();
});
