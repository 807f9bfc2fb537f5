import type { Timestamp } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  advance,
  baseline,
  type Collected,
  type Cursor,
  MOST_AHEAD,
  MOST_IDS,
  newTo,
  readFrom,
} from "../../../n8n-node/nodes/SurveyExport/trigger/cursor.ts";
import { oldestNew } from "../../../n8n-node/nodes/SurveyExport/trigger/oldest.ts";

const LOOKBACK_MS = 10 * 60_000;
const START_MS = Date.UTC(2026, 0, 1);
/** The service's present, where a test does not care: later than everything. */
const LATER = "2027-01-01T00:00:00.000000Z" as Timestamp;
const isNew = (cursor: Cursor, one: Collected, present = LATER) => newTo(cursor, present)(one);

/** The timestamp that lies a number of microseconds after the first of January. */
const at = (microseconds: number): Timestamp => {
  const ms = Math.floor(microseconds / 1_000);
  const rest = String(microseconds - ms * 1_000).padStart(3, "0");
  return new Date(START_MS + ms).toISOString().replace("Z", `${rest}Z`) as Timestamp;
};
const minutes = (count: number) => count * 60_000_000;
const response = (uuid: string, microseconds: number): Collected => ({
  uuid,
  collected_at: at(microseconds),
});

describe("the cursor", () => {
  const cursor = baseline([response("b", minutes(20)), response("a", minutes(15))], LOOKBACK_MS, LATER);

  test("after the baseline, existing responses are known and later ones are new", () => {
    expect(cursor).toEqual({
      newest: at(minutes(20)),
      since: at(minutes(10)),
      ids: { a: at(minutes(15)), b: at(minutes(20)) },
    });
    expect(isNew(cursor, response("a", minutes(15)))).toBe(false);
    expect(isNew(cursor, response("c", minutes(20)))).toBe(true);
    expect(isNew(cursor, response("late", minutes(11)))).toBe(true);
  });

  test("a response older than the window counts as known", () => {
    expect(isNew(cursor, response("very late", minutes(10) - 1))).toBe(false);
    expect(readFrom(cursor, LOOKBACK_MS)).toBe(at(minutes(10)));
  });

  test("a longer lookback does not reach back to where ids were forgotten", () => {
    expect(readFrom(cursor, 60 * 60_000)).toBe(at(minutes(10)));
  });

  test("one that shows up late is remembered and does not move the cursor back", () => {
    const { cursor: next } = advance(cursor, [response("late", minutes(12))], LOOKBACK_MS, LATER);
    expect(next.newest).toBe(cursor.newest);
    expect(isNew(next, response("late", minutes(12)))).toBe(false);
  });

  test("ids outside the window are forgotten", () => {
    const { cursor: next } = advance(cursor, [response("c", minutes(26))], LOOKBACK_MS, LATER);
    expect(next.ids).toEqual({ b: at(minutes(20)), c: at(minutes(26)) });
  });

  test("of a survey without responses everything is new", () => {
    const empty = baseline([], LOOKBACK_MS, LATER);
    expect(empty).toEqual({ newest: null, since: null, ids: {} });
    expect(readFrom(empty, LOOKBACK_MS)).toBeUndefined();
    expect(isNew(empty, response("first", 0))).toBe(true);
  });

  test("too many ids shorten the window and never let one come twice", () => {
    const many = Array.from({ length: MOST_IDS + 500 }, (_, n) => response(`r${n}`, minutes(30) + n));
    const { cursor: next, forgot } = advance(cursor, many, LOOKBACK_MS, LATER);
    expect(forgot).toBe(true);
    expect(Object.keys(next.ids).length).toBeLessThanOrEqual(MOST_IDS);
    expect(many.filter(newTo(next, LATER))).toEqual([]);
  });

  test("a response from the future starts the workflow once and leaves the present where it is", () => {
    const present = at(minutes(30));
    const ahead = response("ahead", minutes(90));
    expect(isNew(cursor, ahead, present)).toBe(true);
    const { cursor: next } = advance(cursor, [response("now", minutes(29)), ahead], LOOKBACK_MS, present);
    expect(next.newest).toBe(at(minutes(29)));
    expect(isNew(next, ahead, present)).toBe(false);
    expect(isNew(next, response("between", minutes(60)), at(minutes(61)))).toBe(true);
    const { cursor: last } = advance(next, [response("much later", minutes(200))], LOOKBACK_MS, LATER);
    expect(Object.keys(last.ids)).toEqual(["much later"]);
  });

  test("a survey whose only responses are from the future remembers them", () => {
    const present = at(minutes(30));
    const ahead = response("ahead", minutes(90));
    const first = baseline([ahead], LOOKBACK_MS, present);
    expect(first).toEqual({
      newest: present,
      since: at(minutes(20)),
      ids: { ahead: at(minutes(90)) },
    });
    const empty = baseline([], LOOKBACK_MS, present);
    const { cursor: next } = advance(empty, [ahead], LOOKBACK_MS, present);
    expect(isNew(next, ahead, present)).toBe(false);
    expect(isNew(next, response("past", 0), present)).toBe(true);
  });

  test("with very many from the future, further ones wait until their time has come", () => {
    const present = at(minutes(30));
    const many = Array.from({ length: MOST_AHEAD }, (_, n) => response(`r${n}`, minutes(90) + n));
    const { cursor: next } = advance(cursor, many, LOOKBACK_MS, present);
    const further = response("further", minutes(95));
    expect(isNew(next, further, present)).toBe(false);
    expect(isNew(next, further, at(minutes(96)))).toBe(true);
    expect(isNew(next, response("now", minutes(29)), present)).toBe(true);
  });
});

