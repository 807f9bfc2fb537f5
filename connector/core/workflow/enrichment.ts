import type { Client } from "../client/client.ts";
import { SurveyExportError } from "../errors.ts";
import type { RespondentAttribute, SurveyResponse } from "../generated/records.ts";
import { respondentAttributes as stream } from "../streams/respondent-attributes.ts";
import { say } from "../text/message.ts";
import { inParallel } from "./in-parallel.ts";
import { collectNewestFirst } from "./newest-first.ts";

const AT_ONCE = 5;

export interface EnrichmentOptions {
  /** Ends all requests. */
  readonly signal: AbortSignal;
  /** How long the attributes of one respondent may take. */
  readonly perRespondentMs: number;
  /** Told of an attribute that cannot be read and is left out. */
  readonly onUnreadable: (error: SurveyExportError) => void;
}

/** Adds the attributes of the people who answered, as far as they can be read. Asks for each person once. */
export class Enrichment {
  /** Whose attributes could not be read, and why. Nobody is named if the time was over or the rate limit took it. */
  readonly failures = new Map<string, SurveyExportError>();
  readonly #client: Client;
  readonly #options: EnrichmentOptions;
  readonly #attributesOf: AttributesOf;

  constructor(client: Client, options: EnrichmentOptions) {
    this.#client = client;
    this.#options = options;
    this.#attributesOf = respondentAttributes(client, options.onUnreadable);
  }

  /** The responses whose people could be read, each with their attributes. A response that names nobody is one. */
  async enrich(responses: readonly SurveyResponse[]): Promise<ReadonlyMap<SurveyResponse, SurveyResponse>> {
    const read = await this.#attributesOf([], this.#options.signal);
    const uuids = new Set(responses.flatMap(({ respondent_uuid: uuid }) => uuid ?? []));
    const unread = [...uuids].filter((uuid) => !read.has(uuid) && !this.failures.has(uuid));
    await inParallel(unread, AT_ONCE, (uuid) => this.#ask(uuid));
    const ready = responses.filter(({ respondent_uuid: uuid }) => uuid == null || read.has(uuid));
    return new Map(ready.map((response) => [response, withAttributes(response, read)]));
  }

  async #ask(uuid: string): Promise<void> {
    const { signal, perRespondentMs } = this.#options;
    if (signal.aborted) return;
    const { clock } = this.#client.host;
    const [limit, answered] = [new AbortController(), new AbortController()];
    clock.sleep(perRespondentMs, answered.signal).then(
      () => limit.abort(),
      () => {},
    );
    const requestsBefore = this.#client.counts.requests;
    try {
      await this.#attributesOf([uuid], AbortSignal.any([signal, limit.signal]));
    } catch (thrown) {
      // Nothing was sent: the rate limit took the time, not the respondent.
      const hasWaited = limit.signal.aborted && this.#client.counts.requests === requestsBefore;
      if (signal.aborted || hasWaited) return;
      const failure = limit.signal.aborted ? tooSlow(perRespondentMs) : SurveyExportError.from(thrown);
      this.failures.set(uuid, failure);
    } finally {
      answered.abort();
    }
  }
}

const tooSlow = (limitMs: number): SurveyExportError =>
  new SurveyExportError(
    "transient",
    "no_answer",
    say`no complete response within ${limitMs / 1_000} s. The next poll tries again. If it goes on, ask the service.`,
  );

export type AttributesOf = (
  uuids: Iterable<string | null | undefined>,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, readonly RespondentAttribute[]>>;

/**
 * Reads all attributes of the given respondents, by respondent. A respondent that the service does not know
 * has none. Costs one request for each respondent, and for every further hundred attributes. A respondent
 * that was read before costs nothing, and is in the result, whoever is asked for. An attribute that cannot be read is left out and reported.
 */
export function respondentAttributes(
  client: Client,
  onUnreadable: (error: SurveyExportError) => void,
): AttributesOf {
  const byRespondent = new Map<string, RespondentAttribute[]>();
  return async (uuids, signal) => {
    const asked = new Map<string, RespondentAttribute[]>();
    for (const uuid of uuids) if (uuid != null && !byRespondent.has(uuid)) asked.set(uuid, []);
    if (asked.size === 0) return byRespondent;
    const wanted = { surveyIds: [], respondentUuids: [...asked.keys()], signal, onUnreadable };
    await collectNewestFirst<RespondentAttribute, void>(client, stream, wanted, undefined, (record) => {
      asked.get(record.respondent_uuid)?.push(record);
    });
    for (const [uuid, attributes] of asked) byRespondent.set(uuid, attributes);
    return byRespondent;
  };
}

/** The responses with all attributes of their respondents instead of those that were asked for by name. */
export async function withRespondentAttributes<Response extends { readonly respondent_uuid?: string | null }>(
  responses: readonly Response[],
  attributesOf: AttributesOf,
  signal: AbortSignal,
): Promise<Response[]> {
  const attributes = await attributesOf(
    responses.map(({ respondent_uuid }) => respondent_uuid),
    signal,
  );
  return responses.map((response) => withAttributes(response, attributes));
}

function withAttributes<Response extends { readonly respondent_uuid?: string | null }>(
  response: Response,
  attributes: ReadonlyMap<string, readonly RespondentAttribute[]>,
): Response {
  const own = attributes.get(response.respondent_uuid ?? "") ?? [];
  return { ...response, respondent_attributes: own.map(({ id, name, value }) => ({ id, name, value })) };
}
