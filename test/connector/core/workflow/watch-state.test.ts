import { describe, expect, it } from "vitest";
import { parseWatch, storedWatch, type WatchState } from "../../../../connector/core/workflow/watch-state.ts";
import { timestampAt as at } from "../../../model/support/list-service.ts";

const MINUTE = 60_000_000;
/** A survey that was read up to ten minutes, with two responses handed over and one that cannot be read. */
const watched: WatchState = new Map([
  [
    "s",
    {
      coverage: [
        [null, at(2 * MINUTE - 1)],
        [at(2 * MINUTE + 1), at(10 * MINUTE)],
      ],
      covered: [],
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
      [null, at(2 * MINUTE - 1)],
      [at(2 * MINUTE + 1), at(5 * MINUTE)],
      [at(10 * MINUTE), at(10 * MINUTE)],
    ]);
    expect([...handedOver.keys()]).toEqual(["late"]);
  });
});
