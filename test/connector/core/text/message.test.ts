import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecordTreatment } from "../../../../connector/core/privacy/record-treatment.ts";
import {
  given,
  joined,
  listed,
  type Message,
  NOTHING_TO_SAY,
  outside,
  type Part,
  platform,
  render,
  request,
  respondentId,
  responseId,
  say,
  time,
} from "../../../../connector/core/text/message.ts";
import { createRedactor } from "../../../../connector/core/text/redactor.ts";

const ANNA = "00000000-0000-4000-8000-00000000000a";
const hash = (text: string): string => `hash of ${text.length} characters`;
const treated = (message: Message, setting: Parameters<typeof createRecordTreatment>[0]): string =>
  render(message, { treatment: createRecordTreatment(setting, hash).messages });
const omitted = (message: Message): string => treated(message, { respondent_identifiers: "omit" });
const hashed = (message: Message): string => treated(message, { respondent_identifiers: "hash" });
const kept = (message: Message): string => treated(message, { free_text: "omit" });

describe("a message", () => {
  it("is its words and the parts between them, on one line", () => {
    const message = say`Survey ${given("s1")}: ${1200} responses, ${say`the last at ${time("2026-01-01T00:00:00.000000Z")}`} ${outside("two\n\tlines")}.`;
    expect(render(message)).toBe(
      'Survey "s1": 1,200 responses, the last at 2026-01-01T00:00:00.000000Z "two lines".',
    );
  });

  it("has no text of its own, so that none leaves without a look at its parts", () => {
    expect(() => `${say`words`}`).toThrow("A message is rendered, never converted to a text.");
  });

  it("joins others with a space, and leaves empty ones out", () => {
    expect(render(joined([say`One.`, NOTHING_TO_SAY, say`Two.`]))).toBe("One. Two.");
    expect(joined([]).parts).toEqual([]);
  });

  it("lists the first of many, and says how many more there are", () => {
    const names = Array.from({ length: 10_000 }, (_, at) => given(`${"x".repeat(10_000)}${at}`));
    const written = render(listed(names));
    expect(written).toContain(" and 9,980 more");
    expect(written.length).toBeLessThan(20 * 310);
    expect(render(listed([given("a"), given("b\n")]))).toBe('"a", "b\\n"');
  });

  it("takes a text for a time only if it is one", () => {
    expect(omitted(say`${time("2026-01-01T00:00:00.000000Z")} ${time("Wilma")}`)).toBe(
      '2026-01-01T00:00:00.000000Z "…"',
    );
  });
});

describe("a message with personal data treated", () => {
  const asked = say`404 to ${request(`/respondents/${ANNA}/responses?start=x`)}. Go on`;
  it("shows a respondent as its records do, and no query of a request", () => {
    expect(omitted(asked)).toBe("404 to GET /respondents/…/responses?…. Go on");
    expect(hashed(asked)).toBe("404 to GET /respondents/hash%20of%2036%20characters/responses?…. Go on");
    expect(hashed(say`${respondentId(ANNA)}`)).toBe('"hash of 36 characters"');
    expect(kept(say`${respondentId(ANNA)}`)).toBe(`"${ANNA}"`);
  });

  it.each<[Message, string]>([
    [say`404 to ${request("/surveys/s1/responses")}`, "404 to GET /surveys/s1/responses"],
    [say`to ${request("/wilma@mail.example/x?y")}`, "to GET /…"],
    [say`${respondentId("wilma@mail.example")}`, '"…"'],
    [say`Response ${responseId(ANNA)}`, `Response "${ANNA}"`],
    [say`Response ${responseId("Wilma")}`, 'Response "…"'],
    [say`Survey ${given("s1")}: ${outside("{}")}.`, 'Survey "s1": "…".'],
  ])("shows of %j only what the configuration gave, and ids of the right form", (message, shown) => {
    expect([omitted(message), hashed(message)]).toEqual([shown, shown]);
  });

  /** Texts that a service could send: our own sentences, marks that end a quotation, and the secret in the middle. */
  const planted = "s3cret";
  const ofOurs = fc.constantFrom(
    "An unexpected error stopped the request: timeout",
    '". Please report it with the lines above.',
    `respondent "${ANNA}"`,
    "GET /surveys/s1/responses?start=x",
    'Survey "s1" was not found (status 404).',
    "\\",
    '"',
    "\u202e",
  );
  const anyText = fc
    .tuple(ofOurs, fc.string({ unit: "binary" }), ofOurs)
    .map(([before, between, after]) => `${before}${between}${planted}${between}${after}`);
  const anyPart = anyText.chain((text) =>
    fc.constantFrom<Part>(
      outside(text),
      outside(text, 1000),
      respondentId(text),
      responseId(text),
      time(text),
      request(`/respondents/${text}/responses`),
      request(`/surveys/s1/responses?start=${text}`),
      request(text),
    ),
  );

  it("shows nothing of what is from outside, whatever it holds (our own sentences included)", () => {
    fc.assert(
      fc.property(fc.array(anyPart, { minLength: 1, maxLength: 4 }), (parts) => {
        const message = joined(parts.map((part) => say`A ${part} b`));
        for (const shown of [omitted(message), hashed(message), kept(message)]) {
          expect(shown).not.toContain(planted);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a message without the key", () => {
  const visible = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code));
  const unit = fc.oneof(visible, fc.constantFrom('"', "\\", "%"));
  const secrets = fc.string({ unit, minLength: 8, maxLength: 80 });

  it("keeps its words and its quotation marks in pairs, whatever the key is", () => {
    fc.assert(
      fc.property(secrets, fc.nat(200), (secret, padding) => {
        const text = `${"-".repeat(padding)} ${secret} and more`;
        const message = say`It said ${outside(text)}, ${given(text)}: ${platform("that is all")}.`;
        const shown = render(message, { redact: createRedactor(secret) });
        expect(shown).toMatch(/^It said "(?:[^"\\]|\\.)*", "(?:[^"\\]|\\.)*": .*\.$/);
        for (let at = 0; at + 8 <= secret.length; at++) {
          expect(shown).not.toContain(JSON.stringify(secret.slice(at, at + 8)).slice(1, -1));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("redacts it in everything that is not our own words", () => {
    const redact = createRedactor("k3y-9f2c77");
    const text = "k3y-9f2c77";
    const parts = [given(text), outside(text), platform(text), request(`/${text}`), respondentId(text)];
    const message = joined([...parts, responseId(text)].map((part) => say`${part}`));
    expect(render(message, { redact })).toBe('"****" "****" **** GET /**** "****" "****"');
  });
});
