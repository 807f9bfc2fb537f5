import { describe, expect, test } from "vitest";
import type { Tables } from "../../support/tables.ts";
import { cardOf, firstScreen, type Given, pageOf } from "./support/page-of.ts";

/** The figures of a page: what people answered, and what the page says of it. */

type Row = Readonly<Record<string, unknown>>;

let last = 0;
/** So many responses to one question, each of somebody else, on the first day of a month. */
const given = (count: number, answer: Row, month = "2026-09"): Row[] =>
  Array.from({ length: count }, () => {
    last += 1;
    return {
      response_uuid: `response-${last}`,
      respondent_uuid: `respondent-${last}`,
      survey_id: "s1",
      question_id: 1,
      position: 1,
      collected_at: `${month}-01T10:00:00.000000Z`,
      answer_type: "single_choice",
      ...answer,
    };
  });
const score = (count: number, value: number, month?: string): Row[] => {
  const nps_tag = value < 7 ? "detractor" : value < 9 ? "passive" : "promoter";
  return given(count, { answer_type: "nps", value_number: value, nps_tag }, month);
};
const rating = (count: number, value_number: number, more: Row = {}): Row[] =>
  given(count, { answer_type: "rating", question_type: "csat", value_number, ...more });
const choice = (count: number, value_text: string, answer_id: number | null = null, more: Row = {}): Row[] =>
  given(count, { value_text, answer_id, ...more });

const QUESTION = {
  survey_id: "s1",
  id: 1,
  position: 1,
  question: "What?",
  collected_at: "2026-09-29T08:00:00.000000Z",
};
const choices = (...contents: readonly string[]) => contents.map((content, at) => ({ id: at + 1, content }));

/** The tables of these answers, with a response for each. */
function tablesOf(answers: readonly Row[], question: Row = {}, responses: Row = {}): Tables {
  const byResponse = Map.groupBy(answers, ({ response_uuid }) => response_uuid);
  return {
    surveys: [
      { id: "s1", name: "Survey", responses: byResponse.size, collected_at: "2026-09-29T08:00:00.000000Z" },
    ],
    survey_questions: [{ ...QUESTION, ...question }],
    survey_responses: [...byResponse].map(([uuid, [answer]]) => ({
      uuid,
      survey_id: answer?.survey_id,
      survey_name: "Survey",
      respondent_uuid: answer?.respondent_uuid,
      collected_at: answer?.collected_at,
      language: answer?.language ?? null,
      ...responses,
    })),
    survey_answers: answers.map(({ language: _, ...answer }) => answer),
  };
}

interface Case {
  readonly of: string;
  readonly answers: readonly Row[];
  readonly question?: Row;
  readonly options?: Given;
  readonly says: string | RegExp;
  /** What the card must not have. */
  readonly never?: RegExp;
}

