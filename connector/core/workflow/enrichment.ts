import type { Client } from "../client/client.ts";
import { SurveyExportError } from "../errors.ts";
import type { SurveyResponse } from "../generated/records.ts";
import { say } from "../text/message.ts";
import { inParallel } from "./in-parallel.ts";
import {
  type AttributesOf,
  respondentAttributes,
  withRespondentAttributes,
} from "./respondent-attributes.ts";

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
    const enriched = await withRespondentAttributes(ready, this.#attributesOf, this.#options.signal);
    return new Map(ready.map((response, place) => [response, enriched[place]!]));
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
