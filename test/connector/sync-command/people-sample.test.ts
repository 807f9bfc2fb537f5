import { parseTimestamp } from "@survey-export/core";
import { expect, it } from "vitest";
import { pagesToRead } from "../../../connector/sync-command/people-sample.ts";

const NOW = "2026-01-11T00:00:00.000000Z";

/** A survey that was made ten days ago. */
const survey = (id: string, responses: number | undefined, createdAt = "2026-01-01T00:00:00.000000Z") => ({
  id,
  listed: { id, name: null, type: null, responses, createdAt: parseTimestamp(createdAt), fields: {} },
});

it.each([
  ["no survey", [], []],
  ["surveys without responses", [survey("a", 0), survey("b", undefined)], []],
  ["a survey of one page", [survey("a", 100)], ["a"]],
  ["a large survey", [survey("a", 900)], ["a", "a 01-09", "a 01-07", "a 01-05", "a 01-03"]],
  [
    "two surveys, of which one has a single page",
    [survey("a", 900), survey("b", 50)],
    ["a", "b", "a 01-07", "a 01-03"],
  ],
  [
    "many surveys",
    [..."abcdefg"].map((id) => survey(id, 200)),
    ["a", "b 01-09", "c 01-07", "d 01-05", "e 01-03"],
  ],
  ["a survey of unknown age", [survey("a", 900, "")], Array(5).fill("a")],
])("of %s the pages at these times are read", (_, surveys, pages) => {
  const shown = pagesToRead(surveys, Date.parse(NOW)).map(
    ({ id, from }) => `${id}${from === undefined ? "" : ` ${from.slice(5, 10)}`}`,
  );
  expect(shown).toEqual(pages);
});
