/**
 * One of several processes that share a workspace: reads the responses of surveys to their end and keeps none.
 * Arguments: base URL, key, survey ids. Writes how many records came, and how long that took.
 */
import { createClient, RateLimiter, readStreams, STREAMS } from "@survey-export/core";
import { machineClock } from "../../connector/node/clock.ts";
import { createTransport } from "../../connector/node/transport.ts";
import { CONFIGURED } from "../service.ts";

const LIMITS = { maxConcurrentRequests: 5, requestsPerMinute: CONFIGURED };

const [baseUrl = "", apiKey = "", ...surveyIds] = process.argv.slice(2);
const clock = { ...machineClock, monotonicMs: () => performance.now() };
const client = createClient(
  { clock, transport: createTransport({ apiKey }), log: () => {} },
  { baseUrl, rateLimiter: new RateLimiter(clock, LIMITS, { random: Math.random }) },
);
const beganMs = performance.now();
let records = 0;
const streams = new Map([[STREAMS.survey_responses, undefined]]);
for await (const event of readStreams(client, { surveyIds, respondentUuids: [], streams })) {
  if (event.type === "failure") throw event.error;
  if (event.type === "records") records += event.records.length;
}
process.stdout.write(`${JSON.stringify({ records, tookMs: performance.now() - beganMs })}\n`);
// Idle connections would keep the process for seconds.
process.exit(0);
