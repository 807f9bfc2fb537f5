/**
 * The shipped program from the socket to standard output, but without the limit of requests a minute, which would hide
 * how fast it is. Arguments: base URL, key, streams (separated by commas), survey ids.
 */
import { createClient, createRecordTreatment } from "@survey-export/core";
import { requireConfiguration } from "../../connector/airbyte/configuration.ts";
import { MessageWriter } from "../../connector/airbyte/message-writer.ts";
import { readFrom } from "../../connector/airbyte/read.ts";
import { createHash, keepHeapSmall, machineClock } from "../../connector/node/machine.ts";
import { createStdout } from "../../connector/node/output.ts";
import { createTransport } from "../../connector/node/transport.ts";

keepHeapSmall();
const [base_url = "", api_key = "", streams = "", ...survey_ids] = process.argv.slice(2);
const { service, selection, personalData, secret } = requireConfiguration({ base_url, api_key, survey_ids });
const host = { clock: machineClock, transport: createTransport({ ...service, ...secret }), log: () => {} };
const complete = await readFrom(
  createClient(host, { ...service, requestsPerMinute: Number.POSITIVE_INFINITY }),
  {
    selection,
    selected: streams.split(",").map((name) => ({ name, syncMode: "incremental" })),
    states: new Map(),
    treatment: createRecordTreatment(personalData, createHash(secret.hashSalt)),
  },
  new MessageWriter(
    createStdout(() => process.exit(1)),
    machineClock,
  ),
  new AbortController().signal,
);
if (!complete) process.exitCode = 1;
