import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../connector/core/errors.ts";
import { say } from "../../../connector/core/text/message.ts";

describe("an error", () => {
  const details = { status: 403, scope: "run", retryAfterMs: 5, cause: "why" } as const;
  const refused = new SurveyExportError("config", "forbidden", say`Refused.`, {
    advice: say`Ask for access.`,
    ...details,
  });

  it.each([
    ["says what happened, then what to do", refused, "config", "Refused. Ask for access."],
    [
      "stays the same failure with one more fact",
      refused.adding(say`Three times.`),
      ...["config", "Refused. Three times. Ask for access."],
    ],
    [
      "stays the same failure in the words of a caller",
      refused.restated("transient", say`The list is closed.`, say`Wait.`),
      ...["transient", "The list is closed. Wait."],
    ],
  ] as const)("%s", (_, error, kind, message) => {
    expect(error).toMatchObject({ code: "forbidden", kind, message, ...details });
  });

  it.each([new TypeError("x is no function"), "x is no function"])(
    "is a defect if it is not ours: %s",
    (thrown) => {
      expect(SurveyExportError.from(thrown)).toMatchObject({
        kind: "system",
        code: "defect",
        cause: thrown,
        message:
          'An unexpected error stopped the read: "x is no function". Please report it with the lines above.',
      });
    },
  );
});
