import type { Transport } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { check } from "../../../connector/airbyte/check.ts";
import { createSimulatedClock } from "../../model/support/clock.ts";
import { Written } from "./support/written.ts";

const PAGE = '{"data":[],"pagination_data":{"has_more":false,"next_url":null}}';

/** A check against a service that answers as `transport` says: its result and its warnings. */
async function checked(transport: Transport) {
  const clock = createSimulatedClock();
  const beganMs = clock.now();
  const written = new Written(clock);
  const configuration = {
    base_url: "http://service.local/v2",
    api_key: "k3y-9f2c77",
    survey_ids: ["a", "b"],
  };
  const machine = { clock, createHash: () => String, createTransport: () => transport };
  await check(written.writer, configuration, machine, new AbortController().signal);
  expect(clock.now() - beganMs).toBeLessThan(30_000);
  const warnings = written.messages.flatMap(({ log }) => (log?.level === "WARN" ? [log.message] : []));
  return { ...written.messages.at(-1).connectionStatus, warnings };
}

const silent: Transport = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
const always =
  (status: number, seconds?: string): Transport =>
  async () => ({ status, headers: seconds === undefined ? {} : { "retry-after": seconds }, body: "" });

describe("a check answers within 30 seconds, with advice for a check", () => {
  const PAUSE =
    /^The service answered with nothing but status 429 for 20 s, .*Try again later\. If its rate limit/;
  it.each<[string, Transport, RegExp]>([
    ["never answers", silent, /^The service sent no answer within 20 s\. Check that base_url is right/],
    [
      "asks for a pause of an hour",
      always(429, "3600"),
      /rate limit.*Try again later, or lower requests_per/,
    ],
    ["refuses again and again", always(429, "5"), PAUSE],
    ["is down for an hour", always(503, "3600"), /unavailable.*Try again later\. If it continues, ask/],
    ["fails", always(500), /could not answer.*This was tried 3 times in \d+ s\. Try again later\. If it/],
    ["sends nothing of use", always(200), /cannot be used/],
  ])("when the service %s", async (_, transport, sentence) => {
    const { status, message } = await checked(transport);
    expect([status, message]).toEqual(["FAILED", expect.stringMatching(sentence)]);
    expect(message).not.toMatch(/sync/);
  });

  it("when one survey of several stays silent, and says that it was not checked", async () => {
    const answered = { status: 200, headers: {}, body: PAGE };
    const result = await checked(async (request, signal) =>
      request.url.includes("/surveys/b/") ? silent(request, signal) : answered,
    );
    expect(result).toEqual({
      status: "SUCCEEDED",
      warnings: [
        "Only 1 of the 2 configured surveys were checked, so that check answers in time. A sync names those that it cannot read. [not_all_checked]",
      ],
    });
  });
});
