import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../connector/core/errors.ts";
import { say } from "../../../connector/core/text/message.ts";

describe("an error", () => {
  const refused = new SurveyExportError("config", "forbidden", say`Refused.`, {
    ...{ advice: say`Ask for access.`, status: 403, scope: "run", retryAfterMs: 5, cause: "why" },
  });

  it("says what happened, then what to do", () => {
    expect(refused.message).toBe("Refused. Ask for access.");
  });

  it("is the same failure with one more fact, its advice last", () => {
    const { kind, code, status, scope, retryAfterMs, cause } = refused;
    const more = refused.adding(say`Three times.`);
    expect(more.message).toBe("Refused. Three times. Ask for access.");
    expect(more).toMatchObject({ kind, code, status, scope, retryAfterMs, cause });
  });

  it("is the same failure in the words of a caller", () => {
    const { code, status, scope, retryAfterMs, cause } = refused;
    const restated = refused.restated("transient", say`The list is closed.`, say`Wait.`);
    expect(restated.message).toBe("The list is closed. Wait.");
    expect(restated).toMatchObject({ kind: "transient", code, status, scope, retryAfterMs, cause });
  });

  it.each([new TypeError("x is no function"), "x is no function"])(
    "is a defect that keeps its cause: %s",
    (thrown) => {
      expect(SurveyExportError.from(thrown)).toMatchObject({
        ...{ kind: "system", code: "defect", cause: thrown },
        message:
          'An unexpected error stopped the read: "x is no function". Please report it with the lines above.',
      });
      expect(SurveyExportError.from(refused)).toBe(refused);
    },
  );
});
