import { describe, expect, it } from "vitest";
import { createClaims } from "../../../connector/core/lists/coverage-tracker.ts";
import { at } from "../coverage/timestamps.ts";

const told = (top: number | undefined, tell: (claims: ReturnType<typeof createClaims>) => void) => {
  const claims = createClaims(top === undefined ? undefined : at(top));
  tell(claims);
  return claims.take();
};

describe("what a walk may claim (I2)", () => {
  it("is nothing of its last item's moment, of which more may follow on the next page", () => {
    const spans = told(undefined, (claims) => {
      for (const moment of [9, 7, 5, 5]) claims.item(at(moment));
      claims.pageEnd();
    });
    expect(spans).toEqual([[at(7), at(9)]]);
  });

  it("is nothing at all while a single moment fills the page", () => {
    const spans = told(9, (claims) => {
      for (const moment of [9, 9, 9]) claims.item(at(moment));
      claims.pageEnd();
    });
    expect(spans).toEqual([]);
  });

  it("goes down to the end only when the end was reached", () => {
    const spans = told(9, (claims) => {
      claims.item(at(7));
      claims.reached(at(2));
    });
    expect(spans).toEqual([[at(2), at(9)]]);
  });

  it("is the whole stretch when it was asked for from a known moment and is empty, and nothing when its top is not known", () => {
    expect(told(9, (claims) => claims.reached(null))).toEqual([[null, at(9)]]);
    expect(told(undefined, (claims) => claims.reached(null))).toEqual([]);
  });

  it("leaves a hole around an item that cannot be read", () => {
    const spans = told(undefined, (claims) => {
      claims.item(at(9));
      claims.item(at(7));
      claims.unreadable();
      claims.item(at(4));
      claims.item(at(3));
      claims.reached(null);
    });
    // It may lie at 7 or at 4, behind or before the item that can be read.
    expect(spans).toEqual([
      [at(9), at(9)],
      [null, at(3)],
    ]);
  });

  it("leaves open what lies above an unreadable first item, and below an unreadable last one", () => {
    expect(
      told(9, (claims) => {
        claims.unreadable();
        claims.item(at(4));
        claims.reached(at(1));
      }),
    ).toEqual([[at(1), at(3)]]);
    expect(
      told(9, (claims) => {
        claims.unreadable();
        claims.reached(at(1));
      }),
    ).toEqual([]);
  });

  it("leaves out the moment that the paging cannot get past", () => {
    const spans = told(9, (claims) => {
      for (const moment of [8, 6, 6]) claims.item(at(moment));
      claims.skipTo(at(5));
      claims.item(at(2));
      claims.reached(null);
    });
    expect(spans).toEqual([
      [at(8), at(9)],
      [null, at(5)],
    ]);
  });

  it("stops above where a list ended oddly", () => {
    const spans = told(9, (claims) => {
      for (const moment of [8, 6]) claims.item(at(moment));
      claims.pageEnd();
      claims.endedAtLastItem();
    });
    expect(spans.every(([older]) => older !== null && older >= at(6))).toBe(true);
  });

  it("is handed out once", () => {
    const claims = createClaims(at(9));
    claims.reached(null);
    expect(claims.take()).toHaveLength(1);
    expect(claims.take()).toEqual([]);
  });
});
