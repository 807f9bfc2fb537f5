import { expect, it } from "vitest";
import { runBin } from "../command-line/bin.ts";
import { KEY, RESPONSE_STREAMS, startExport } from "./export.ts";
import { items, uuid } from "./service.ts";

const codes = (code: (number: number) => string) => [...KEY].map((one) => code(one.charCodeAt(0))).join("");
const SPELLINGS: Readonly<Record<string, string>> = {
  "as it is": KEY,
  "in capitals": KEY.toUpperCase(),
  "in small letters": KEY.toLowerCase(),
  "after Basic": `Authorization: Basic ${KEY}`,
  "as JSON in JSON": JSON.stringify(JSON.stringify(KEY)),
  "percent-encoded": codes((number) => `%${number.toString(16)}`),
  "percent-encoded twice": encodeURIComponent(codes((number) => `%${number.toString(16)}`)),
  "in JSON's codes": codes((number) => `\\u00${number.toString(16)}`),
  "in HTML's codes": codes((number) => `&#x${number.toString(16)};`),
};

it.each(Object.entries(SPELLINGS))("the key, sent back %s, is in no message", async (_, sent) => {
  const empty = { has_more: false };
  const answers: Readonly<
    Record<string, { status?: number; body?: unknown; headers?: Record<string, string> }>
  > = {
    rejected: { status: 400, body: `bad: ${sent}` },
    invalid: { status: 422, body: { [sent]: sent } },
    missing: { status: 404, body: sent, headers: { "X-Key": encodeURIComponent(sent) } },
    elsewhere: { body: { data: [], pagination_data: { has_more: true, next_url: `http://evil/${sent}` } } },
    other: {
      body: { data: [], pagination_data: { has_more: true, next_url: `/surveys/${sent}/responses` } },
    },
    redirect: { status: 302, headers: { Location: `/v2/x?${encodeURIComponent(sent)}` }, body: sent },
    item: {
      body: { data: [{ response: { uuid: sent, collected_at: sent, [sent]: 1 } }], pagination_data: empty },
    },
    refused: { status: 403, body: { error: sent } },
  };
  await using e = await startExport({ items: [], script: ({ id }) => answers[id] ?? false });
  const streams = ["survey_responses"];
  const { code, output } = await e.sync({ streams, config: { survey_ids: Object.keys(answers) } });
  expect(code).toBe(1);
  for (const spelling of Object.values(SPELLINGS)) expect(output).not.toContain(spelling);
  expect(output.toLowerCase()).not.toContain("planted");
});

it("a configuration given inline is refused without a word of it", async () => {
  const ended = await runBin(["check", "--config", JSON.stringify({ api_key: KEY })]);
  expect(ended.stdout + ended.stderr).toContain("--config is not the path of a file");
  expect(ended.stdout + ended.stderr).not.toContain("PLANTED");
});

it.each(["constructor", "__proto__", "toString"])("%s is an id like any other", async (id) => {
  await using e = await startExport({ items: items(5, () => ({ survey: id, respondent: id })) });
  const first = await e.sync();
  expect([first.code, first.ids(RESPONSE_STREAMS[0]).length, first.ids(RESPONSE_STREAMS[1]).length]).toEqual([
    0, 5, 5,
  ]);
  const second = await e.sync({ state: first.state, config: { lookback_window: "PT0S" } });
  expect(second.code).toBe(0);
  expect(second.ids(RESPONSE_STREAMS[0]).length).toBeLessThan(5);
});

it.each([
  "/surveys/b/responses",
  "/surveys/a/../b/responses",
  "/surveys/a%2F..%2Fb/responses",
  "/surveys/A/responses",
  "//evil.example/v2/surveys/a/responses",
  "\\\\evil.example\\x",
  "surveys/b/responses",
])("a link to %s is not followed, and the survey is read without it", async (next_url) => {
  await using e = await startExport({
    items: [...items(20), ...items(20, (n) => ({ survey: "b", uuid: uuid(100 + n) }))],
    script({ page }) {
      const answer = page();
      if (answer.body.pagination_data.has_more) answer.body.pagination_data.next_url = next_url;
      return answer;
    },
  });
  const config = { survey_ids: ["a"], items_per_page: 10 };
  const read = await e.sync({ streams: ["survey_responses"], config });
  expect(read.status("survey_responses")).toBe("INCOMPLETE");
  expect(read.errors()).toEqual([expect.stringContaining("leads to another list")]);
  expect(read.ids("survey_responses")).toHaveLength(20);
  expect(e.service.calls.filter((call) => !call.startsWith("/surveys/a/responses?"))).toEqual([]);
});

it.each([100, 5_000, 50_000])("a record of %i levels stays out, and the rest goes on", async (levels) => {
  const deep = "[".repeat(levels) + "]".repeat(levels);
  await using e = await startExport({
    items: items(20, (n) => (n === 7 ? { change: { answers: "DEEP" } } : {})),
    script: ({ page }) => ({ body: JSON.stringify(page().body).replace('"DEEP"', deep) }),
  });
  const first = await e.sync({ streams: ["survey_responses"] });
  expect([first.status("survey_responses"), first.ids("survey_responses").length]).toEqual([
    "INCOMPLETE",
    19,
  ]);
  e.service.behaviour.script = undefined;
  e.service.behaviour.items = items(20);
  const second = await e.sync({ streams: ["survey_responses"], state: first.state });
  expect(second.ids("survey_responses")).toContain(uuid(7));
});

it("a field name of 80,000 backslashes and 100,000 unknown fields make one short warning", async () => {
  const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`f${n}`, n]));
  await using e = await startExport({
    items: items(1, () => ({ change: { ["\\".repeat(80_000)]: 1, "\u202e\u0007": 1, ...fields } })),
  });
  const read = await e.sync({ streams: ["survey_responses"] });
  expect([read.code, read.ids("survey_responses").length]).toEqual([0, 1]);
  expect(read.log.length).toBeLessThan(2_000);
  expect(read.log).toMatch(/and 99,98\d more/);
  for (const character of ["\u202e", "\u0007"]) expect(read.log).not.toContain(character);
});