const CASES: readonly Case[] = [
  {
    of: "NPS over months with gaps",
    answers: [...score(30, 10, "2026-01"), ...score(20, 0, "2026-04"), ...score(10, 7, "2026-04")],
    says: /^What\?\|\+17 ± 23 NPS, Jan to Apr 2026 · 60 of 60 responses\|promoters 30 · 50 %\|passives 10 · 17 %\|detractors 20 · 33 %.*Jan 2026 \+100 30 answers\|Feb 2026 no answers\|Mar 2026 no answers\|Apr 2026 -67 30 answers$/,
  },
  {
    of: "NPS of one answer",
    answers: score(1, 10),
    says: "What?|one answer NPS, Sep 2026, of only 1 answer · 1 of 1 response|promoters 1 · 100 %|passives 0 · 0 %|detractors 0 · 0 %",
  },
  {
    of: "NPS of few answers",
    answers: [...score(9, 10), ...score(3, 0)],
    says: /^What\?\|\+50 ± 49 NPS, Sep 2026, of only 12 answers/,
  },
  {
    of: "a share that is nearly all",
    answers: [...score(199, 8), ...score(1, 0)],
    says: /passives 199 · > 99 %\|detractors 1 · 1 %/,
  },
  {
    of: "untagged scores of a question with tags",
    answers: [
      ...score(30, 10),
      ...given(10, { answer_type: "rating", value_number: 3 }),
      ...given(5, { value_text: "9" }),
    ],
    says: /^What\?\|\+56 ± \d+ NPS, Sep 2026 · 45 of 45 responses\|promoters 35 · 78 %\|passives 0 · 0 %\|detractors 10 · 22 %/,
  },
  {
    of: "an answer that is repeated",
    answers: [
      ...score(30, 10),
      ...score(1, 9).flatMap((one) => [one, { ...one, position: 2, value_number: 0, nps_tag: "detractor" }]),
    ],
    says: /^What\?\|\+100 NPS, Sep 2026 · 31 of 31 responses/,
  },
  {
    of: "CSAT",
    answers: [...rating(20, 5), ...rating(10, 4), ...rating(10, 1)],
    says: "What?|75 % ± 13 satisfied (4 or 5 of 5), Sep 2026 · 40 of 40 responses|1 10 · 25 %|4 10 · 25 %|5 20 · 50 %",
  },
  {
    of: "a satisfaction with seven grades",
    answers: [1, 2, 3, 4, 5, 6, 7].flatMap((grade) => rating(10, grade)),
    says: /^What\?\|4 on average · 70 of 70 responses\|1 10 · 14 %.*\|7 10 · 14 %$/,
    never: /satisfied/,
  },
  {
    of: "a satisfaction with seven listed grades of which five were given",
    answers: [1, 5].flatMap((grade) => rating(10, grade)),
    question: { answer_choices: choices("1", "2", "3", "4", "5", "6", "7") },
    says: /^What\?\|3 on average/,
  },
  {
    of: "grades with words",
    answers: [
      ...rating(30, 4, { value_text: "Good", answer_id: 4 }),
      ...rating(2, 1, { value_text: "Bad", answer_id: 1 }),
    ],
    question: { answer_choices: choices("Bad", "Poor", "Fair", "Good", "Great") },
    says: /\|1 · Bad 2 · 6 %\|4 · Good 30 · 94 %$/,
  },
  {
    of: "a scale from 0 to 100",
    answers: Array.from({ length: 200 }, (_, at) =>
      given(1, { answer_type: "rating", value_number: at % 101 }),
    ).flat(),
    says: /on average · 200 of 200 responses\|0 to 9 20 · 10 %\|10 to 19 20 · 10 %.*\|90 to 100 20 · 10 %$/,
    never: /more answers/,
  },
  {
    of: "a scale from 0 to 100 that few have used, without the number of anybody",
    answers: [
      ...given(1, { answer_type: "number", value_number: 47 }),
      ...given(1, { answer_type: "number", value_number: 12 }),
    ],
    says: "What?|29.5 on average · 2 of 2 responses|10 to 19 1 · 50 %|20 to 29 0 · 0 %|30 to 39 0 · 0 %|40 to 49 1 · 50 %",
  },
  {
    of: "a telephone number on a scale",
    answers: [
      ...given(5, { answer_type: "number", value_number: 4 }),
      ...given(1, { answer_type: "number", value_number: 442079460123 }),
    ],
    says: "What?|4 on average · 6 of 6 responses|4 5 · 83 %|numbers outside of the scale 1 · 17 %",
    never: /44207/,
  },
  {
    of: "choices in the survey's order",
    answers: [...choice(1, "Easy", 1), ...choice(5, "Hard", 2)],
    question: { answer_choices: choices("Easy", "Hard") },
    says: "What?|6 of 6 responses|Easy 1 · 17 %|Hard 5 · 83 %",
  },
  {
    of: "a choice that was edited since",
    answers: [...choice(40, "Yes", 51), ...choice(20, "No, I do not", 51)],
    question: { answer_choices: [{ id: 51, content: "No, I do not" }] },
    says: /\|No, I do not 20 · 33 %\|Yes 40 · 67 %$/,
  },
  {
    of: "a choice that was edited, and not chosen since",
    answers: choice(40, "Yes please", 51),
    question: { answer_choices: [{ id: 51, content: "Never" }] },
    says: /\|Yes please 40 · 100 %$/,
  },
  {
    of: "translations, which are the same answer",
    answers: [...choice(2, "Red", 1, { language: "en" }), ...choice(3, "Rot", 1, { language: "de" })],
    question: { answer_choices: choices("Red") },
    says: "What?|5 of 5 responses|Red 5 · 100 %",
  },
  {
    of: "several choices, which have no sum",
    answers: [...choice(10, "x"), ...choice(10, "y")].map((answer, at) => ({
      ...answer,
      answer_type: "multiple_choice",
      response_uuid: `several-${at % 10}`,
      respondent_uuid: `of-several-${at % 10}`,
      position: 1 + Math.floor(at / 10),
    })),
    says: "What?|10 of 10 responses · several answers possible|x 10 · 100 %|y 10 · 100 %",
  },
  {
    of: "a choice that the author calls others, and twenty more",
    answers: [
      ...choice(9, "others", 1),
      ...Array.from({ length: 20 }, (_, at) => choice(3, `Choice ${at}`, at + 2)).flat(),
    ],
    question: { answer_choices: choices("others", ...Array.from({ length: 20 }, (_, at) => `Choice ${at}`)) },
    says: /\|others 9 · 13 %\|.*\|10 more answers, each chosen less often 30 · 43 %$/,
  },
  {
    of: "an action",
    answers: given(3, { answer_type: "action", value_boolean: true }),
    says: /\|Yes 3 · 100 %$/,
  },
  {
    of: "a matrix",
    answers: [
      ...given(4, { answer_type: "matrix", answer_id: 1, label: "Price", value_text: "Good" }),
      ...given(1, { answer_type: "matrix", answer_id: 1, label: "Price", value_text: "Bad" }),
    ],
    question: { answer_choices: choices("Price"), columns: ["Bad", "Good"] },
    says: "What?|5 of 5 responses|Price 5 responses|Bad 1 · 20 %|Good 4 · 80 %",
  },
  {
    of: "a ranking, the best first",
    answers: [
      ...given(3, { answer_type: "ranking", answer_id: 1, label: "Price", value_number: 2 }),
      ...given(3, { answer_type: "ranking", answer_id: 2, label: "Speed", value_number: 1 }),
    ],
    question: { answer_choices: choices("Price", "Speed") },
    says: "What?|3 of 6 responses|Speed place 1 on average · 3 responses|Price place 2 on average · 3 responses",
  },
  {
    of: "texts and how many could have one",
    answers: [
      ...given(2, { answer_type: "text", value_text: "words" }),
      ...given(3, { answer_type: "text", value_text: " " }),
    ],
    says: "What?|a text in 2 of 5 responses",
  },
  {
    of: "a form",
    answers: given(2, { answer_type: "contact_form", label: "email", value_text: "ada@example.com" }),
    says: "What?|a filled-in form in 2 of 2 responses",
    never: /ada/,
  },
  {
    of: "comments",
    answers: choice(3, "Yes", null, { comment: "mine alone" }),
    says: /\|a comment in 3 of 3 responses$/,
    never: /mine/,
  },
];

