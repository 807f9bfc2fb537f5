import fc from "fast-check";
import { expect, it } from "vitest";
import { coverageOf, type Span } from "../../../connector/core/coverage/coverage.ts";
import { readItemPage } from "../../../connector/core/lists/item.ts";
import { chooseCut } from "../../../connector/core/sync/split.ts";
import { createSurveyReading, type SurveyPart } from "../../../connector/core/reading/survey-reading.ts";
import { createListService, HEALTHY } from "../../sync/list-service.ts";
import { at, RUNS } from "../coverage/timestamps.ts";

const PLAIN = { shape: "wrapped", linkOnLastPage: false, closesEmpty: false } as const;

/**
 * Reads a survey with as many parts as can be cut, taking the waiting answers in any order. `order` decides which
 * answer comes next, and whether it was given when it was asked for or only now.
 */
function readSplit(
  places: readonly number[],
  itemsPerPage: number,
  link: "next_moment" | "last_moment" | "next_item" | "last_item",
  honoursEnd: boolean,
  older: number | undefined,
  order: readonly number[],
  edges: readonly number[] = [],
) {
  const service = createListService({ ...PLAIN, link, honoursEnd }, new Map());
  places.forEach((moment, number) => {
    service.add({ uuid: `r${number}`, survey: "s1", person: "p", at: moment });
  });
  const reading = createSurveyReading({
    id: "s1",
    gaps: [{ older: older === undefined ? null : at(older), newer: undefined }],
    edges: new Set(edges.map(at)),
    itemsPerPage,
    attributes: [],
  });
  const delivered: string[] = [];
  const spans: Span[] = [];
  const waiting: { part: SurveyPart; path: string }[] = [];
  const ask = (part: SurveyPart): void => {
    waiting.push({ part, path: part.walk.path! });
  };
  let requests = 0;
  let parts = 1;
  ask(reading.parts[0]!);
  while (waiting.length > 0) {
    while (waiting.length < 5) {
      const cut = chooseCut(reading.parts, itemsPerPage);
      if (cut === undefined) break;
      parts++;
      ask(reading.split(cut));
    }
    const [answered] = waiting.splice((order[requests % order.length] ?? 0) % waiting.length, 1);
    const { part, path } = answered!;
    requests++;
    if (!reading.isOpen(part)) continue;
    const page = reading.receive(part, readItemPage(service.answer(path, HEALTHY).body, part.walk.notAfter));
    delivered.push(...page.items.map(({ uuid }) => uuid));
    for (const claim of page.claims) spans.push(...claim.spans);
    for (const response of service.responses) {
      const moment = at(response.at);
      if (spans.some(([low, high]) => (low === null || low < moment) && moment < high)) {
        expect(delivered).toContain(response.uuid);
      }
    }
    if (reading.isOpen(part)) ask(part);
  }
  const wanted = service.responses.filter((response) => older === undefined || response.at >= older);
  return { delivered, wanted: wanted.map(({ uuid }) => uuid), spans, requests, parts };
}

it("parts of one walk deliver everything once, in whatever order their answers come, and claim the whole stretch", () => {
  let split = 0;
  fc.assert(
    fc.property(
      fc.array(fc.nat(300), { minLength: 1, maxLength: 90 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom("next_moment", "last_moment", "next_item", "last_item"),
      fc.boolean(),
      fc.option(fc.nat(300), { nil: undefined, freq: 2 }),
      fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
      (places, size, link, honoursEnd, older, order) => {
        const { delivered, wanted, spans, parts } = readSplit(places, size, link, honoursEnd, older, order);
        if (parts > 1) split++;
        expect([...delivered].sort()).toEqual([...wanted].sort());
        if (wanted.length === 0) return;
        const newest = at(Math.max(...places));
        expect(coverageOf(spans)).toEqual([[older === undefined ? null : at(older), newest]]);
      },
    ),
    RUNS,
  );
  expect(split).toBeGreaterThan(RUNS.numRuns / 4);
});

it("a small list is one plain walk", () => {
  const places = Array.from({ length: 20 }, (_, number) => number * 10);
  expect(readSplit(places, 10, "next_item", true, undefined, [0]).parts).toBe(1);
});
