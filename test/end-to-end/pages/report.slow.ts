import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { report } from "../../../connector/report/report.ts";
import { openChromium, openFile } from "../../support/chromium.ts";
import { testFolder } from "../../support/folder.ts";
import { type Tables, writeTables } from "../../support/tables.ts";

/** The report's page in a real Chromium. Pictures are kept in `.survey-export/pictures/`, to be looked at. */
const pictures = fileURLToPath(new URL("../../../.survey-export/pictures/", import.meta.url));
const folder = testFolder();
const SYNC = { began_at: "2026-09-29T09:00:00Z", ended_at: "2026-09-29T09:01:00Z", outcome: "complete" };
const ARABIC = "ما مدى رضاك عن خدمتنا؟ نود أن نعرف رأيك.";
let context: BrowserContext;

beforeAll(async () => {
  context = await openChromium();
});
afterAll(() => context?.close());

/** A survey of this name, with some weeks of answers of each kind. */
function survey(name: string, at: number, count: number) {
  const survey_id = `survey-${at}`;
  const responses = Array.from({ length: count }, (_, number) => ({
    uuid: `${at}-${number}`,
    collected_at: new Date(Date.UTC(2026, 8, 28) - number * 3 * 86_400_000).toISOString(),
    survey_id,
    survey_name: name,
  }));
  const answers = responses.flatMap(({ uuid: response_uuid, collected_at }, number) => {
    const of = { response_uuid, collected_at, survey_id, position: 1 };
    const score = (number * 7) % 11;
    const nps_tag = score < 7 ? "detractor" : score < 9 ? "passive" : "promoter";
    return [
      { ...of, question_id: at * 10 + 1, answer_type: "nps", nps_tag, value_number: score },
      { ...of, question_id: at * 10 + 2, answer_type: "single_choice", value_text: `${name} ${number % 3}` },
      { ...of, question_id: at * 10 + 3, answer_type: "text", value_text: `${name}\n${number}` },
    ];
  });
  const question = { survey_id, id: at * 10 + 1, position: 1, question: name, collected_at: SYNC.began_at };
  const listed = { id: survey_id, name, responses: count + (at % 3), collected_at: SYNC.began_at };
  return { responses, answers, question, listed };
}

function tablesOf(names: readonly string[], count = 20): Tables {
  const surveys = names.map((name, at) => survey(name, at, at % 5 === 4 ? 0 : count));
  return {
    survey_responses: surveys.flatMap(({ responses }) => responses),
    survey_answers: surveys.flatMap(({ answers }) => answers),
    survey_questions: surveys.map(({ question }) => question),
    surveys: surveys.map(({ listed }) => listed),
  };
}

const PAGES: Readonly<Record<string, Tables>> = {
  empty: { survey_responses: [] },
  one: tablesOf(["Support"], 1),
  many: tablesOf(Array.from({ length: 300 }, (_, at) => `Survey number ${at}`)),
  long: tablesOf(["Wort".repeat(50), `${"A rather long name of a survey ".repeat(7)}?`]),
  "right-to-left": tablesOf([ARABIC, "שלום", `<script>document.title = "ran"</script>`]),
};

test.each(
  Object.keys(PAGES).flatMap((name) =>
    ([1280, 390] as const).flatMap((width) =>
      (["light", "dark"] as const).map((scheme) => [name, width, scheme] as const),
    ),
  ),
)(
  "the page %s at a width of %i, in %s: fits, asks for nothing and runs nothing",
  async (name, width, scheme) => {
    const path = folder.path(`${name}-${width}-${scheme}`);
    writeTables(`${path}.sqlite`, PAGES[name]!, [SYNC]);
    writeFileSync(`${path}.html`, report(`${path}.sqlite`, { hasTexts: true, surveyIds: [] }));
    const { page, problems, requests } = await openFile(context, `${path}.html`, width, scheme);
    await page.screenshot({ path: join(pictures, `report-${name}-${scheme}-${width}.png`) });
    expect(
      await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
    ).toBe(0);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
      scheme === "light" ? "rgb(255, 255, 255)" : "rgb(18, 24, 31)",
    );
    expect(await page.title()).toBe("What people said");
    const shown = name === "many" ? 12 : Number.POSITIVE_INFINITY;
    expect(await page.locator("details.survey[open]").count()).toBeLessThanOrEqual(shown);
    expect(problems).toEqual([]);
    expect(requests).toEqual([pathToFileURL(`${path}.html`).href]);
    await page.close();
  },
);

test("a link of the first screen leads to its question", async () => {
  writeTables(folder.path("links.sqlite"), PAGES.many!, [SYNC]);
  writeFileSync(
    folder.path("links.html"),
    report(folder.path("links.sqlite"), { hasTexts: false, surveyIds: [] }),
  );
  const { page } = await openFile(context, folder.path("links.html"), 1280, "light");
  await page.locator(".measures a").first().click();
  const anchor = new URL(page.url()).hash;
  expect(anchor).toMatch(/^#survey-\d+-question-\d+$/);
  expect(await page.locator(anchor).isVisible()).toBe(true);
  await page.close();
});

test("on paper every survey is unfolded, and the bars have their colours", async () => {
  writeTables(folder.path("print.sqlite"), PAGES.many!, [SYNC]);
  writeFileSync(
    folder.path("print.html"),
    report(folder.path("print.sqlite"), { hasTexts: false, surveyIds: [] }),
  );
  const { page } = await openFile(context, folder.path("print.html"), 1280, "light");
  const last = page.locator("details.survey article").last();
  expect(await last.isVisible()).toBe(false);
  await page.emulateMedia({ media: "print" });
  expect(await last.isVisible()).toBe(true);
  const adjusted = 'getComputedStyle(document.querySelector("details.survey .bar")).printColorAdjust';
  expect(await page.evaluate(adjusted)).toBe("exact");
  await page.close();
});
