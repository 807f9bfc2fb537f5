import { expect, test } from "vitest";
import { npsBySurvey } from "../../../tools/demo/scores.ts";

const answers = (survey_name: string, tags: Readonly<Record<string, number>>) =>
  Object.entries(tags).flatMap(([nps_tag, count]) =>
    Array.from({ length: count }, () => ({ survey_name, nps_tag })),
  );

test("shows the NPS of each survey, best first, with the shares of its answers", () => {
  expect(
    npsBySurvey([
      ...answers("Support", { promoter: 1, passive: 1, detractor: 1 }),
      ...answers("Onboarding", { promoter: 2, detractor: 1 }),
      ...answers("Price", { detractor: 4 }),
      { survey_name: "Support", nps_tag: null },
      { survey_id: "1004", survey_name: null, nps_tag: "passive" },
    ]),
  ).toBe(
    [
      "NPS by survey (░ detractors  ▒ passives  █ promoters):",
      "  Onboarding   +33  ░░░░░░░░░░████████████████████  3 answers",
      "  Support        0  ░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒██████████  3 answers",
      "  1004           0  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  1 answer",
      "  Price       -100  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  4 answers",
    ].join("\n"),
  );
});

test("keeps two questions of one survey apart", () => {
  const asked = (question_id: number, nps_tag: string) => ({ survey_name: "Product", question_id, nps_tag });
  expect(npsBySurvey([asked(7, "promoter"), asked(8, "detractor"), asked(8, "passive")])).toBe(
    [
      "NPS by survey (░ detractors  ▒ passives  █ promoters):",
      "  Product, question 7  +100  ██████████████████████████████  1 answer",
      "  Product, question 8   -50  ░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  2 answers",
    ].join("\n"),
  );
});

test("says nothing if nobody gave a score", () => {
  expect(npsBySurvey([{ survey_name: "Support", nps_tag: null }])).toBeUndefined();
});
