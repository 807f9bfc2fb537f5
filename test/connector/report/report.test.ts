import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { report } from "../../../connector/report/report.ts";
import { testFolder } from "../../support/folder.ts";
import { type Tables, writeTables } from "../../support/tables.ts";
import { pageOf } from "./support/page-of.ts";

const folder = testFolder();
const HOSTILE = `<script>alert("1")</script> & "quotes"`;

const LISTS: Readonly<Record<number, object>> = {
  2: {
    answer_choices: [
      { id: 31, content: "Red" },
      { id: 32, content: "Other" },
    ],
  },
  4: { answer_choices: [{ id: 51, content: "Speed" }], columns: ["Bad", "Good"] },
  5: { answer_choices: [{ id: 61, content: "Taste" }] },
};
const SEPTEMBER = "2026-09-07T10:00:00.000000Z"; // a Monday
const AUGUST = "2026-08-31T10:00:00.000000Z";
const response = (uuid: string, collected_at = SEPTEMBER) => ({
  uuid,
  collected_at,
  survey_id: "s1",
  survey_name: "Old",
});
const LISTED = { collected_at: "2026-09-29T09:00:00.000000Z", responses: 5 };
const NAMES = [
  "response_uuid",
  "question_id",
  "position",
  "answer_type",
  "answer_id",
  "label",
  "value_text",
  "value_number",
];

/** Answers, one a line, with these columns; nothing between two commas is null. Those of "e" are of August. */
const answers = (lines: string) =>
  lines
    .trim()
    .split("\n")
    .map((line) => {
      const values = line.split(",").map((value) => value.trim() || null);
      const of = Object.fromEntries(NAMES.map((name, at) => [name, values[at] ?? null]));
      const score = of.answer_type === "nps" ? Number(of.value_number) : undefined;
      const nps_tag =
        score === undefined ? null : score < 7 ? "detractor" : score < 9 ? "passive" : "promoter";
      const question_type = of.question_id === "2" ? "csat" : null;
      const comment = line.endsWith("!") ? HOSTILE : null;
      return {
        ...of,
        nps_tag,
        question_type,
        comment,
        survey_id: "s1",
        collected_at: values[0] === "e" ? AUGUST : SEPTEMBER,
      };
    });

const TABLES = {
  survey_responses: [...["a", "b", "c", "d"].map((uuid) => response(uuid)), response("e", AUGUST)],
  survey_answers: answers(`
    a, 1, 1, nps,,, 10, 10
    a, 1, 2, nps,,, 0, 0
    b, 1, 1, nps,,, 9, 9
    c, 1, 1, nps,,, 8, 8
    d, 1, 1, nps,,, 0, 0,!
    e, 1, 1, nps,,, 3, 3
    a, 2, 1, rating,,, , 5
    b, 2, 1, rating,,, , 4
    c, 2, 1, rating,,, , 3
    d, 2, 1, rating,,, , 1
    d, 2, 2, rating,,, , 5
    a, 3, 1, single_choice, 31,, Rot
    b, 3, 1, single_choice, 31,, Red
    c, 3, 1, single_choice, 32,, my own words
    d, 3, 1, single_choice,,, mine
    a, 4, 1, multiple_choice, 41,, Yes
    a, 4, 2, multiple_choice, 42,, No
    b, 4, 1, multiple_choice, 42,, No
    a, 5, 1, matrix,, Price
    a, 5, 2, matrix, 51, Speed, Good
    b, 5, 1, matrix, 51, Speed, Bad
    a, 6, 1, ranking, 61, Taste,, 1
    b, 6, 1, ranking, 61, Taste,, 4
    a, 7, 1, text,,, older text
    b, 7, 1, text,,, ${HOSTILE}
    a, 8, 1, contact_form,, email, ada@example.com
    a, 9, 1, strings,,, listed words`),
  survey_questions: [
    HOSTILE,
    "Satisfied?",
    "Which?",
    "Several?",
    "How good?",
    "In which order?",
    "Why?",
    "Who?",
  ].map((words, at) => ({
    survey_id: "s1",
    id: at + 1,
    position: at === 3 ? 0 : at + 1,
    question: words,
    ...LISTS[at],
  })),
  surveys: [{ ...LISTED, id: "s1", name: `New ${HOSTILE}` }],
} satisfies Tables;

const page = pageOf(TABLES);
/** A question's card: what it says without markup, with a bar between what stands apart. */
const card = (words: string, html = page): string => {
  const found = html.split("<article>").find((one) => one.startsWith(`<h3 dir="auto">${words}`)) ?? "";
  return found
    .split("</article>")[0]!
    .replace(/<[^>]*>/g, "|")
    .replace(/\|\s*(?=\|)|^\|+|\|+$/g, "");
};