/** A survey's list, newest first, as the trigger reads it; counts the pages. */
function listOf(held: readonly Collected[]) {
  const pages = { read: 0 };
  const read = async (from: string | undefined, to: string | undefined, most: number) => {
    const all = held
      .filter(({ collected_at: time }) => (!from || time >= from) && (!to || time <= to))
      .sort((one, other) => (one.collected_at > other.collected_at ? -1 : 1));
    pages.read += Math.max(1, Math.ceil(Math.min(all.length, most) / 100));
    const whole = Math.ceil(most / 100) * 100;
    return { responses: all.slice(0, whole), complete: all.length <= whole };
  };
  return { read, pages };
}

describe("the oldest new responses", () => {
  test("of a hundred thousand that piled up are found in few requests", async () => {
    const held = Array.from({ length: 100_000 }, (_, n) => response(`r${n}`, minutes(60) + n * 7_000_003));
    const { read, pages } = listOf(held);
    const { responses: found } = await oldestNew(read, at(0), 500, () => true);
    expect(found.map(({ uuid }) => uuid)).toEqual(held.slice(0, 500).map(({ uuid }) => uuid));
    expect(pages.read).toBeLessThan(60);
  });

  test("are found though nearly all that piled up came at its very end", async () => {
    const held = [
      response("first", minutes(1)),
      ...Array.from({ length: 20_000 }, (_, n) => response(`r${n}`, minutes(500_000) + n)),
    ];
    const { read, pages } = listOf(held);
    const { responses: found } = await oldestNew(read, at(0), 2, () => true);
    expect(found.map(({ uuid }) => uuid)).toEqual(["first", "r0"]);
    expect(pages.read).toBeLessThan(100);
  });

  test("of one microsecond are read together, however many", async () => {
    const held = Array.from({ length: 3_000 }, (_, n) => response(`r${n}`, minutes(5)));
    const { responses: found } = await oldestNew(listOf(held).read, at(0), 10, () => true);
    expect(found).toHaveLength(10);
  });
});

test("each response, late, in a burst or dated in the future, starts the workflow once if it shows up within the lookback", async () => {
  const arrival = fc.record({
    afterMs: fc.integer({ min: 0, max: 8 * 60_000 }),
    lateMs: fc.integer({ min: 0, max: LOOKBACK_MS - 1 }),
    burst: fc.constantFrom(1, 1, 1, 5, 40),
    aheadMs: fc.constantFrom(0, 0, 0, 0, 60_000, 3_600_000),
    tie: fc.boolean(),
  });
  const history = fc.array(fc.oneof(arrival, fc.constant("poll" as const), fc.constant("restart" as const)), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 1, max: 30 }), async (events, mostPerPoll) => {
      const held: Collected[] = [response("before", 0)];
      const due = new Set<string>();
      const started: string[] = [];
      let cursor: Cursor = baseline(held, LOOKBACK_MS, LATER);
      let nowMicros = 0;
      const poll = async () => {
        const { responses: found } = await oldestNew(
          listOf(held).read,
          readFrom(cursor, LOOKBACK_MS),
          mostPerPoll,
          (one) => isNew(cursor, one),
        );
        started.push(...found.map(({ uuid }) => uuid));
        ({ cursor } = advance(cursor, found, LOOKBACK_MS, at(nowMicros)));
        return found.length;
      };
      for (const event of events) {
        if (event === "poll") await poll();
        else if (event === "restart") cursor = JSON.parse(JSON.stringify(cursor));
        else {
          nowMicros += event.afterMs * 1_000;
          for (let n = 0; n < event.burst; n++) {
            // Late compared with the newest response there is: the lookback is measured from it.
            const micros = Math.max(
              0,
              nowMicros + (event.aheadMs || -event.lateMs) * 1_000 + (event.tie ? 0 : n),
            );
            held.push(response(`r${held.length}`, micros));
            due.add(`r${held.length - 1}`);
          }
        }
      }
      while ((await poll()) > 0);
      expect(started.length).toBe(new Set(started).size);
      expect(new Set(started)).toEqual(due);
    }),
    { numRuns: 150 },
  );
});
