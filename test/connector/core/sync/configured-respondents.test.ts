import { describe, expect, it } from "vitest";
import type { ConfiguredRespondents } from "../../../../connector/core/coverage/stream-state.ts";
import { ConfiguredProgress } from "../../../../connector/core/sync/configured-respondents.ts";
import { personId } from "../../../model/support/connection.ts";
import { at } from "../coverage/support/timestamps.ts";

const DAY = 86_400_000_000;
const [ANN, BOB, CEM] = [personId(1), personId(2), personId(3)] as const;

type Options = ConstructorParameters<typeof ConfiguredProgress>[0];
const progressOf = (uuids: readonly string[], options: Partial<Options> = {}): ConfiguredProgress =>
  new ConfiguredProgress({
    ...{ uuids, stored: undefined, upTo: undefined, lookbackMs: 0, endDate: undefined },
    present: at(10 * DAY),
    ...options,
  });
/** What the state says after a sync at `present`, which found everybody. */
function storedAfter(present: number, uuids: readonly string[], options: Partial<Options> = {}) {
  const progress = progressOf(uuids, options);
  progress.wereRead(at(present), false, true);
  return progress.stored;
}
const fingerprintOf = (uuids: readonly string[]): string => storedAfter(0, uuids)!.fingerprint;

describe("the people whom the configuration names", () => {
  it("have given nothing for certain in a first sync", () => {
    expect(progressOf([ANN]).deliveredBelow).toBeUndefined();
    expect(progressOf([ANN]).stored).toBeUndefined();
  });

  it("have given everything up to the present of the sync that read them, less the lookback", () => {
    const stored = storedAfter(5000, [ANN, BOB]);
    expect(stored).toMatchObject({ collected_at: at(5000) });
    expect(progressOf([ANN, BOB], { stored }).deliveredBelow).toBe(at(5000));
    expect(progressOf([ANN, BOB], { stored, lookbackMs: 2 }).deliveredBelow).toBe(at(3000));
  });

  it("have given nothing above the end date", () => {
    expect(storedAfter(5000, [ANN], { endDate: at(4000) })?.collected_at).toBe(at(4000));
    expect(storedAfter(5000, [ANN], { endDate: at(6000) })?.collected_at).toBe(at(5000));
  });

  it("never have given less than before", () => {
    const stored = storedAfter(5000, [ANN]);
    expect(storedAfter(4000, [ANN], { stored })?.collected_at).toBe(at(5000));
    expect(storedAfter(6000, [ANN], { stored, endDate: at(1000) })?.collected_at).toBe(at(5000));
  });

  it("are named by nothing in the state, and by no entry if there are none", () => {
    expect(JSON.stringify(storedAfter(5000, [ANN, BOB]))).not.toContain(ANN.slice(0, 8));
    expect(storedAfter(5000, [])).toBeUndefined();
  });

  it("keep what an earlier sync knew of them if this one did not read everybody", () => {
    const stored = storedAfter(5000, [ANN]);
    expect(progressOf([ANN], { stored }).stored).toBe(stored);
    expect(progressOf([BOB], { stored }).stored).toBe(stored);
  });
});

describe("the fingerprint", () => {
  it("is one for all orders, all spellings and all repetitions of the same UUIDs", () => {
    const fingerprint = fingerprintOf([ANN, BOB]);
    expect(fingerprintOf([BOB, ANN, BOB])).toBe(fingerprint);
    const capitals = ["6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10", "6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10"];
    expect(fingerprintOf(capitals)).toBe(fingerprintOf(capitals.slice(1)));
  });

  it("differs for all other UUIDs", () => {
    const lists = [[ANN], [BOB], [ANN, BOB], [ANN, CEM], [BOB, CEM], [ANN, BOB, CEM], ["Ann"], ["ann"]];
    expect(new Set(lists.map(fingerprintOf)).size).toBe(lists.length);
    const many = Array.from({ length: 5000 }, (_, number) => fingerprintOf([personId(number)]));
    expect(new Set(many).size).toBe(many.length);
  });

  it.each([
    ["one more", [ANN, BOB, CEM]],
    ["one less", [ANN]],
  ])("changes with %s: then everybody's responses come again", (_, uuids) => {
    const stored = storedAfter(5000, [ANN, BOB]);
    expect(progressOf(uuids, { stored }).deliveredBelow).toBeUndefined();
    expect(storedAfter(3000, uuids, { stored })).toMatchObject({ collected_at: at(3000) });
  });
});

describe("if somebody of them is not found", () => {
  const missing = (stored: ConfiguredRespondents | undefined, hasControl: boolean, present = 5 * DAY) => {
    const progress = progressOf([ANN, BOB], { stored });
    progress.wereRead(at(present), true, hasControl);
    return progress.stored;
  };
  const first = missing(undefined, true);

  it("in a first sync, the state says that, and nothing for certain", () => {
    expect(first).toEqual({ fingerprint: fingerprintOf([ANN, BOB]), collected_at: null });
    expect(missing(undefined, false)).toEqual(first);
    expect(progressOf([ANN, BOB], { stored: first }).deliveredBelow).toBeUndefined();
  });

  it("in a second sync that finds others, everything counts but the last day", () => {
    expect(missing(first, true)?.collected_at).toBe(at(4 * DAY));
  });

  it("in a second sync that finds nobody, nothing changes", () => {
    expect(missing(first, false)).toBe(first);
  });

  it("after everybody was read before, the timestamp stops a day below the present and never moves back", () => {
    const stored = storedAfter(2 * DAY, [ANN, BOB]);
    expect(missing(stored, true, 5 * DAY)?.collected_at).toBe(at(4 * DAY));
    expect(missing(stored, true, 2.5 * DAY)?.collected_at).toBe(at(2 * DAY));
  });

  it("among other people than before, it is a first sync again", () => {
    const stored = storedAfter(2 * DAY, [ANN]);
    expect(missing(stored, true)?.collected_at).toBeNull();
  });
});

describe("a state that was written by hand as a collected_at", () => {
  it("counts for everybody, whoever is configured", () => {
    expect(progressOf([ANN], { upTo: at(5000), lookbackMs: 1 }).deliveredBelow).toBe(at(4000));
    expect(storedAfter(3000, [ANN], { upTo: at(5000) })?.collected_at).toBe(at(5000));
  });
});
