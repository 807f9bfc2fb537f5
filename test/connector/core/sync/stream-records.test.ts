import { createClient, createRecordTreatment, readStreams, STREAMS } from "@survey-export/core";
import { expect, it } from "vitest";
import { createSimulatedClock } from "../../../model/support/clock.ts";
import { ORIGIN } from "../../../model/support/host.ts";

it("a sync that treats any kind of data lets no text through in a place where the service documents none", async () => {
  const answers = [{ question_id: 1, question_type: "single_choice", answers: ["Wilma"] }];
  const response = { uuid: "r1", collected_at: "2026-01-01T00:00:00.000000Z", answers };
  const body = JSON.stringify({
    pagination_data: { has_more: false },
    data: [{ survey: { id: "s1" }, response }],
  });
  const transport = async () => ({ status: 200, headers: {}, body });
  const clock = createSimulatedClock();
  const client = createClient({ transport, clock, log: () => {} }, { baseUrl: `${ORIGIN}/v2` });
  const events = readStreams(client, {
    ...{ surveyIds: ["s1"], respondentUuids: [] },
    streams: new Map([[STREAMS.survey_answers, undefined]]),
    treatment: createRecordTreatment({ contact_fields: "omit" }, String),
  });
  const records = [];
  for await (const event of events) if (event.type === "records") records.push(...event.records);
  expect(records).toHaveLength(1);
  expect(JSON.stringify(records)).not.toContain("Wilma");
});