describe("the figures equal those worked out by hand:", () => {
  test("NPS counts a question once for each response, and has a line over the months", () => {
    // Two promoters, a passive and two detractors. In August: one detractor. In September: 2 - 1 of 4.
    expect(card("&lt;script")).toContain(
      "|0|NPS of 5 responses|detractors|2 · 40 %|passives|1 · 20 %|promoters|2 · 40 %",
    );
    expect(page).toContain(`aria-label="NPS by month: 2026-08: -100, 2026-09: +25"`);
  });

  test.each([
    [10, "+43"],
    [0, "-43"],
  ])("an NPS of 17 scores of %i among 40 is %s", (score, figure) => {
    const line = (_: unknown, at: number) => `${at}, 1, 1, nps,,,, ${at < 17 ? score : 8}`;
    const survey_answers = answers(Array.from({ length: 40 }, line).join("\n"));
    const html = pageOf({ survey_responses: [response("a")], survey_answers });
    expect(card("Question 1", html)).toContain(`|${figure}|NPS of 40 responses`);
  });

  test("CSAT is the share of ratings of 4 or 5", () => {
    expect(card("Satisfied")).toBe(
      "Satisfied?|50 %|satisfied (4 or 5) of 4 responses|1|1 · 25 %|3|1 · 25 %|4|1 · 25 %|5|1 · 25 %",
    );
  });

  test("choices have the author's words, and percents of those who answered", () => {
    expect(card("Which")).toBe("Which?|4 responses|Red|2 · 50 %|Other|1 · 25 %|others|1 · 25 %");
    expect(card("Several")).toBe("Several?|2 responses|No|2 · 100 %|Yes|1 · 50 %");
  });

  test("a matrix and a ranking have figures for each row", () => {
    expect(card("How good")).toBe("How good?|Speed|2 responses|Bad|1 · 50 %|Good|1 · 50 %");
    expect(card("In which")).toContain("Taste|place 2.5 on average of 2 responses|1|1 · 50 %|4|1 · 50 %");
  });

  test("texts and forms say how many responses have one", () => {
    expect(card("Why")).toBe("Why?|a text in 2 responses");
    expect(card("Who")).toBe("Who?|a form in 1 response");
    expect(card("Question 9")).toBe("Question 9|a text in 1 response");
  });

  test("weeks begin on Mondays, and have a column each", () => {
    expect(page).toContain("<title>2026-08-31: 1</title>");
    expect(page).toContain("<title>2026-09-07: 4</title>");
  });

  test("questions are in the survey's order, and more than twelve labels end in others", () => {
    const words = [...page.matchAll(/<h3 dir="auto">(.*?)<\/h3>/g)].map(([, found]) => found!.slice(0, 7));
    expect(words).toEqual([
      "Several",
      "&lt;scr",
      "Satisfi",
      "Which?",
      "How goo",
      "In whic",
      "Why?",
      "Who?",
      "Questio",
    ]);
    const many = answers(
      Array.from({ length: 15 }, (_, at) => `${at}, 3, 1, single_choice, ${at},, ${at}`).join("\n"),
    );
    expect(card("Question 3", pageOf({ survey_responses: [response("a")], survey_answers: many }))).toMatch(
      /\|6\|1 · 7 %\|others\|3 · 20 %$/,
    );
  });
});

describe("people's own words", () => {
  const withTexts = pageOf(TABLES, { hasTexts: true });

  test("are not there unless they are asked for, and contact details never", () => {
    expect(page).not.toContain("my own words"); // instead of "Other", with texts or without
    for (const words of ["mine", "older text", "alert(&quot;1", "listed words"]) {
      expect(withTexts, words).toContain(words);
      // The survey and its question have a hostile name, which is the author's.
      const shown = page.replaceAll(/<h\d dir="auto">.*?<\/h\d>|<td dir="auto">.*?<\/td>/g, "");
      expect(shown, words).not.toContain(words);
    }
    for (const html of [page, withTexts]) expect(html).not.toContain("ada@example.com");
  });

  test("are there newest first, once each, with the score of the response", () => {
    expect(card("Why", withTexts)).toMatch(/2026-09-07 · scored (9|10)/);
  });
});

test("the page has no markup from the service, and asks for nothing", () => {
  expect(page).not.toMatch(/<script|src=|href=|url\(|@import/i);
  expect(page).toContain("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"");
});

test("nothing but nulls is a page, too", () => {
  const empty = { uuid: "a", collected_at: SEPTEMBER };
  const row = { response_uuid: "a", collected_at: SEPTEMBER, question_id: 1, position: 1 };
  const kinds = [
    "nps",
    "rating",
    "matrix",
    "ranking",
    "text",
    "contact_form",
    "single_choice",
    "action",
    "other",
  ];
  const survey_answers = kinds.map((answer_type, at) => ({ ...row, question_id: at, answer_type }));
  const nulls = {
    survey_responses: [empty],
    survey_answers,
    surveys: [{ id: "s", collected_at: SEPTEMBER }],
  };
  for (const hasTexts of [false, true]) expect(pageOf(nulls, { hasTexts })).toContain("1 of 2");
});

describe("a file that is no database of a sync is refused:", () => {
  test.each<[name: string, make: (path: string) => void, sentence: RegExp]>([
    ["none", () => {}, /^The file ".+none" does not exist\. Sync survey_responses into it first\.$/],
    [
      "text",
      (path) => writeFileSync(path, "no database ".repeat(99)),
      /cannot be read as a database of "sync": "file is not a database"/,
    ],
    [
      "other",
      (path) => new DatabaseSync(path).exec("CREATE TABLE x (y)"),
      /has no table _survey_export_syncs/,
    ],
    ["unread", (path) => writeTables(path, { surveys: [] }, []), /has no table survey_responses/],
  ])("%s", (name, make, sentence) => {
    make(folder.path(name));
    expect(() => report(folder.path(name), { hasTexts: false })).toThrow(sentence);
  });
});
