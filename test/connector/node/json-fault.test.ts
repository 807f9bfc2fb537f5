import { render } from "@survey-export/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { faultInJson } from "../../../connector/node/json-fault.ts";

it.each([
  ['{"api_key":"k",}', "1:15 a comma stands before a closing bracket"],
  ['{\n  "survey_ids": [\n    "a",\n    "b", \n  ]\n}', "4:8 a comma stands before a closing bracket"],
  ['{\n  "a": "b"\n', "3:1 the text ends before its last bracket"],
  ["", "1:1 the text ends before its last bracket"],
  ["{'a': 1}", "1:2 JSON has double quotation marks only"],
  ['{\n  // why\n  "a": 1\n}', "2:3 JSON has no comments"],
  ["{“a”: 1}", "1:2 JSON has straight quotation marks only"],
  ['{"a" "b"}', "1:6"],
  ['{"a": 1} {', "1:10"],
  ['{"a": tru}', "1:7"],
  ['{"a": "\t"}', "1:7"],
  ["[1 2]", "1:4"],
  ["[1,,2]", "1:4"],
  ["[,]", "1:2"],
  ["[1}", "1:3"],
  ["a,]", "1:1"],
])("%j stops being JSON at %s", (text, told) => {
  const { line = 0, column = 0, reason } = faultInJson(text) ?? {};
  expect(`${line}:${column}${reason ? ` ${render(reason)}` : ""}`).toBe(told);
});

it("agrees with JSON.parse on what is JSON, however deep", () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const piece = fc.constantFrom(
    ..."{}[],: \n",
    '"a"',
    '"\\u00e9\\n"',
    '"\\x"',
    "-1.5e3",
    "01",
    "true",
    "nul",
  );
  const texts = fc.oneof(
    fc.json(),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
  );
  const agrees = (text: string): boolean => (faultInJson(text) === undefined) === isJson(text);
  fc.assert(fc.property(texts, agrees), { numRuns: 2000 });
  expect(faultInJson("[".repeat(200_000))).toMatchObject({ line: 1, column: 200_001 });
});