describe("the page says of", () => {
  test.each(CASES)("$of", ({ answers, question = {}, options = {}, says, never }) => {
    const card = cardOf(pageOf(tablesOf(answers, question), options), "What?");
    if (typeof says === "string") expect(card).toBe(says);
    else expect(card).toMatch(says);
    if (never) expect(card).not.toMatch(never);
  });
});

describe("the first screen", () => {
  const months = [...score(30, 10, "2026-01"), ...score(20, 0, "2026-04"), ...score(10, 7, "2026-04")];

  test("has the last three months, the three before, and all, each with its margin and number", () => {
    expect(firstScreen(pageOf(tablesOf(months)))).toContain(
      " Feb to Apr 2026|Three months before Nov 2025 to Jan 2026|All since Jan 2026|By month May 2025 to Apr 2026|What?|NPS · Survey|-67 ± 17 30 answers|+100 30 answers|+17 ± 23 60 answers|",
    );
  });

  test("shows no figure of one answer, and says of few that they are", () => {
    expect(firstScreen(pageOf(tablesOf(score(1, 10))))).toContain("|one answer|no answers|one answer|");
    expect(firstScreen(pageOf(tablesOf(score(5, 8))))).toContain("|0 only 5 answers|no answers|");
    expect(pageOf(tablesOf(score(1, 10)))).not.toContain("<strong>+100");
  });

  test("has NPS before CSAT, and links each question to its part", () => {
    const csat = rating(40, 5).map((answer) => ({ ...answer, question_id: 2 }));
    const page = pageOf(tablesOf([...csat, ...score(2, 9)]));
    expect(firstScreen(page)).toMatch(/NPS · Survey.*CSAT · Survey/);
    for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g))
      expect(page).toContain(`<article id="${anchor}"`);
  });

  test("draws a gap for months without answers, and the zero", () => {
    const [line = ""] = /<svg class="line".*?<\/svg>/s.exec(pageOf(tablesOf(months))) ?? [];
    expect(line.match(/<circle/g)).toHaveLength(2);
    expect(line.match(/<line /g)).toHaveLength(1);
    expect(line).toContain(
      "Jan 2026: +100 of 30 answers, Feb 2026: no answers, Mar 2026: no answers, Apr 2026: -67 of 30 answers",
    );
  });

  test("ends with the last sync, and not with a response of a wrong clock", () => {
    const page = pageOf(tablesOf([...score(59, 9, "2026-09"), ...score(1, 0, "2099-01")]));
    expect(firstScreen(page)).toContain(" Jul to Sep 2026|");
    expect(firstScreen(page)).toContain("|+100 59 answers|no answers|+97 ± 6 60 answers|");
    expect(page).toContain("1 response of a day after the last sync (2099-01-01): a clock was wrong.");
    expect(page).toContain("<title>Week of 2026-08-31: 59 responses</title>");
    const since = pageOf(
      tablesOf([...score(9, 9, "2026-08"), ...score(50, 9, "2026-09"), ...score(1, 0, "2099-01")]),
    );
    expect(cardOf(since, "What?")).toMatch(/Aug 2026 \+100 9 answers\|Sep 2026 \+100 50 answers$/);
  });

  test("says so if no question has a figure", () => {
    expect(firstScreen(pageOf(tablesOf(choice(3, "Yes"))))).toContain("No question asks for an NPS score");
  });
});

