import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { Item } from "../../../../connector/core/lists/item.ts";
import { Warnings } from "../../../../connector/core/sync/warnings.ts";
import { render, say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

function logging(leavesFieldsOut?: boolean) {
  const lines: string[] = [];
  const warnings = new Warnings((level, message, code) => {
    lines.push(`${level} ${code}: ${render(message)}`);
  }, leavesFieldsOut);
  const newLines = (): string[] => lines.splice(0);
  return { warnings, newLines };
}
const item = { uuid: "r", timestamp: at(5) } as Item;
const failed = new SurveyExportError("system", "broken_answer", say`It failed.`);

describe("the warnings of a sync", () => {
  it("log the first of a code at once, and count the others at the end", () => {
    const { warnings, newLines } = logging();
    warnings.count("future_response", say`A response is too new.`);
    expect(newLines()).toEqual(["warn future_response: A response is too new."]);
    for (let page = 0; page < 2; page++) warnings.count("future_response", say`Another response is too new.`);
    warnings.nameless("s", item);
    newLines();
    warnings.summarize();
    expect(newLines()).toEqual([
      "warn future_response: The warning future_response came 3 times; only the first one is described above.",
    ]);
  });

  it("have a code and a sentence that says what happened, where, and what to do", () => {
    const { warnings, newLines } = logging();
    warnings.fromFuture("s", at(5), PRESENT);
    warnings.nameless("s", item);
    warnings.withoutSurvey("anna", at(5));
    warnings.namesMissing(failed);
    warnings.namesMissing(undefined);
    warnings.stateInFuture("x", ["s", "t"]);
    warnings.otherPersonalData("x");
    const sentences = [
      `future_response: Survey "s" holds a response dated ${at(5)}, later than the service's own present (${PRESENT}).`,
      `nameless_response: Survey "s" holds a response that names no respondent ("r", ${at(5)}).`,
      `items_omitted: The list of respondent "anna" holds a response that names no survey (${at(5)}). It was omitted`,
      "names_missing: The list of surveys could not be read, so survey_name and survey_type are empty where the responses do not have them. It failed.",
      'outdated_state: The state of stream x reaches into the future ("s", "t")',
      "outdated_state: The state of stream x was made under another setting",
    ];
    expect(newLines()).toEqual(sentences.map((sentence) => expect.stringContaining(`warn ${sentence}`)));
    warnings.summarize();
    expect(newLines(), "nothing more at the end").toEqual([]);
  });

  it.each([
    [false, "are in the column additional_fields"],
    [true, "were omitted, because of the setting personal_data"],
  ])("name what the service does not document, in order: %j", (leavesFieldsOut, place) => {
    const { warnings, newLines } = logging(leavesFieldsOut);
    for (const field of ["b", "a"]) warnings.unknown.fields.add(field);
    warnings.unknown.answers.shapes.set("two", 2).set("one", 1);
    warnings.unknown.answers.omitted.set("three", 3);
    warnings.summarize();
    expect(newLines()).toEqual([
      expect.stringContaining(
        `does not document: one (1 times), three (3 times), two (2 times). Values that fit no other column of survey_answers ${place};`,
      ),
      expect.stringContaining(`do not fit their columns: "a", "b". They ${place}, as the service sent them.`),
    ]);
  });
});
