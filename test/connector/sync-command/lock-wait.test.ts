import { render } from "@survey-export/core/message";
import { expect, it } from "vitest";
import { lockWaitForTest, sqliteError } from "./support/lock-wait.ts";

/** Fails as often as a lock is held, then succeeds. */
function lockedFor(times: number) {
  const state = { attempts: 0 };
  const attempt = (): string => {
    if (++state.attempts <= times) throw sqliteError(5);
    return "done";
  };
  return { attempt, state };
}

it("waits until the lock is released, and says so once if that takes more than a second", async () => {
  const shown: string[] = [];
  const { wait, told } = lockWaitForTest({
    onPause: () => shown.push(wait.waitsFor ? render(wait.waitsFor) : ""),
  });
  expect(await wait.whenFree(lockedFor(10).attempt)).toBe("done");
  expect([told.times, new Set(shown)]).toEqual([0, new Set([""])]);
  expect(await wait.whenFree(lockedFor(40).attempt)).toBe("done");
  expect([told.times, shown.at(-1)]).toEqual([1, "waiting for another program, which has locked the file"]);
  expect(wait.waitsFor).toBeUndefined();
});

it("gives up after a minute, with SQLite's error", async () => {
  let passedMs = 0;
  const { wait } = lockWaitForTest({
    onPause: (ms) => {
      passedMs = ms;
    },
  });
  await expect(wait.whenFree(lockedFor(Infinity).attempt)).rejects.toMatchObject({ errcode: 5 });
  expect(passedMs).toBe(60_000);
  expect(await wait.succeeds(() => void lockedFor(Infinity).attempt(), 0)).toBe(false);
});

it("is ended by the signal, and then tries once", async () => {
  const controller = new AbortController();
  const reason = new Error("stopped by SIGTERM");
  const { wait } = lockWaitForTest({
    signal: controller.signal,
    onPause: (ms) => ms === 500 && controller.abort(reason),
  });
  await expect(wait.whenFree(lockedFor(Infinity).attempt)).rejects.toBe(reason);
  expect(await wait.whenFree(lockedFor(0).attempt)).toBe("done");
  const { attempt, state } = lockedFor(Infinity);
  expect(await wait.succeeds(() => void attempt(), 1000)).toBe(false);
  expect(state.attempts).toBe(1);
});

it("does not wait for any other failure", async () => {
  const { wait } = lockWaitForTest();
  const full = sqliteError(13);
  const attempt = () => {
    throw full;
  };
  await expect(wait.whenFree(attempt)).rejects.toBe(full);
  await expect(wait.succeeds(attempt, 1000)).rejects.toBe(full);
});
