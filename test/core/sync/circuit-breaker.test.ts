import { describe, expect, it } from "vitest";
import { type ErrorCode, type ErrorScope, SurveyExportError } from "../../../connector/core/errors.ts";
import { CircuitBreaker } from "../../../connector/core/sync/circuit-breaker.ts";
import { say } from "../../../connector/core/text/message.ts";

const failure = (code: ErrorCode, scope: ErrorScope = "list"): SurveyExportError =>
  new SurveyExportError(code === "forbidden" ? "config" : "transient", code, say`It failed.`, { scope });

/** A breaker after so many failures in a row. */
function breakerAfter(failures: number, error = failure("unavailable"), isOfSurvey = true): CircuitBreaker {
  const breaker = new CircuitBreaker();
  for (let count = 0; count < failures; count++) breaker.failed(error, isOfSurvey);
  return breaker;
}

describe("a run goes on", () => {
  it("after nine surveys that failed in a row, as before", () => {
    expect(breakerAfter(9)).toMatchObject({ isTrying: false, error: undefined });
  });

  it("after ten, while up to twenty others are only tried", () => {
    for (const failures of [10, 29])
      expect(breakerAfter(failures)).toMatchObject({ isTrying: true, error: undefined });
  });

  it("as before once one of them answers", () => {
    const breaker = breakerAfter(29);
    breaker.succeeded();
    expect(breaker.isTrying).toBe(false);
    breaker.failed(failure("unavailable"), true);
    expect(breaker).toMatchObject({ isTrying: false, error: undefined });
  });

  it.each([
    ["surveys that are refused", failure("forbidden"), true],
    ["surveys that are not found", failure("not_found"), true],
    ["people who fail", failure("unavailable"), false],
  ])("whatever the number of %s", (_, error, isOfSurvey) => {
    expect(breakerAfter(100, error, isOfSurvey)).toMatchObject({ isTrying: false, error: undefined });
  });
});

describe("a run ends", () => {
  it("with thirty surveys that failed in a row, and names the last one", () => {
    const breaker = breakerAfter(29);
    const last = failure("no_answer");
    breaker.failed(last, true);
    breaker.failed(failure("unavailable"), true);
    expect(breaker.error).toBe(last);
  });

  it.each([true, false])(
    "at once with what fails for every request alike (of a survey: %s)",
    (isOfSurvey) => {
      const error = failure("unauthorized", "run");
      expect(breakerAfter(1, error, isOfSurvey).error).toBe(error);
    },
  );
});
