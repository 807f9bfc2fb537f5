import type { INodeParameters } from "n8n-workflow";
import { describe, expect, test } from "vitest";
import { SAID, startWithAnswers } from "../../../support/answers.ts";
import * as setUp from "../../../support/set-up.ts";

const asked = (id: number, type: string, question: string) => ({
  id,
  type,
  question,
  introduction: null,
  answer_choices: [],
});
const { sandbox, engine } = await startWithAnswers([
  asked(1006, "nps", "Would you recommend us?"),
  asked(1007, "single", `Why${" oh why".repeat(30)}?`),
]);

describe("the list of columns to choose from, before the first run", () => {
  const listed = (parameters: INodeParameters) => engine.columns("surveyExport", parameters);
  const exampleOf = async (column: string, parameters: INodeParameters = {}) =>
    (await listed({ surveyId: "7", ...parameters })).find(({ value }) => value === column)?.description;

  test("has an example from the newest responses for each column", async () => {
    expect(await exampleOf("answer_1006_score")).toBe("e.g. 9");
    expect(await exampleOf("survey_name")).toBe("e.g. Pricing page");
    expect(await exampleOf("answers")).toBe("");
    const surveyId = { __rl: true, mode: "list", value: "7" };
    expect(await exampleOf("answer_1006_score", { surveyId })).toBe("e.g. 9");
  });

  test.each([
    [[], "e.g. In a friend's words"],
    [["free_text"], ""],
    ["={{ $json.kinds }}", ""],
  ])("shows nothing that the node omits, or may omit: %j", async (omitPersonalData, shown) => {
    expect(await exampleOf("answer_1001", { options: { omitPersonalData } })).toBe(shown);
  });

  test("names each answer by its question, also one that nobody has answered, and ends with the attributes", async () => {
    const more = { fields: { answers: SAID }, attributes: [{ name: "plan", value: "pro" }] };
    sandbox.service.collect("8", [{ collected_at: setUp.at(9), ...more }]);
    const columns = await listed({ surveyId: "8", options: { attributeNames: "plan" } });
    const names = columns.map(({ name }) => name);
    expect(names.slice(0, 6)).toEqual([
      ...["All Answers", "answer_1001", "Would you recommend us? (answer_1006)"],
      "Would you recommend us? – score (answer_1006_score)",
      "Would you recommend us? – tag (answer_1006_tag)",
      `Why${" oh why".repeat(8)}… (answer_1007)`,
    ]);
    expect(columns.at(-1)).toEqual({
      name: "attribute_plan",
      value: "attribute_plan",
      description: "e.g. pro",
    });
    expect([names[6], names.at(-2)]).toEqual(["response_uuid", "All Attributes"]);
  });

  test("has examples that are short and hold no address", async () => {
    for (const [number, answer] of ["x".repeat(90), "ask wilma@mail.example"].entries()) {
      const answers = [
        { ...SAID[0], answer },
        { ...SAID[0], question_id: 1002, answer: `w${number}@mail.example` },
      ];
      const fields = { answers, url: "https://shop.example/?mail=w%40mail.example" };
      sandbox.service.collect("7", [{ collected_at: setUp.at(20 + number), fields }]);
    }
    expect(await exampleOf("answer_1001")).toBe(`e.g. ${"x".repeat(39)}…`);
    expect(await exampleOf("answer_1002")).toBe("");
    expect(await exampleOf("url")).not.toContain("%40");
  });

  test("is that of the surveys that the trigger watches", async () => {
    const watched = async (parameters: INodeParameters) =>
      (await engine.columns("surveyExportTrigger", { surveyIds: "9", ...parameters })).map(
        ({ value }) => value,
      );
    expect(await watched({ watch: "selected", surveys: ["7"] })).toContain("answer_1001");
    expect(await watched({ watch: "all" })).toContain("answer_1007");
    await expect(watched({ watch: "ids" })).rejects.toThrow('"9" was not found');
  });

  test("is the same for the trigger; an expression has no value yet, and a wrong ID is named", async () => {
    const watched = await engine.columns("surveyExportTrigger", { surveyIds: " 7, 7" });
    expect(watched).toEqual(await listed({ surveyId: "7" }));
    const before = sandbox.service.stats.requests;
    const fixed = await listed({ surveyId: { __rl: true, mode: "id", value: "={{ $json.id }}" } });
    expect(fixed.map(({ value }) => value)).toContain("operating_system");
    expect(sandbox.service.stats.requests).toBe(before);
    await expect(listed({ surveyId: "9" })).rejects.toThrow('"9" was not found');
    await expect(listed({ surveyId: "a/b" })).rejects.toThrow('"Survey" is not an ID');
  });
});
