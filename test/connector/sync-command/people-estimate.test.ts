import { expect, it } from "vitest";
import { peopleAmong } from "../../../connector/sync-command/people-estimate.ts";

it.each([
  ["a sample of everything is counted", 120, { responses: 120, people: 60 }, 60],
  ["more than the service counts, too", 100, { responses: 120, people: 60 }, 60],
  ["most people of the sample repeat: there are hardly more", 1620, { responses: 200, people: 58 }, 60],
  ["a tenth of the sample repeats", 34_200, { responses: 500, people: 451 }, 2382],
  ["few repeat: there are at most as many people as responses", 600, { responses: 100, people: 95 }, 447],
  ["too few repeat to say anything", 10_000, { responses: 100, people: 96 }, undefined],
  ["nobody repeats", 10_000, { responses: 100, people: 100 }, undefined],
  ["one person gave everything", 10_000, { responses: 100, people: 1 }, 1],
  ["there is no sample", 10_000, { responses: 0, people: 0 }, undefined],
  ["there are no responses", 0, { responses: 0, people: 0 }, 0],
])("%s: of %i responses and %j, about %s people", (_, responses, sample, people) => {
  expect(peopleAmong(responses, sample)).toBe(people);
});
