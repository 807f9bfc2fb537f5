import { createClient, createRecordTreatment, readStreams, STREAMS } from "@survey-export/core";
import { expect, it } from "vitest";
import { createSimulatedClock } from "../../../model/support/clock.ts";
import { ORIGIN } from "../../../model/support/host.ts";

type Treatment = ReturnType<typeof createRecordTreatment>;

/** The records of a sync of one response. */
async function recordsOf(
  stream: "survey_answers" | "survey_responses",
  given: object,
  treatment?: Treatment,
) {
  const response = { uuid: "r1", collected_at: "2026-01-01T00:00:00.000000Z", ...given };
  const body = JSON.stringify({
    pagination_data: { has_more: false },
    data: [{ survey: { id: "s1" }, response }],
  });
  const transport = async () => ({ status: 200, headers: {}, body });
  const clock = createSimulatedClock();
  const client = createClient({ transport, clock, log: () => {} }, { baseUrl: `${ORIGIN}/v2` });
  const events = readStreams(client, {
    ...{ surveyIds: ["s1"], respondentUuids: [] },
    streams: new Map([[STREAMS[stream], undefined]]),
    ...(treatment && { treatment }),
  });
  const records = [];
  for await (const event of events) if (event.type === "records") records.push(...event.records);
  expect(records).toHaveLength(1);
  return records;
}

it("a sync that treats any kind of data lets no text through in a place where the service documents none", async () => {
  const answers = [{ question_id: 1, question_type: "single_choice", answers: ["Wilma"] }];
  const treatment = createRecordTreatment({ contact_fields: "omit" }, String);
  const records = await recordsOf("survey_answers", { answers }, treatment);
  expect(JSON.stringify(records)).not.toContain("Wilma");
});

it("a sync treats each record as it is told, and delivers it as it came if it is told nothing", async () => {
  const given = { respondent: { uuid: "wilma" } };
  const treatment = createRecordTreatment({ respondent_identifiers: "hash" }, (text) => `hash of ${text}`);
  expect(await recordsOf("survey_responses", given)).toMatchObject([{ respondent_uuid: "wilma" }]);
  const [treated] = await recordsOf("survey_responses", given, treatment);
  expect(treated).toMatchObject({ uuid: "r1", respondent_uuid: expect.stringContaining("hash of") });
});
