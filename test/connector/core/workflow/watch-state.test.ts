import { describe, expect, it } from "vitest";
import {
  openAfter,
  parseWatch,
  storedWatch,
  type WatchState,
} from "../../../../connector/core/workflow/watch-state.ts";
import { timestampAt as at } from "../../../model/support/list-service.ts";

const MINUTE = 60_000_000;
/** A survey that was read up to ten minutes, with two responses handed over and one left open. */
const watched: WatchState = new Map([
  [
    "s",
    {
      coverage: [[null, at(10 * MINUTE)]],
      covered: [],
      open: [[at(2 * MINUTE), at(2 * MINUTE)]],
      handedOver: new Map([
        ["early", at(MINUTE)],
        ["late", at(9 * MINUTE)],
      ]),
    },
  ],
]);

describe("the memory of a watch", () => {
  it("comes back as it was stored: without the lookback, and with the UUIDs that this needs", () => {
    const { handedOver, ...survey } = parseWatch(
      JSON.parse(JSON.stringify(storedWatch(watched, 300_000))),
    ).get("s")!;
    expect(survey.coverage).toEqual([
      [null, at(5 * MINUTE)],
      [at(10 * MINUTE), at(10 * MINUTE)],
    ]);
    expect(survey.open).toEqual([[at(2 * MINUTE), at(2 * MINUTE)]]);
    expect([...handedOver.keys()]).toEqual(["late"]);
  });

  it.each([
    undefined,
    {},
    { state: { version: 1, surveys: {} } },
    { state: { version: 1, surveys: {} }, handed_over: [["s", [["r", "never"]]]] },
  ])("is refused as %j, which would be a first read", (value) => {
    expect(() => parseWatch(value)).toThrow("The memory of what was handed over cannot be read.");
  });

  it("keeps open what a poll left open, and what it saw and held back", () => {
    const [survey] = watched.values();
    const two = [at(2 * MINUTE), at(2 * MINUTE)] as const;
    expect(openAfter(survey!, [], [])).toEqual([]);
    expect(openAfter(survey!, [two], [at(7 * MINUTE)])).toEqual([two, [at(7 * MINUTE), at(7 * MINUTE)]]);
  });
});
