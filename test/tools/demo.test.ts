import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { PALETTE, scoreChart } from "../../tools/demo/charts.ts";
import { page, type Report } from "../../tools/demo/page.ts";
import { npsLines } from "../../tools/demo/scores.ts";
import { Received, read, verdict } from "../../tools/demo/source.ts";
import { testFolder } from "../support/folder.ts";

const HOSTILE = `<script>alert("1")</script> & <img src="http://evil.example/x.png">`;

const answer = (response_uuid: string, fields: object) => ({
  response_uuid,
  survey_id: "1",
  survey_name: "Support",
  question_id: 7,
  collected_at: "2026-05-03T10:00:00.000000Z",
  ...fields,
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
  streams: [{ stream: "survey_answers", there: 12, read: 12, missing: 0 }],
  twice: 160,
  nextRequests: 12,
  requestsMs: [100, 64_100],
  allowancePerMinute: 1_000,
  moments: [{ atMs: 1_500, what: "killed" }],
};

const html = page(REPORT);

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
    expect(onScreens).toMatch(/^<figure[^>]*><svg role="img" aria-label="[^"]{40,}"/);
    expect(onScreens).toContain(">-100  Support</text>");
    expect(onScreens).toContain('stroke-dasharray="7,3"'); // tells lines apart without colour
    expect(onScreens).toContain(">1–4 answers</text>");
    expect(onScreens).toContain(">1 answer</text>");
    for (const shown of [">Support</text>", ">-100</text>", ">1–4</text>"]) expect(onPhones).toContain(shown);
  });

  test("shows the newest texts first, each sentence once, with the score of the same person", () => {
    const shown = [...html.matchAll(/<blockquote>(.*?)<\/blockquote><p>(.*?)<\/p>/g)];
    expect(shown.map(([, ...parts]) => parts)).toEqual([
      [expect.stringContaining("&lt;script&gt;"), "Support · 2026-05-03 10:00 · scored 0 of 10"],
      ["older", "Support · 2026-05-01 00:00 · scored 10 of 10"],
    ]);
  });

  test.each([
    { requestsMs: [100, 200, 59_000], busiest: 3, all: "3 requests in 59 seconds" },
    { requestsMs: [100, 60_099, 60_100, 70_000], busiest: 3, all: "4 requests in 70 seconds" },
  ])("counts in the busiest minute what it counts in all: $all", ({ requestsMs, busiest, all }) => {
    const shown = page({ ...REPORT, requestsMs });
    expect(shown).toContain(`<strong>${busiest}</strong> <span>of 1,000 requests in the busiest minute`);
    expect(shown).toContain(`Requests in the last minute: at most ${busiest},`);
    expect(shown).toContain(`<p>${all}.`);
  });

  test("has no markup from the service, loads nothing and runs nothing", () => {
    expect(html).not.toMatch(/<script|<img|<b>|<link|<iframe|javascript:/i);
    expect(html).toContain("&lt;b&gt;Onboarding&lt;/b&gt;");
    expect(html).not.toMatch(/(?:src|href|url\()\s*=?\s*["']?https?:/i);
    expect(html).toContain(
      `http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`,
    );
  });
});

test("the names at the ends of lines that meet do not cover each other", () => {
  const at = { month: "2026-05", score: 50, answers: 9 };
  const scores = ["A", "B", "C"].map((survey, look) => ({ survey, question: undefined, look, ...at }));
  const chart = scoreChart(scores, { title: "NPS", label: "", axis: [-100, 100], written: String });
  const labels = [...chart.matchAll(/<text [^>]*y="([\d.]+)"[^>]*>50 {2}[ABC]</g)].map(([, y]) => Number(y));
  expect(labels).toHaveLength(3);
  for (const [place, y] of labels.slice(1).entries()) expect(y - labels[place]!).toBeGreaterThanOrEqual(13);
});

const TEXTS: Readonly<Record<number, string>> = { 7: "Recommend us?" };

test("the NPS on a terminal is best first, and keeps two questions of one survey apart", () => {
  const asked = (survey_name: string, question_id: number, ...tags: string[]) =>
    tags.map((nps_tag) => ({ survey_name, question_id, question: TEXTS[question_id], nps_tag }));
  expect(
    npsLines([
      ...asked("Product", 8, "detractor", "passive"),
      ...asked("Product", 7, "promoter"),
      ...asked("Support", 1, "promoter", "passive", "detractor"),
      { survey_name: "Support", nps_tag: null },
    ]),
  ).toEqual([
    "Product: Recommend us?  +100  ██████████████████████████████  1 answer",
    "Support                    0  ░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒██████████  3 answers",
    "Product: question 8      -50  ░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  2 answers",
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

const folder = testFolder();
const record = (uuid: string, url: string) => ({
  type: "RECORD",
  record: { stream: "survey_responses", data: { uuid, url } },
});

/** A program that writes these messages, and then does something else. */
async function program(messages: readonly object[], then = ""): Promise<string[]> {
  const lines = JSON.stringify(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  return [await folder.file("program.mjs", `process.stdout.write(${lines}); ${then}`)];
}

describe("what is read", () => {
  test("counts each key once, keeps the later record, and says what is missing", async () => {
    const received = new Received();
    const records = [record("a", "old"), record("b", "other"), record("a", "new")];
    expect(await read(await program(records), folder.path("1"), received, () => false)).toBe(false);
    expect(received).toMatchObject({ delivered: 3, count: 2 });
    expect([...received.of("survey_responses").values()].map(({ url }) => url)).toEqual(["new", "other"]);
    const expected = (...uuids: string[]) =>
      new Map([["survey_responses", new Set(uuids.map((uuid) => JSON.stringify([uuid])))]]);
    expect(verdict(received.compare(expected("a", "b")))).toMatch(/\n {3}survey_responses +2 +2 +0$/);
    expect(() => verdict(received.compare(expected("a", "c")))).toThrow("1 records are missing.");
  });

  test("ends with a kill as soon as that is asked for; a line that it cut short is no message", async () => {
    const received = new Received();
    const then = `process.stdout.write('{"type":"REC'); setInterval(() => {}, 1000);`;
    const words = await program([record("a", "")], then);
    expect(await read(words, folder.path("2"), received, () => received.count === 1)).toBe(true);
    expect(received.count).toBe(1);
  });

  test("says why it failed", async () => {
    const error = { type: "TRACE", trace: { error: { message: "The API key is wrong." } } };
    const words = await program([error], "process.exitCode = 1;");
    const failed = read(words, folder.path("3"), new Received(), () => false);
    await expect(failed).rejects.toThrow("The program ended with 1: The API key is wrong.");
  });
});

test("npm start in a folder that cannot be written says so in a sentence", async () => {
  await folder.file(".survey-export", "a file, so that nothing can be written into it");
  const script = fileURLToPath(new URL("../../scripts/start.ts", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    cwd: folder.path("."),
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(
    /^The folder .+\/\.survey-export\/start cannot be written: E.+\. Make it writable for this user, or run npm start in a copy of the repository that is\.\n$/,
  );
});