describe("two surveys", () => {
  const second = (answers: readonly Row[]) => answers.map((answer) => ({ ...answer, survey_id: "s2" }));
  const [first, other] = [choice(3, "A", 1), second(choice(3, "C", 1))];
  const tables = tablesOf([...first, ...other]);
  const both: Tables = {
    ...tables,
    surveys: ["s1", "s2"].map((id) => ({ ...tables.surveys?.[0], id, responses: 3 })),
    survey_questions: [
      { ...QUESTION, answer_choices: choices("A") },
      { ...QUESTION, survey_id: "s2", question: "Other?", answer_choices: choices("C") },
    ],
  };

  test("with the same ids of questions and choices keep their own words", () => {
    const page = pageOf(both);
    expect(cardOf(page, "What?")).toBe("What?|3 of 3 responses|A 3 · 100 %");
    expect(cardOf(page, "Other?")).toBe("Other?|3 of 3 responses|C 3 · 100 %");
  });

  test("of one name have their ids", () => {
    expect(pageOf(both)).toMatch(/Survey \(s1\).*Survey \(s2\)/s);
  });

  test("can be left out, and so can what is old", () => {
    const one = pageOf(both, { surveyIds: ["s2"] });
    expect(one).not.toContain("What?");
    expect(cardOf(one, "Other?")).toContain("C 3 · 100 %");
    expect(one).toContain("only <span");
    const all = [...score(30, 10, "2026-08"), ...score(40, 0, "2026-09")];
    const since = pageOf(tablesOf(all), { since: "2026-09-01" });
    expect(cardOf(since, "What?")).toMatch(/^What\?\|-100 NPS, Sep 2026 · 40 of 40 responses/);
    expect(since).toContain("responses since 2026-09-01");
    expect(since).toContain("Everything arrived."); // all 70 are counted
  });
});
