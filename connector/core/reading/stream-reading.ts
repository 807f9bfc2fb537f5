import { STREAMS, type StreamName } from "../streams/index.ts";
import type { RespondentStream, SurveyStream } from "../streams/stream.ts";
import { createDelivery, type Delivery, type DeliveryOptions } from "./delivery.ts";
import type { Moment } from "./moment.ts";
import { createRespondentQueue, type RespondentQueue } from "./respondent-queue.ts";
import type { SurveyPart } from "./survey-reading.ts";

/** One stream's part in a sync: what it has delivered, and whom it still waits for. */
export type StreamReading = SurveyStreamReading | RespondentStreamReading;

interface CommonReading {
  readonly name: StreamName;
  readonly delivery: Delivery;
  /** Whether something could not be read, so that the stream ends incomplete. */
  failed: boolean;
}

export interface SurveyStreamReading extends CommonReading {
  readonly stream: SurveyStream;
}

export interface RespondentStreamReading extends CommonReading {
  readonly stream: RespondentStream;
  readonly queue: RespondentQueue;
  /** Of each part, the respondents whom no claim has waited for yet, each with their oldest response's moment. */
  readonly tails: Map<SurveyPart, Map<string, Moment>>;
}

export function createStreamReading(
  name: StreamName,
  options: Omit<DeliveryOptions, "dependsOnStartDate">,
): StreamReading {
  const stream = STREAMS[name];
  const dependsOnStartDate = stream.reads === "respondents" && stream.dependsOnStartDate;
  const delivery = createDelivery({ ...options, dependsOnStartDate });
  if (stream.reads === "surveys") return { name, stream, delivery, failed: false };
  const queue = createRespondentQueue();
  for (const uuid of options.respondentUuids) queue.add(uuid);
  return { name, stream, delivery, failed: false, queue, tails: new Map() };
}

export const readsRespondents = (reading: StreamReading): reading is RespondentStreamReading =>
  reading.stream.reads === "respondents";
