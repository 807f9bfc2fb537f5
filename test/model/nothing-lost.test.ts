import fc from "fast-check";
import { expect, it } from "vitest";
import { histories } from "./support/history.ts";
import { type Played, play } from "./support/play.ts";

const CASES = Number(process.env.SYNC_CASES ?? 300);
const SEED = Number(process.env.SYNC_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Shrinking a failure may take longer than anybody wants to wait. */
const LONGEST_MS = Number(process.env.SYNC_LIMIT_MS ?? (CASES > 2000 ? 3_000_000 : 300_000));
const PATH = process.env.SYNC_PATH;

it("everything is delivered, once in each sync, and no state runs ahead, whatever the data, dialect, faults, kills and settings", {
  timeout: 3_600_000,
}, async () => {
  const all: Played[] = [];
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      all.push(await play(history));
    }),
    {
      numRuns: CASES,
      seed: SEED,
      interruptAfterTimeLimit: LONGEST_MS,
      ...(PATH !== undefined && { path: PATH }),
    },
  );
  const sum = (name: keyof Played): number => all.reduce((total, played) => total + played[name], 0);
  console.info(`seed ${SEED}, ${all.length} histories, ${sum("syncs")} syncs, ${sum("kills")} kills`);
  if (PATH !== undefined || CASES < 500) return;
  expect(sum("kills")).toBeGreaterThan(CASES / 4);
  expect(sum("completeWithHoles")).toBeGreaterThan(CASES / 20);
  expect(sum("lies")).toBeGreaterThan(CASES / 100);
  expect(sum("snapshots")).toBeGreaterThan(CASES / 2);
  expect(sum("ofEverySurvey")).toBeGreaterThan(CASES);
  expect(sum("strangers")).toBeGreaterThan(CASES / 1000);
  expect(sum("forgotten")).toBeGreaterThan(CASES / 50);
  expect(Math.max(...all.map(({ largestInFlight }) => largestInFlight))).toBe(5);
});
