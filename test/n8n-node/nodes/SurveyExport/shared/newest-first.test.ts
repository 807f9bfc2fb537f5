import { createClient, type SurveyResponse } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { surveyResponses } from "../../../../../connector/core/streams/survey-responses.ts";
import { collectNewestFirst } from "../../../../../n8n-node/nodes/SurveyExport/shared/newest-first.ts";
import { createSimulatedClock } from "../../../../support/clock.ts";
import { createListService, EPOCH_MS, HEALTHY } from "../../../../support/list-service.ts";
import { PLAIN, personId, SECOND } from "../../../../support/sync-story.ts";

const COUNT = 1000;
const NEWEST = Array.from({ length: COUNT }, (_, number) => `r${COUNT - 1 - number}`);

/** The newest of a survey of 1,000 responses, of which these come without a UUID. */
async function newest(limit: number | undefined, ...unreadable: readonly string[]) {
  const service = createListService(PLAIN, new Map());
  for (let number = 0; number < COUNT; number++)
    service.add({ uuid: `r${number}`, survey: "s", person: personId(1), at: 60 * number * SECOND });
  const faults = { ...HEALTHY, unreadable: new Map(unreadable.map((uuid) => [uuid, "uuid" as const])) };
  const clock = createSimulatedClock(EPOCH_MS + 10 * 86_400_000);
  const paths: string[] = [];
  const transport = async ({ url }: { readonly url: string }, signal?: AbortSignal) => {
    const path = url.slice("http://service.local/v2".length);
    paths.push(path);
    // Later requests are answered first.
    await clock.sleep(500 / paths.length, signal);
    return service.answer(path, faults);
  };
  const client = createClient({ clock, log: () => {}, transport }, { baseUrl: "http://service.local/v2" });
  const told: string[] = [];
  const found = await collectNewestFirst<SurveyResponse, string>(
    client,
    surveyResponses,
    { of: { surveyId: "s" }, limit, onUnreadable: ({ code }) => told.push(code) },
    ({ uuid }) => uuid,
  );
  return { found, told, requests: paths.length };
}

describe("the newest of a list", () => {
  it.each([
    [5, 1],
    [250, 3],
  ])("are %i for %i requests", async (limit, requests) => {
    expect(await newest(limit)).toEqual({ found: NEWEST.slice(0, limit), told: [], requests });
  });

  it("are all in order if there is no limit, though several slices are read at once", async () => {
    expect((await newest(undefined)).found).toEqual(NEWEST);
  });

  it("omit what cannot be read, and tell of it", async () => {
    const { found, told } = await newest(5, "r998");
    expect([found, told]).toEqual([["r999", "r997", "r996", "r995", "r994"], ["unreadable_item"]]);
  });
});
