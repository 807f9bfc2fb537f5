import { beforeAll, expect, test } from "vitest";
import { page } from "../../../tools/demo/page.ts";
import type { Report } from "../../../tools/demo/story.ts";

const HOSTILE = `<script>alert("1")</script> & <img src="http://evil.example/x.png">`;

const answer = (response_uuid: string, fields: object) => ({
  ...{ response_uuid, survey_id: "1", survey_name: "Support", question_id: 7 },
  ...{ collected_at: "2026-05-03T10:00:00.000000Z", ...fields },
});
const nps = (uuid: string, score: number, fields: object = {}) => {
  const nps_tag = score < 7 ? "detractor" : score < 9 ? "passive" : "promoter";
  return answer(uuid, { answer_type: "nps", nps_tag, value_number: score, ...fields });
};
const csat = (uuid: string, value_number: number) =>
  answer(uuid, { question_id: 8, question_type: "csat", answer_type: "rating", value_number });
const text = (uuid: string, value_text: string, collected_at: string) =>
  answer(uuid, { question_id: 9, answer_type: "text", value_text, collected_at });

const REPORT: Report = {
  answers: [
    ...[nps("a", 10), nps("b", 9), nps("c", 8), nps("d", 0)],
    nps("e", 3, { collected_at: "2026-06-01T00:00:00.000000Z" }),
    nps("f", 10, { survey_id: "2", survey_name: "<b>Onboarding</b>" }),
    ...[csat("a", 5), csat("b", 4), csat("c", 3)],
    text("a", "older", "2026-05-01T00:00:00.000000Z"),
    text("d", HOSTILE, "2026-05-03T10:00:00.000000Z"),
    text("e", "", "2026-06-01T00:00:00.000000Z"),
    text("f", "older", "2026-04-01T00:00:00.000000Z"),
  ],
  responses: [{ uuid: "a" }, { uuid: "b" }],
  streams: [
    { stream: "survey_answers", there: 1_200, first: 700, second: 650, again: 150, missing: 0 },
    { stream: "survey_responses", there: 100, first: 60, second: 50, again: 10, missing: 0 },
  ],
  requestsMs: [100, 200, 1_300, 4_000, 64_100],
  killedAtMs: 1_500,
  resumedAtMs: 3_900,
  allowancePerMinute: 1_000,
};

let html: string;
beforeAll(async () => {
  html = await page(REPORT);
});

/** The cells of the row that begins with a text. */
const row = (name: string): string[] => {
  const found = html.split("<tr>").find((one) => one.startsWith(`<th scope="row">${name}</th>`));
  return [...found!.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell!);
};

test("the page has the NPS and the CSAT of each question and month", () => {
  // Two promoters, a passive and a detractor in May; a detractor in June.
  expect(row("2026-05")).toEqual(["+25 (4)", "+100 (1)"]);
  expect(row("2026-06")).toEqual(["-100 (1)", ""]);
  // Two of three ratings are 4 or 5.
  expect(html).toContain("<td>67 % (3)</td>");
  expect(html).toContain(">-100  Support</text>");
});

test("it says how much came, how much twice, and the busiest minute", () => {
  for (const tile of [
    "<strong>2</strong> <span>responses read",
    "<strong>0</strong> <span>records missing",
    "<strong>160</strong> <span>of 1,300 records delivered twice",
    // The first request is a minute older than the last one.
    "<strong>4</strong> <span>of 1,000 requests in the busiest minute",
  ]) {
    expect(html).toContain(tile);
  }
  expect(row("survey_answers")).toEqual(["1,200", "700", "650", "150", "0"]);
});

test("it shows the newest texts first, each sentence once, with the score of the same person", () => {
  const shown = [...html.matchAll(/<blockquote>(.*?)<\/blockquote><p>(.*?)<\/p>/g)].map(
    ([, ...parts]) => parts,
  );
  expect(shown).toEqual([
    [expect.stringContaining("&lt;script&gt;"), "Support · 2026-05-03 10:00 · scored 0 of 10"],
    ["older", "Support · 2026-05-01 00:00 · scored 10 of 10"],
  ]);
});

test("no text of the service is markup, nothing is loaded, and nothing runs", () => {
  expect(html).not.toMatch(/<script|<img|<b>|<link|<iframe|javascript:/i);
  expect(html).toContain("&lt;b&gt;Onboarding&lt;/b&gt;");
  const addresses = html.match(/https?:\/\/[^"\s<&]+/g)!;
  expect(addresses.filter((address) => !address.startsWith("http://www.w3.org/"))).toEqual([
    "http://evil.example/x.png",
  ]);
  expect(html).not.toMatch(/(?:src|href|url\()\s*=?\s*["']?https?:/i);
  expect(html).toContain(
    `http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`,
  );
});

test("each chart has a label and a table, and tells its lines apart without colour", () => {
  expect(html.match(/<svg role="img" aria-label="[^"]{40,}"/g)).toHaveLength(3);
  expect(html.match(/<details><summary>/g)).toHaveLength(3);
  expect(html).toContain('stroke-dasharray="7,3"');
  expect(html).not.toMatch(/NaN|Infinity|undefined|\[object/);
});

test("a page of nobody's answers is still a page", async () => {
  const nobody = await page({ ...REPORT, answers: [], responses: [], requestsMs: [] });
  expect(nobody).not.toMatch(/NaN|Infinity|undefined/);
});
