import {
  type Client,
  createClient,
  createRecordTreatment,
  type Log,
  type RecordTreatment,
  type RetryPolicy,
} from "@survey-export/core";
import type { Configuration } from "./configuration.ts";
import type { LogLevel } from "./generated/protocol.ts";
import type { Machine } from "./machine.ts";
import type { MessageWriter } from "./message-writer.ts";

/** What a command reads the service with. */
export interface Connection {
  readonly client: Client;
  /** What happens to personal data in records. */
  readonly treatment: RecordTreatment;
}

/** What a command does otherwise than a sync. */
export interface Differences {
  readonly retryPolicy?: RetryPolicy;
  /** Default: each line goes to the writer. */
  readonly log?: Log;
}

/**
 * Connects a command with the service: the one place where a client is made. From now on, the writer's messages treat personal
 * data as the configuration says. So no command can quote the service before that holds. The key stays inside of the
 * transport, out of the core's reach.
 */
export function connect(
  { service, secret, personalData }: Configuration,
  { clock, random, createTransport, createHash }: Machine,
  writer: MessageWriter,
  differences: Differences = {},
): Connection {
  const treatment = createRecordTreatment(personalData, createHash(secret.hashSalt));
  writer.protect({ treatment: treatment.messages });
  const { maxConcurrentRequests } = service;
  const { retryPolicy, log = logTo(writer) } = differences;
  const transport = createTransport({ apiKey: secret.apiKey, maxConcurrentRequests });
  const host = { clock, ...(random && { random }), transport, log };
  return { client: createClient(host, { ...service, ...(retryPolicy && { retryPolicy }) }), treatment };
}

const logTo =
  (writer: MessageWriter): Log =>
  (level, message, code) => {
    // A reader that went away ends the run by other means.
    writer.log(level.toUpperCase() as LogLevel, message, code).catch(() => {});
  };
