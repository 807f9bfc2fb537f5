import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOf } from "../../../../connector/core/client/address.ts";
import {
  respondentAttributesPath,
  respondentResponsesPath,
  surveyResponsesPath,
} from "../../../../connector/core/lists/endpoints.ts";

const BASE = "https://api.example.com/v2";
const WINDOW = { start: undefined, end: undefined, itemsPerPage: 100 };
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom("/", "..", ".", "%2e", "%2F", "?", "#", "\\", "\r\n", "@", ":", " ", "ü", "a"), {
      maxLength: 6,
    })
    .map((bits) => bits.join("")),
);

describe("an id, from the configuration or from the service, stays one segment of the path", () => {
  it.each([
    ["survey", (id: string) => surveyResponsesPath(id, WINDOW, []), /^\/v2\/surveys\/([^/]+)\/responses$/],
    [
      "respondent's responses",
      (id: string) => respondentResponsesPath(id, WINDOW),
      /^\/v2\/respondents\/([^/]+)\/responses$/,
    ],
    [
      "respondent's attributes",
      (id: string) => respondentAttributesPath(id, 100),
      /^\/v2\/respondents\/([^/]+)\/attributes$/,
    ],
  ] as const)("%s", (_, pathOf, shape) => {
    fc.assert(
      fc.property(hostile, (id) => {
        let url: URL;
        try {
          url = new URL(String(addressOf(BASE, pathOf(id))));
        } catch (thrown) {
          // Refused: what some server on the way might take for a way up, though encoded.
          const climbs = id.split(/[/\\]/).some((part) => part === "." || part === "..");
          expect(climbs || id === "" || !id.isWellFormed(), String(thrown)).toBe(true);
          return;
        }
        expect(url.origin).toBe("https://api.example.com");
        expect(decodeURIComponent(shape.exec(url.pathname)![1]!)).toBe(id);
        expect(url.searchParams.get("items_per_page")).toBe("100");
      }),
      { numRuns: 2000 },
    );
  });

  it("and an attribute's name one value of the query", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (names) => {
        const url = new URL(String(addressOf(BASE, surveyResponsesPath("1", WINDOW, names))));
        expect(url.searchParams.getAll("attributes[]")).toEqual(names);
      }),
      { numRuns: 1000 },
    );
    expect(() => surveyResponsesPath("1", WINDOW, ["plan", "\ud83d"])).toThrow(
      'The attribute name "\\ud83d" cannot be part of a URL.',
    );
  });
});
