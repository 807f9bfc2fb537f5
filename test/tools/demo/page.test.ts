import { beforeAll, describe, expect, test } from "vitest";
import { PALETTE, scoreChart } from "../../../tools/demo/charts.ts";
import { page, type Report } from "../../../tools/demo/page.ts";
import { npsLines } from "../../../tools/demo/scores.ts";

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
  responses: 2,
  streams: [
    { stream: "survey_answers", there: 1_200, read: 1_200, missing: 0 },
    { stream: "survey_responses", there: 100, read: 99, missing: 1 },
  ],
  twice: 160,
  nextRequests: 12,
  requestsMs: [100, 200, 1_300, 4_000, 64_100],
  busiestMinute: 4,
  allowancePerMinute: 1_000,
  moments: [{ atMs: 1_500, what: "killed" }],
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

describe("the page", () => {
  test("has the NPS and the CSAT of each question and month", () => {
    // Two promoters, a passive and a detractor in May; a detractor in June.
    expect(row("2026-05")).toEqual(["+25 (4)", "+100 (1)"]);
    expect(row("2026-06")).toEqual(["-100 (1)", ""]);
    // Two of three ratings are 4 or 5.
    expect(html).toContain("<td>67 % (3)</td>");
  });

  test("names each line of a chart, at its end or on a phone below, and says how many answers a month with few has", () => {
    const [onScreens = "", onPhones = ""] = html.match(/<figure.*?<\/figure>/gs)!;
    expect(onScreens).toContain(">-100  Support</text>");
    expect(onScreens).toContain(">1–4 answers</text>");
    expect(onScreens).toContain(">1 answer</text>");
    for (const shown of [">Support</text>", ">-100</text>", ">1–4</text>"]) expect(onPhones).toContain(shown);
  });

  test("counts what was read, and tells in a note what came twice", () => {
    for (const tile of [
      "<strong>2</strong> <span>responses read",
      "<strong>1</strong> <span>of 1,300 records missing",
      "<strong>12</strong> <span>requests in the next sync",
      "<strong>4</strong> <span>of 1,000 requests in the busiest minute",
    ]) {
      expect(html).toContain(tile);
    }
    expect(row("survey_responses")).toEqual(["100", "99", "1"]);
    // Every second is counted, also one without a request.
    expect([row("0 to 1 s"), row("1 to 2 s"), row("2 to 3 s")]).toEqual([["2"], ["1"], ["0"]]);
    expect(html).toContain('<p class="note">160 records came twice');
  });

  test("shows the newest texts first, each sentence once, with the score of the same person", () => {
    const shown = [...html.matchAll(/<blockquote>(.*?)<\/blockquote><p>(.*?)<\/p>/g)];
    expect(shown.map(([, ...parts]) => parts)).toEqual([
      [expect.stringContaining("&lt;script&gt;"), "Support · 2026-05-03 10:00 · scored 0 of 10"],
      ["older", "Support · 2026-05-01 00:00 · scored 10 of 10"],
    ]);
  });

  test("has no markup from the service, loads nothing and runs nothing", () => {
    expect(html).not.toMatch(/<script|<img|<b>|<link|<iframe|javascript:/i);
    expect(html).toContain("&lt;b&gt;Onboarding&lt;/b&gt;");
    expect(html).not.toMatch(/(?:src|href|url\()\s*=?\s*["']?https?:/i);
    expect(html).toContain(
      `http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`,
    );
  });

  test("has a label and a table for each chart, and tells lines apart without colour", () => {
    expect(html.match(/<svg role="img" aria-label="[^"]{40,}"/g)).toHaveLength(6);
    expect(html.match(/<details><summary>/g)).toHaveLength(3);
    expect(html).toContain('stroke-dasharray="7,3"');
    expect(html).not.toMatch(/NaN|Infinity|undefined|\[object/);
  });

  test("is still a page if nobody answered", async () => {
    expect(await page({ ...REPORT, answers: [], requestsMs: [] })).not.toMatch(/NaN|Infinity|undefined/);
  });
});

test("the names at the ends of two lines that meet do not cover each other", () => {
  const scores = ["A", "B", "C"].map((name, look) => ({ name, look, month: "2026-05", score: 50 }));
  const chart = scoreChart(scores, { title: "NPS", range: [-100, 100], written: String });
  const { layer, height } = chart as {
    readonly height: number;
    readonly layer: readonly { readonly data?: { readonly values: readonly { readonly score: number }[] } }[];
  };
  const labels = layer.flatMap(({ data }) => data?.values ?? []).map(({ score }) => (score * height) / 200);
  expect(labels).toHaveLength(3);
  for (const [place, at] of labels.slice(1).entries()) expect(labels[place]! - at).toBeGreaterThanOrEqual(13);
});

test("the NPS on a terminal is best first, and keeps two questions of one survey apart", () => {
  const asked = (survey_name: string, question_id: number, ...tags: string[]) =>
    tags.map((nps_tag) => ({ survey_name, question_id, nps_tag }));
  expect(
    npsLines([
      ...asked("Product", 8, "detractor", "passive"),
      ...asked("Product", 7, "promoter"),
      ...asked("Support", 1, "promoter", "passive", "detractor"),
      { survey_name: "Support", nps_tag: null },
    ]),
  ).toEqual([
    "Product, question 7  +100  ██████████████████████████████  1 answer",
    "Support                 0  ░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒██████████  3 answers",
    "Product, question 8   -50  ░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  2 answers",
  ]);
});

/** The contrast of two colours, from 1 to 21 (WCAG 2). */
function contrastOf(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

test.each(["ink", "soft", "series-1", "series-2", "series-3", "series-4"] as const)(
  "a text in %s can be read on paper and on a card, in light and in dark",
  (name) => {
    for (const scheme of [0, 1] as const)
      for (const ground of ["paper", "card"] as const)
        expect(contrastOf(PALETTE[name][scheme], PALETTE[ground][scheme])).toBeGreaterThanOrEqual(4.5);
  },
);
