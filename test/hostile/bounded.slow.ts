import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { BIN, catalog, runBin } from "../command-line/bin.ts";
import { peakMemory, startExport } from "./export.ts";
import { HOUR, items, NOW, timestamp, uuid } from "./service.ts";

it.each([
  [2500, 100],
  [130, 5],
  [130, 1],
])("%i unreadable items at %i a page end the walk, with a sentence", async (count, items_per_page) => {
  const readable = items(5, (n) => ({ uuid: uuid(50_000 + n), at: NOW - 300n * HOUR + BigInt(n) }));
  await using e = await startExport({
    items: [...items(count, () => ({ change: { uuid: null } })), ...readable],
  });
  const read = await e.sync({ streams: ["survey_responses"], config: { items_per_page } });
  expect(read.status("survey_responses")).toBe("INCOMPLETE");
  expect(read.requests).toBeLessThan(200);
  expect(read.errors()[0]).toContain("holds an item that cannot be read");
  expect(new Set(read.errors()).size, "each sentence comes once").toBe(read.errors().length);
});

it.each([1, 2, 5])(
  "attribute links that begin at the page's last item end, at %i a page",
  async (items_per_page) => {
    const attributes = () =>
      Array.from({ length: 7 }, (_, n) => ({ id: 100 - n, name: `n${n}`, value: "v" }));
    await using e = await startExport({ items: items(3), attributes, linksToLast: true });
    const read = await e.sync({ streams: ["respondent_attributes"], config: { items_per_page } });
    expect([read.code, read.ids("respondent_attributes").length]).toEqual([0, 21]);
    expect(read.requests).toBeLessThan(40);
  },
);

it("24 syncs with a refused key take nothing from the state, and ask once each", async () => {
  await using e = await startExport({ items: items(40) });
  const config = { lookback_window: "P7D" };
  let { state } = await e.sync({ config });
  const newest = items(40).at(-1)!.at;
  e.service.behaviour.script = () => ({ status: 401, body: { error: "bad key" } });
  for (let sync = 0; sync < 24; sync++) {
    const refused = await e.sync({ state, config });
    expect(refused.requests).toBeLessThanOrEqual(2);
    state = refused.state;
  }
  e.service.behaviour.script = undefined;
  expect(JSON.stringify(state)).toContain(timestamp(newest));
  const after = await e.sync({ state, config });
  expect(after.code).toBe(0);
  expect(after.ids("survey_responses").length, "one lookback is read again, and no more").toBeLessThanOrEqual(
    40,
  );
});

it("asks nobody before the first page has come, and then people before pages, so few wait", async () => {
  const surveys = ["a", "b", "c"].flatMap((survey, at) =>
    items(200, (n) => ({ survey, uuid: uuid(1000 * at + n), respondent: uuid(900_000 + 1000 * at + n) })),
  );
  const held: (() => void)[] = [];
  /** How many people each call of a survey showed; -1 for each call of a person. */
  const people: number[] = [];
  let askedMeanwhile: readonly string[] | undefined;
  await using e = await startExport({
    items: surveys,
    script({ page, number, list }, response) {
      people.push(list === "surveys" ? page().body.data.length : -1);
      if (askedMeanwhile) return false;
      held.push(() => response.end(JSON.stringify(page().body)));
      if (number === 1) {
        setTimeout(() => {
          askedMeanwhile = [...e.service.calls];
          for (const answer of held) answer();
        }, 1_500);
      }
      return "handled";
    },
  });
  const read = await e.sync({ config: { items_per_page: 10 } });
  expect([read.code, read.ids("respondent_responses").length]).toEqual([0, 600]);
  for (const call of askedMeanwhile!)
    expect(call).toMatch(/^\/surveys\/[abc]\/responses\?items_per_page=10$/);
  let waiting = 0;
  let mostWaiting = 0;
  for (const more of people) {
    waiting += more;
    mostWaiting = Math.max(mostWaiting, waiting);
  }
  expect(mostWaiting).toBeLessThan(100);
});

it("a check of a silent service ends by itself, with a sentence", async () => {
  await using e = await startExport({ items: items(1), script: () => "handled" });
  const { stdout } = await runBin([
    "check",
    "--config",
    await e.folder.file("config.json", e.configuration()),
  ]);
  expect(stdout).toContain("The service sent no answer within 20 s.");
});

const bombs = {
  "a list of 20 million objects": `{"data":[${"{},".repeat(20_000_000)}{}],"pagination_data":{"has_more":false}}`,
  "one response with 20 million answers": `{"data":[{"response":{"answers":[${"{},".repeat(20_000_000)}{}]}}]}`,
  "one field of 400 MB": `{"data":[{"response":{"x":"${"a".repeat(400_000_000)}"}}]}`,
};
it.runIf(process.platform === "linux").each(Object.entries(bombs))(
  "five gzip pages of %s are refused, in bounded memory",
  async (_, page) => {
    const body = gzipSync(page);
    const surveys = ["a", "b", "c", "d", "e"].flatMap((survey) => items(1, () => ({ survey })));
    await using e = await startExport({
      items: surveys,
      script: () => ({ headers: { "Content-Encoding": "gzip" }, body }),
    });
    const config = await e.folder.file("config.json", e.configuration());
    const selected = await e.folder.file("catalog.json", catalog(["survey_responses"]));
    const { code, output, peak } = await peakMemory([BIN, "read", "--config", config, "--catalog", selected]);
    expect(code).toBe(1);
    expect(output).toMatch(/INCOMPLETE/);
    expect(output).toMatch(/"failure_type":"system_error"/);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(600);
  },
);
