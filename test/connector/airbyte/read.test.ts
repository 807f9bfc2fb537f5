import { expect, it } from "vitest";
import { requireConfiguration } from "../../../connector/airbyte/configuration.ts";
import { read } from "../../../connector/airbyte/read.ts";
import { createRedactor } from "../../../connector/core/text/redactor.ts";
import { createService } from "../../../sandbox/index.ts";
import { createSimulatedClock } from "../../support/clock.ts";
import { ORIGIN, simulatedHost } from "../../support/host.ts";
import { Written } from "./support/written.ts";

const PERSON = "00000000-0000-4000-8000-000000000001";
const OTHER = "00000000-0000-4000-8000-000000000002";

/** The whole output, byte for byte, of a small read with a pause for the rate limit in it. */
it("writes the messages it wrote when they were last looked at", async () => {
  const clock = createSimulatedClock(Date.UTC(2026, 5, 1));
  const sandbox = createService({
    clock,
    limits: false,
    respondents: [
      { uuid: PERSON, attributes: [{ id: 12, name: "plan", value: "pro" }] },
      { uuid: OTHER, attributes: [] },
    ],
    surveys: [
      {
        id: "welcome",
        name: "Welcome",
        content: "little",
        responses: [
          { uuid: "r1", collected_at: "2026-01-01T10:00:00.000001Z", respondent_uuid: PERSON },
          {
            uuid: "r2",
            collected_at: "2026-01-01T11:00:00.000002Z",
            respondent_uuid: OTHER,
            fields: { mood: "good" },
          },
          { uuid: "r3", collected_at: "2026-01-01T12:00:00.000003Z", respondent_uuid: PERSON },
        ],
      },
    ],
    faults: [{ on: "survey_responses", nth: 2, reply: { kind: "status", status: 429, retryAfter: 20 } }],
  });
  const written = new Written(clock);
  const complete = await read(
    written.writer,
    {
      configuration: requireConfiguration({
        base_url: `${ORIGIN}/v2`,
        api_key: sandbox.apiKey,
        survey_ids: ["welcome", "none"],
        items_per_page: 2,
      }),
      selected: [
        { name: "survey_responses", syncMode: "incremental" },
        { name: "respondent_responses", syncMode: "full_refresh" },
        { name: "respondent_attributes", syncMode: "incremental" },
        { name: "surveys", syncMode: "incremental" },
      ],
      states: new Map(),
    },
    { clock, createTransport: () => simulatedHost(sandbox, clock).transport, createHash: () => String },
    new AbortController().signal,
    () => {},
  );
  expect(complete).toBe(false);
  await expect(written.text).toMatchFileSnapshot("golden/read.jsonl");
});

it.each([
  ["the key", {}, "Ada has the key ****"],
  ["personal data", { personal_data: { free_text: "omit" } }, "…"],
])("shows %s neither in messages nor on the live line of a terminal", async (_, settings, shown) => {
  const clock = createSimulatedClock();
  const apiKey = "key-0123456789abcdef";
  const body = `Ada has the key ${apiKey}`;
  const output = new Written(clock);
  output.writer.protect({ redact: createRedactor(apiKey) });
  const drawn: string[] = [];
  await read(
    output.writer,
    {
      configuration: requireConfiguration({
        base_url: `${ORIGIN}/v2`,
        api_key: apiKey,
        survey_ids: ["welcome"],
        ...settings,
      }),
      selected: [{ name: "survey_responses", syncMode: "incremental" }],
      states: new Map(),
    },
    {
      clock,
      createTransport: () => async () => ({ status: 200, headers: {}, body }),
      createHash: () => String,
    },
    new AbortController().signal,
    (line) => void drawn.push(line),
  );
  const lines = [...drawn, ...output.messages.map(({ log }) => log?.message ?? "")];
  const quoting = lines.filter((line) => line.includes("it begins"));
  expect(quoting.length).toBeGreaterThan(10);
  for (const line of quoting) expect(line).toContain(`it begins "${shown}"`);
});
