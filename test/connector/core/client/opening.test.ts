import { expect, it } from "vitest";
import { asksAtMs, openForMs } from "../../../../connector/core/client/opening.ts";

const SECOND_MS = Date.UTC(2026, 0, 1);

it.each([
  [-250, 0],
  [-21, 0],
  [-20, 50],
  [-19, 49],
  [0, 30],
  [29, 1],
  [30, 0],
  [31, 0],
  [479, 0],
  [480, 50],
  [500, 30],
])("%i ms after a second, the last slot is kept free for another %i ms", (afterMs, openMs) => {
  expect(Math.max(0, openForMs(SECOND_MS + afterMs))).toBe(openMs);
});

it.each([
  [-1, 0, 0],
  [0, 0, 0],
  [1, 0, 500],
  [499, 0, 500],
  [500, 0, 500],
  [0, 0.2, 3],
  [501, 0.8, 1012],
])(
  "a process that waits until %i ms after a second, and draws %d, asks at %i ms",
  (waitsMs, random, asksMs) => {
    expect(asksAtMs(SECOND_MS + waitsMs, random) - SECOND_MS).toBe(asksMs);
  },
);

it("who asks finds the opening, whatever it draws", () => {
  for (const random of [0, 0.5, 0.999]) expect(openForMs(asksAtMs(SECOND_MS, random))).toBeGreaterThan(0);
});
