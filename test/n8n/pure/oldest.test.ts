import { createClient, parseTimestamp } from "@survey-export/core";
import { expect, it } from "vitest";
import { oldestNew } from "../../../n8n-node/nodes/SurveyExport/trigger/oldest.ts";
import { sliceReader } from "../../../n8n-node/nodes/SurveyExport/trigger/slice-reader.ts";
import { createSimulatedClock } from "../../simulation/clock.ts";
import { PLAIN } from "../../sync/connection.ts";
import { createListService, EPOCH_MS, HEALTHY } from "../../sync/list-service.ts";

it.each([
  ["microseconds", 3_000_000],
  ["milliseconds", 3_000_000],
  ["nearest millisecond", 3_000_000],
  ["milliseconds", 1500],
] as const)(
  "the oldest 500 of a backlog leave out none, where the service shows %s (3,000 in %i us)",
  async (shows, span) => {
    for (let seed = 0; seed < 10; seed++) {
      const service = createListService({ ...PLAIN, shows }, new Map());
      const times = Array.from({ length: 3000 }, (_, number) => (number * 7919 + seed * 104_729) % span);
      for (const [number, at] of times.entries())
        service.add({ uuid: `r${number}`, survey: "s", person: "p", at });
      const clock = createSimulatedClock(EPOCH_MS + 3_600_000);
      let requests = 0;
      const client = createClient(
        {
          clock,
          log: () => {},
          transport: async ({ url }) => {
            requests++;
            const answer = service.answer(url.slice("http://service.local/v2".length), HEALTHY);
            return { ...answer, headers: { date: new Date(clock.now()).toUTCString() } };
          },
        },
        { baseUrl: "http://service.local/v2" },
      );
      const read = sliceReader(client, "s", [], new AbortController().signal, () => {});
      const from = parseTimestamp("2026-01-01T00:00:00.000000Z");
      const { responses } = await oldestNew(read, from, 500, () => true);
      const timeOf = (uuid: unknown) => times[Number(String(uuid).slice(1))]!;
      const given = new Set(responses.map(({ uuid }) => uuid));
      const last = Math.max(...responses.map(({ uuid }) => timeOf(uuid)));
      // Responses that look alike to the service's reader may come in any order.
      const missing = times.flatMap((at, number) =>
        at < last - 2000 && !given.has(`r${number}`) ? [at] : [],
      );
      expect([responses.length, missing]).toEqual([500, []]);
      expect(requests).toBeLessThan(150);
    }
  },
);

it("a response at the last timestamp there is ends the reading", async () => {
  const times = [
    ...Array.from({ length: 1200 }, (_, number) => `2026-01-01T00:00:00.${String(number).padStart(6, "0")}Z`),
    "9999-12-31T23:59:59.999999Z",
  ];
  const all = times.map((collected_at, number) => ({ uuid: `r${number}`, collected_at })).reverse();
  let slices = 0;
  const { responses } = await oldestNew(
    async (from, to, most) => {
      expect(++slices).toBeLessThan(200);
      const found = all.filter(
        ({ collected_at: at }) => (from === undefined || at >= from) && (to === undefined || at <= to),
      );
      return { responses: found.slice(0, most), complete: found.length <= most };
    },
    undefined,
    500,
    ({ uuid }) => uuid === "r5",
  );
  expect(responses.map(({ uuid }) => uuid)).toEqual(["r5"]);
});
