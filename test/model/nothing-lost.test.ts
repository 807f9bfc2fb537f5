import fc from "fast-check";
import { expect, it } from "vitest";
import { histories } from "./support/history.ts";
import { play } from "./support/play.ts";

const CASES = Number(process.env.SYNC_CASES ?? 300);
const SEED =
  process.env.SYNC_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(process.env.SYNC_SEED);
/** Shrinking a failure may take longer than anybody wants to wait. */
const LONGEST_MS = Number(process.env.SYNC_LIMIT_MS ?? (CASES > 2000 ? 3_000_000 : 300_000));
const PATH = process.env.SYNC_PATH;

it("everything is delivered, once in each sync, and no state runs ahead, whatever the data, dialect, faults, kills and settings", {
  timeout: 3_600_000,
}, async () => {
  const sums = {
    ...{ syncs: 0, quietSyncs: 0, kills: 0, requests: 0, incomplete: 0 },
    ...{ completeWithHoles: 0, snapshots: 0, belowFalseEnds: 0, lostBelowFalseEnds: 0 },
  };
  let largestInFlight = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const played = await play(history);
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += played[name];
      largestInFlight = Math.max(largestInFlight, played.largestInFlight);
    }),
    {
      numRuns: CASES,
      seed: SEED,
      interruptAfterTimeLimit: LONGEST_MS,
      ...(PATH !== undefined && { path: PATH }),
    },
  );
  console.info(`seed ${SEED}, ${CASES} histories: ${JSON.stringify(sums)}`);
  if (PATH === undefined && CASES >= 500) {
    expect(sums.kills).toBeGreaterThan(CASES / 4);
    expect(sums.completeWithHoles).toBeGreaterThan(CASES / 20);
    expect(sums.belowFalseEnds).toBeGreaterThan(CASES / 100);
    expect(sums.snapshots).toBeGreaterThan(CASES / 2);
    expect(largestInFlight).toBe(5);
  }
});
