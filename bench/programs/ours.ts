/**
 * The program as it is shipped, from the socket to standard output, but without the minute's allowance, which would
 * hide how fast it is; `--rate` gives it one, in requests a minute. Arguments: base URL, key, streams (separated by
 * commas), what happens to personal data, survey ids.
 */
import { parseArgs } from "node:util";
import { createClient, createRecordTreatment, PERSONAL_DATA_KINDS } from "@survey-export/core";
import { requireConfiguration } from "../../connector/airbyte/configuration.ts";
import { MessageWriter } from "../../connector/airbyte/message-writer.ts";
import { Progress } from "../../connector/airbyte/progress.ts";
import { readFrom } from "../../connector/airbyte/read.ts";
import { machineClock } from "../../connector/node/clock.ts";
import { keepHeapSmall } from "../../connector/node/heap.ts";
import { createHash } from "../../connector/node/machine.ts";
import { createStdout } from "../../connector/node/stdout.ts";
import { createTransport } from "../../connector/node/transport.ts";
import { SALT } from "./usage.ts";

keepHeapSmall();
const { values, positionals } = parseArgs({ options: { rate: { type: "string" } }, allowPositionals: true });
const [baseUrl = "", apiKey = "", streams = "", handling = "keep", ...surveyIds] = positionals;
const requestsPerMinute = Number(values.rate ?? Number.POSITIVE_INFINITY);
const kinds = Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, handling]));
const { service, selection, personalData, secret } = requireConfiguration({
  base_url: baseUrl,
  api_key: apiKey,
  survey_ids: surveyIds,
  personal_data: { ...kinds, hash_salt: SALT },
});
const output = createStdout(() => process.exit(1));
const treatment = createRecordTreatment(personalData, createHash(secret.hashSalt));
const host = { clock: machineClock, transport: createTransport({ ...service, ...secret }), log: () => {} };
const complete = await readFrom(
  createClient(host, { ...service, requestsPerMinute }),
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
