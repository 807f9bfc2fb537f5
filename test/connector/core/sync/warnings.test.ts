import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { Warnings, type WarningsOptions } from "../../../../connector/core/sync/warnings.ts";
import { render, say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

function logging(options?: WarningsOptions) {
  const lines: string[] = [];
  const warnings = new Warnings((level, message, code) => {
    lines.push(`${level} ${code}: ${render(message)}`);
  }, options);
  const newLines = (): string[] => lines.splice(0);
  return { warnings, newLines };
}
const lead = { surveyId: "s", uuid: "r", timestamp: at(5) };
const failed = (code: "unreadable_item" | "stuck") => new SurveyExportError("system", code, say`It failed.`);

describe("the warnings of a sync", () => {
  it("log the first of a code at once, and count the others at the end", () => {
    const { warnings, newLines } = logging();
    warnings.emptyPage(say`A page is empty.`);
    expect(newLines()).toEqual(["warn empty_page: A page is empty."]);
    for (let page = 0; page < 2; page++) warnings.emptyPage(say`Another page is empty.`);
    warnings.nameless(lead);
    newLines();
    warnings.summarize();
    expect(newLines()).toEqual([
      "warn empty_page: In total, 3 empty pages said that there is more; only the first one is described above.",
    ]);
  });

  it.each([
    [
      (warnings: Warnings) => warnings.linkReplaced(say`survey "s"`, failed("stuck")),
      "link_replaced",
      'A link to the next page of survey "s" failed',
    ],
    [
      (warnings: Warnings) => warnings.fromFuture(lead, PRESENT),
      "future_response",
      `Survey "s" holds a response dated ${at(5)}, later than`,
    ],
    [
      (warnings: Warnings) => warnings.nameless(lead),
      "nameless_response",
      'Survey "s" holds a response that names no respondent',
    ],
    [
      (warnings: Warnings) => warnings.lacking("anna", lead),
      "response_missing_in_list",
      'The list of respondent "anna" lacks a response that survey "s" shows',
    ],
    [
      (warnings: Warnings) => warnings.stateInFuture("x", ["s", "t"]),
      "state_in_future",
      'The state of stream x reaches into the future ("s", "t")',
    ],
    [
      (warnings: Warnings) => warnings.otherPersonalData("x"),
      "other_personal_data",
      "The state of stream x was made under another setting",
    ],
    [
      (warnings: Warnings) => warnings.stillOpen("x", 1),
      "still_open",
      "Stream x could not deliver everything in 1 range of time. It stays open",
    ],
    [
      (warnings: Warnings) => warnings.stillOpen("x", 2),
      "still_open",
      "Stream x could not deliver everything in 2 ranges of time. They stay open",
    ],
  ] as const)("have a code and a sentence: %#", (warn, code, sentence) => {
    const { warnings, newLines } = logging();
    warn(warnings);
    expect(newLines()).toEqual([expect.stringContaining(`warn ${code}: ${sentence}`)]);
  });

  it("say nothing of a stream in which nothing is open, and nothing at the end of a plain sync", () => {
    const { warnings, newLines } = logging();
    warnings.stillOpen("x", 0);
    warnings.summarize();
    expect(newLines()).toEqual([]);
  });

  it("are not what a stream that begins anew gives: it is only told", () => {
    const { warnings, newLines } = logging();
    warnings.beginsAnew("x");
    expect(newLines()).toEqual([
      expect.stringMatching(/^info undefined: The state of stream x was written by/),
    ]);
  });

  it.each([
    [
      ["anna"],
      "1 respondent was not found twice (status 404), while others were found. It counts as deleted.",
    ],
    [
      ["anna", "bert"],
      "2 respondents were not found twice (status 404), while others were found. They count as deleted.",
    ],
  ])("count the respondents that count as deleted: %j", (deleted, sentence) => {
    const { warnings, newLines } = logging();
    for (const key of deleted) warnings.deleted.add(key);
    warnings.summarize();
    expect(newLines()).toEqual([`warn respondents_deleted: ${sentence}`]);
  });

  it.each([
    [{}, "are in the column additional_fields"],
    [{ leavesFieldsOut: true }, "were left out, because of the setting personal_data"],
  ])("name unknown fields in the order of the alphabet: %j", (options, place) => {
    const { warnings, newLines } = logging(options);
    for (const field of ["b", "a"]) warnings.unknown.fields.add(field);
    warnings.summarize();
    expect(newLines()).toEqual([
      expect.stringMatching(RegExp(`^warn unknown_fields: .* does not know: "a", "b". They ${place}. Look`)),
    ]);
  });

  it("count odd answers by their shapes", () => {
    const { warnings, newLines } = logging();
    warnings.unknown.answers.set("two", 2).set("one", 1);
    warnings.summarize();
    expect(newLines()).toEqual([
      expect.stringMatching(
        /^warn odd_answers: .* does not document: one \(1 times\), two \(2 times\)\. They/,
      ),
    ]);
  });
});

describe("an item that cannot be read", () => {
  it("is only worth a warning if the user says so", () => {
    const { warnings, newLines } = logging({ unreadable: "warn" });
    expect(warnings.isTolerated(failed("unreadable_item"))).toBe(true);
    expect(newLines()).toEqual(["warn left_out: It failed."]);
    expect(warnings.isTolerated(failed("stuck"))).toBe(false);
    expect(newLines()).toEqual([]);
  });

  it.each([{}, { unreadable: "fail" }] as const)("fails its stream otherwise: %j", (options) => {
    const { warnings, newLines } = logging(options);
    expect(warnings.isTolerated(failed("unreadable_item"))).toBe(false);
    expect(newLines()).toEqual([]);
  });
});
