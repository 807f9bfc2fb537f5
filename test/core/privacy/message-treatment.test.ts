import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecordTreatment } from "../../../connector/core/privacy/record-treatment.ts";
import { quote, quoteBody, quoteValue } from "../../../connector/core/text/quote.ts";

const ANNA = "00000000-0000-4000-8000-00000000000a";
const SURVEY = "00000000-0000-4000-8000-0000000000ff";
const hash = (text: string): string => `hash of ${text.length} characters`;
const omitted = createRecordTreatment({ respondent_identifiers: "omit" }, hash);
const hashed = createRecordTreatment({ respondent_identifiers: "hash" }, hash);
const kept = createRecordTreatment({ free_text: "omit" }, hash);

describe("a message with personal data treated", () => {
  it.each([
    [`respondent "${ANNA}" ended`, 'respondent "…" ended', 'respondent "hash of 36 characters" ended'],
    [
      `404 to GET /respondents/${ANNA}/responses?start=x). Go on`,
      "404 to GET /respondents/…/responses?…). Go on",
      "404 to GET /respondents/hash of 36 characters/responses?…). Go on",
    ],
    [
      `not found: ${ANNA}, ${SURVEY}.`,
      `not found: …, ${SURVEY}.`,
      `not found: hash of 36 characters, ${SURVEY}.`,
    ],
  ])("shows of %s only what records show", (message, withOmit, withHash) => {
    expect(omitted.message(message, [SURVEY])).toBe(withOmit);
    expect(hashed.message(message, [SURVEY])).toBe(withHash);
  });

  it("shows respondents where identifiers are kept, and no body", () => {
    const message = `Survey "s1" and respondent "${ANNA}". Its answer begins ${quoteBody('{"name":"Wilma"}')}.`;
    expect(kept.message(message, ["s1"])).toBe(
      `Survey "s1" and respondent "${ANNA}". Its answer begins "…".`,
    );
  });

  it("shows a response by its id", () => {
    expect(omitted.message(`Response "${ANNA}" has an answer`, [])).toBe(`Response "${ANNA}" has an answer`);
    expect(omitted.message('Response "Wilma" has an answer', [])).toBe('Response "…" has an answer');
  });

  it("shows nothing of what is quoted, whatever it holds", () => {
    const secret = "s3cret";
    const text = fc.string({ unit: "binary" }).map((around) => `${around}${secret}${around}`);
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        const message = texts
          .map((each) => `A ${quote(each)} b ${quoteBody(each)} c ${quoteValue({ [each]: [each] })}`)
          .join(" d ");
        for (const treatment of [omitted, hashed, kept]) {
          expect(treatment.message(message, ["s1"])).not.toContain(secret);
        }
      }),
    );
  });

  it("shows nothing of a value that was cut in the middle of a string", () => {
    const value = `${"\u0000".repeat(6)}s3cret${"\u0000".repeat(6)}`;
    const message = `c ${quoteValue({ [value]: [value] })} d ${quote("s3cret")}`;
    for (const treatment of [omitted, hashed, kept]) {
      expect(treatment.message(message, ["s1"])).not.toContain("s3cret");
    }
  });

  it("hides the reason of a defect whole, where its advice follows, is missing, or is quoted", () => {
    const start = "An unexpected error stopped the read: ";
    const advice = " Please report it with the lines above.";
    for (const reason of ["Wilma is odd", "Wilma. Please report it", `Wilma.${advice} Wilma`, "W\nWilma?"]) {
      expect(kept.message(`${start}${reason}.`, [])).toBe(`${start}….`);
      expect(kept.message(`${start}${reason}.${advice}`, [])).toBe(`${start}….${advice}`);
    }
  });

  it("hides the reason of a defect, also in its stack", () => {
    const message =
      "An unexpected error stopped the read: Wilma is odd. Please report it with the lines above.";
    expect(kept.message(message, [])).toBe(
      "An unexpected error stopped the read: …. Please report it with the lines above.",
    );
    expect(kept.message("Error: Wilma\n    at a (b.ts:1:2)\n    at c", [])).toBe(
      "    at a (b.ts:1:2)\n    at c",
    );
  });
});
