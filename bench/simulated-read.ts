import { readStreams, STREAMS, type SyncOptions } from "@survey-export/core";
import { type AnsweredRequest, createService, type SurveyOptions } from "../sandbox/index.ts";
import { createSimulatedClock } from "../test/model/support/clock.ts";
import { clientOf, ORIGIN, simulatedHost } from "../test/model/support/host.ts";

export interface SimulatedRead {
  readonly records: number;
  readonly requests: number;
  /** Of the simulated clock. */
  readonly tookMs: number;
}

export interface SimulatedReadOptions {
  readonly survey: SurveyOptions;
  readonly latencyMs: number;
  readonly read?: Partial<SyncOptions>;
  readonly onAnswer?: (answered: AnsweredRequest) => void;
}

/** The real core reads one survey of the sandbox in the same process, on a clock that does not wait. */
export async function simulatedRead(options: SimulatedReadOptions): Promise<SimulatedRead> {
  const { survey, latencyMs, onAnswer } = options;
  const clock = createSimulatedClock();
  const sandbox = createService({
    ...{ surveys: [survey], latencyMs, clock, limits: { perMinute: false } },
    ...(onAnswer && { onAnswer }),
  });
  const client = clientOf(simulatedHost(sandbox, clock), { requestsPerMinute: Number.POSITIVE_INFINITY });
  const beganMs = clock.now();
  let records = 0;
  let lastMs = beganMs;
  const streams = new Map([[STREAMS.survey_responses, undefined]]);
  for await (const event of readStreams(client, {
    surveyIds: [survey.id],
    respondentUuids: [],
    streams,
    ...options.read,
  })) {
    if (event.type === "records") records += event.records.length;
    if (event.type === "failure") throw event.error;
    if (event.type !== "waiting") lastMs = clock.now();
  }
  return { records, requests: sandbox.stats.requests, tookMs: lastMs - beganMs };
}

/** For comparison: what a plain program does, one page after another along `next_url`, and nothing else. */
export async function plainRead({ survey, latencyMs }: SimulatedReadOptions): Promise<SimulatedRead> {
  const clock = createSimulatedClock();
  const sandbox = createService({ surveys: [survey], latencyMs, clock, limits: { perMinute: false } });
  const { transport } = simulatedHost(sandbox, clock);
  const beganMs = clock.now();
  let records = 0;
  let path: string | undefined = `/surveys/${survey.id}/responses?items_per_page=100`;
  while (path !== undefined) {
    const answer = await transport({ url: `${ORIGIN}${sandbox.basePath}${path}` });
    const page = JSON.parse(answer.body) as {
      pagination_data: { has_more: boolean; next_url?: string };
      data: unknown[];
    };
    records += page.data.length;
    path = page.pagination_data.has_more ? page.pagination_data.next_url : undefined;
  }
  return { records, requests: sandbox.stats.requests, tookMs: clock.now() - beganMs };
}
