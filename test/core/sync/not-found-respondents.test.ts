import { describe, expect, it } from "vitest";
import { MOST_NOT_FOUND, NotFoundRespondents } from "../../../connector/core/sync/not-found-respondents.ts";

const TIME = "2026-01-01T00:00:00.000000Z";

describe("a respondent that was not found", () => {
  it("stays noted until another sync has not found them either, and has found others", () => {
    const first = new NotFoundRespondents([]);
    expect(first.notFound("ann", TIME, 0)).toBe(true);
    expect(first.entries).toEqual([["ann", TIME]]);

    const outage = new NotFoundRespondents(first.entries);
    outage.notFound("ann", TIME, outage.found);
    expect(outage.entries).toEqual([["ann", TIME]]);

    const second = new NotFoundRespondents(outage.entries);
    const foundBefore = second.found;
    second.answered();
    second.notFound("ann", TIME, foundBefore);
    expect(second.entries).toEqual([]);
  });

  it("is no longer noted once they are found", () => {
    const respondents = new NotFoundRespondents([["ann", TIME]]);
    expect(respondents.delivered("ann")).toBe(true);
    expect(respondents.entries).toEqual([]);
  });

  it("finds no room beside a hundred others, so that the state does not grow", () => {
    const respondents = new NotFoundRespondents([]);
    for (let count = 0; count < MOST_NOT_FOUND; count++) {
      expect(respondents.notFound(`p${count}`, TIME, 0)).toBe(true);
    }
    expect(respondents.notFound("one more", TIME, 0)).toBe(false);
    expect(respondents.entries).toHaveLength(MOST_NOT_FOUND);
  });
});

it("a hundred in a row are an outage; one that is found between them ends the row", () => {
  const respondents = new NotFoundRespondents([]);
  for (let count = 1; count < MOST_NOT_FOUND; count++) respondents.answeredNotFound();
  expect(respondents.looksLikeOutage).toBe(false);
  respondents.answered();
  respondents.answeredNotFound();
  expect(respondents.looksLikeOutage).toBe(false);
  for (let count = 1; count < MOST_NOT_FOUND; count++) respondents.answeredNotFound();
  expect(respondents.looksLikeOutage).toBe(true);
});
