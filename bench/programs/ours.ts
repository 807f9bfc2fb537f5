/**
 * The program as it is shipped, from the socket to standard output, but without the minute's allowance, which would
 * hide how fast it is. Arguments: base URL, key, streams (separated by commas), what happens to personal data,
 * survey ids.
 */
import "./usage.ts";
import { createClient, createRecordTreatment, type Handling, PERSONAL_DATA_KINDS } from "@survey-export/core";
import type { Configuration } from "../../connector/airbyte/configuration.ts";
import { MessageWriter } from "../../connector/airbyte/message-writer.ts";
import { Progress } from "../../connector/airbyte/progress.ts";
import { readFrom } from "../../connector/airbyte/read.ts";
import { machineClock } from "../../connector/node/clock.ts";
import { createHash } from "../../connector/node/hash.ts";
import { keepHeapSmall } from "../../connector/node/heap.ts";
import { createStdout } from "../../connector/node/stdout.ts";
import { createTransport } from "../../connector/node/transport.ts";

keepHeapSmall();
const [baseUrl = "", apiKey = "", streams = "", handling = "keep", ...surveyIds] = process.argv.slice(2);
const configuration: Configuration = {
  service: { baseUrl, maxConcurrentRequests: 5, requestsPerMinute: Number.POSITIVE_INFINITY },
  selection: { surveyIds, respondentUuids: [], attributes: [], lookbackMs: 600_000, itemsPerPage: 100 },
  personalData: Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, handling as Handling])),
  secret: { apiKey, hashSalt: "a salt for the bench" },
};
const output = createStdout(() => process.exit(1));
const { service, selection, personalData, secret } = configuration;
const treatment = createRecordTreatment(personalData, createHash(secret.hashSalt));
const host = { clock: machineClock, transport: createTransport({ ...service, ...secret }), log: () => {} };
const complete = await readFrom(
  createClient(host, service),
  {
    selection,
    selected: streams.split(",").map((name) => ({ name, syncMode: "incremental" })),
    states: new Map(),
    treatment,
  },
  new MessageWriter(output, machineClock),
  new Progress(machineClock),
  new AbortController().signal,
);
if (!complete) process.exitCode = 1;
