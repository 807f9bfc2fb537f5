import { expect, it } from "vitest";
import { CircuitBreaker } from "../../../../connector/core/sync/circuit-breaker.ts";

const EVERYBODY = ["anna", "bert", "carl", "dora"];

/** A breaker after so many failures, and `random` numbers that it draws in turn, again and again. */
function breakerAfter(failures: number, ...random: number[]): CircuitBreaker {
  let drawn = 0;
  const breaker = new CircuitBreaker(() => random[drawn++ % random.length] ?? 0);
  for (let count = 0; count < failures; count++) breaker.failed();
  return breaker;
}

it.each([
  [0, false],
  [14, false],
  [15, true],
  [100, true],
])("after %i failures in a row it is open: %s", (failures, isOpen) => {
  expect(breakerAfter(failures).isOpen).toBe(isOpen);
});

it("a list that is read closes it, and it opens again only after as many failures", () => {
  const breaker = breakerAfter(15);
  breaker.succeeded();
  expect(breaker.isOpen).toBe(false);
  for (let count = 0; count < 14; count++) breaker.failed();
  expect(breaker.isOpen).toBe(false);
  breaker.failed();
  expect(breaker.isOpen).toBe(true);
});

it.each([
  [0, "anna"],
  [0.25, "bert"],
  [0.999, "dora"],
])("it tries one respondent by chance: %f is %s", (random, tried) => {
  expect(breakerAfter(15, random).chooseOne(EVERYBODY)).toBe(tried);
});

/** How many of so many pages try somebody, if every page fails. */
const triesOf = (breaker: CircuitBreaker, pages: number): number =>
  Array.from({ length: pages }, () => breaker.chooseOne(EVERYBODY)).filter((tried) => tried !== undefined)
    .length;

it.each([
  ["nothing of which is tried by chance", 0.1, 50],
  ["all of which is tried by chance", 0.0999, 100],
])("it tries somebody of 50 pages, and of the pages after them, %s", (_, random, tries) => {
  expect(triesOf(breakerAfter(15, random), 100)).toBe(tries);
});

it("counts the 50 pages again after a list was read", () => {
  const breaker = breakerAfter(15, 0.5);
  expect(triesOf(breaker, 60)).toBe(50);
  breaker.succeeded();
  expect(triesOf(breaker, 60)).toBe(50);
});
