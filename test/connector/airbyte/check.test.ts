import type { Transport } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { check } from "../../../connector/airbyte/check.ts";
import { createService } from "../../../sandbox/index.ts";
import { createSimulatedClock } from "../../model/support/clock.ts";
import { ORIGIN, simulatedHost } from "../../model/support/host.ts";
import { Written } from "./support/written.ts";

const PAGE = '{"data":[],"pagination_data":{"has_more":false,"next_url":null}}';

/** A check against a service that answers as `transport` says: its last message, and how long it took. */
async function checked(transport: Transport, surveyIds: readonly string[] = ["a", "b", "c"]) {
  const clock = createSimulatedClock();
  const beganMs = clock.now();
  const written = new Written(clock);
  const configuration = { base_url: "http://service.local/v2", api_key: "k3y-9f2c77", survey_ids: surveyIds };
  await check(
    written.writer,
    configuration,
    { clock, createHash: () => String, createTransport: () => transport },
    new AbortController().signal,
  );
  const { messages } = written;
  const warnings = messages.flatMap(({ log }) => (log?.level === "WARN" ? [log.message] : []));
  return {
    tookMs: clock.now() - beganMs,
    status: messages.find(({ type }) => type === "CONNECTION_STATUS").connectionStatus,
    warnings,
  };
}

const silent: Transport = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
const always =
  (status: number, headers: Readonly<Record<string, string>> = {}): Transport =>
  async () => ({ status, headers, body: "" });

describe("a check answers within 30 seconds", () => {
  it.each<[string, Transport, RegExp]>([
    ["never answers", silent, /^The service sent no answer within 20 s\. Check that base_url is right/],
    ["asks for a pause of an hour", always(429, { "retry-after": "3600" }), /rate limit/],
    ["keeps to its rate limit", always(429), /rate limit/],
    ["is down for an hour", always(503, { "retry-after": "3600" }), /unavailable/],
    ["fails, and asks for an hour", always(500, { "retry-after": "3600" }), /could not answer/],
    ["sends nothing of use", always(200), /cannot be used/],
  ])("when the service %s", async (_, transport, sentence) => {
    const { tookMs, status } = await checked(transport);
    expect(status).toMatchObject({ status: "FAILED", message: expect.stringMatching(sentence) });
    expect(tookMs).toBeLessThan(30_000);
  });

  it.each([
    [500, {}, /This was tried 3 times in \d+ s\. Try again later\. If it continues, ask the service\.$/],
    [
      429,
      { "retry-after": "3600" },
      /\. Try again later, or lower requests_per_minute of the other connections to the same workspace\./,
    ],
    [
      429,
      { "retry-after": "5" },
      /: try again later, or lower requests_per_minute of the other connections\.$/,
    ],
  ])("and gives advice for a check, not for a sync (status %i, %j)", async (status, headers, advice) => {
    const answer = await checked(always(status, headers));
    expect(answer.status.message).toMatch(advice);
    expect(answer.status.message).not.toMatch(/sync/);
  });

  it("when one survey of several stays silent, and says that it was not checked", async () => {
    const { tookMs, status, warnings } = await checked((request, signal) =>
      request.url.includes("/surveys/b/")
        ? silent(request, signal)
        : Promise.resolve({ status: 200, headers: {}, body: PAGE }),
    );
    expect(status).toEqual({ status: "SUCCEEDED" });
    expect(warnings).toEqual([
      "Only 2 of the 3 configured surveys were checked, because the service did not answer in time. A sync names those that it cannot read. [not_all_checked]",
    ]);
    expect(tookMs).toBeLessThan(30_000);
  });
});

it("gives the verdicts it gave when they were last looked at", async () => {
  const clock = createSimulatedClock();
  const sandbox = createService({ clock, surveys: [{ id: "welcome", responses: [] }] });
  const written = new Written(clock);
  const settings = { base_url: `${ORIGIN}/v2`, api_key: sandbox.apiKey, survey_ids: ["welcome"] };
  for (const changes of [
    {},
    { survey_ids: ["welcome", "none"] },
    { survey_ids: ["none"] },
    { start_date: "2999-01-01T00:00:00Z" },
    { respondent_uuids: ["00000000-0000-4000-8000-000000000001"] },
    { api_key: "wrong-key-altogether" },
    { base_url: "http://example.com/v2" },
    { survey_ids: [] },
    { "start-date": "2026-01-01T00:00:00Z", lookbackWindow: "PT1H" },
    { requests_per_minute: 2000, lookback_window: "P1M" },
  ]) {
    const { transport } = simulatedHost(sandbox, clock);
    const machine = {
      clock,
      createHash: () => String,
      createTransport: ({ apiKey }: { readonly apiKey: string }): Transport =>
        apiKey === sandbox.apiKey ? transport : async () => ({ status: 401, headers: {}, body: "" }),
    };
    await check(written.writer, { ...settings, ...changes }, machine, new AbortController().signal);
  }
  await expect(written.text).toMatchFileSnapshot("golden/check.jsonl");
});
