import type { Client } from "../client/client.ts";
import { reasonOf } from "../client/connection-faults.ts";
import { SurveyExportError } from "../errors.ts";
import { type Message, say, timeOfDay } from "../text/message.ts";

/** Attempts of a request that only tries whether something still fails. */
export const ATTEMPTS_OF_A_TRY = 2;
/** A sync ends after so long without one good answer. What the service asks to wait for (429, 503) does not count. */
const OUTAGE_MS = 120_000;
/** After so long, a request has two attempts: others come to their turn, and one of them may be good. */
const TRYING_MS = 60_000;

/**
 * Tells lists that fail by themselves from a service that is down. A list that fails for a passing reason is told of
 * when the next good page comes from anywhere. If none comes, there is one error about the service instead.
 */
export class Outage {
  /** The error that ends the run. */
  error: SurveyExportError | undefined;
  readonly #client: Client;
  readonly #onError: () => void;
  readonly #startedMs: number;
  #held: { readonly error: SurveyExportError; readonly tell: () => void }[] = [];

  constructor(client: Client, onError: () => void) {
    this.#client = client;
    this.#onError = onError;
    this.#startedMs = client.host.clock.monotonicMs();
  }

  /** How often a request is sent at most; undefined = as often as the retry policy says. */
  get attempts(): number | undefined {
    return this.#silentMs >= TRYING_MS ? ATTEMPTS_OF_A_TRY : undefined;
  }

  /** A good page came. */
  good(): void {
    const held = this.#held;
    this.#held = [];
    for (const { tell } of held) tell();
  }

  /** A list failed permanently. `tell` is called if that is no outage. */
  failed(error: SurveyExportError, tell: () => void): void {
    if (error.scope === "run") this.#end(error);
    else if (error.kind === "transient") this.#held.push({ error, tell });
    else tell();
  }

  /** Ends the run if the service has been silent for too long. */
  check(): void {
    if (this.#silentMs >= OUTAGE_MS) this.#end(this.#outage());
  }

  /** Nothing is left to request: what was held back is told, unless it all was one outage. */
  end(): void {
    if (this.#wasOutage) this.#end(this.#outage());
    if (this.error === undefined) this.good();
  }

  /** Several lists failed with nothing good between them, and the service was silent or the next ones failed as well. */
  get #wasOutage(): boolean {
    const { silence, maxConcurrentRequests } = this.#client;
    if (this.#held.length < 2) return false;
    if (silence.lastGoodMs === undefined || this.#held.length > maxConcurrentRequests) return true;
    return this.#held.every(({ error }) => error.code === "no_answer");
  }

  /** How long the silence lasts, since this sync began. */
  get #silentMs(): number {
    const { sinceMs } = this.#client.silence;
    if (sinceMs === undefined) return 0;
    return this.#client.host.clock.monotonicMs() - Math.max(sinceMs, this.#startedMs);
  }

  /** After so many milliseconds the run ends, unless something good comes. */
  get dueInMs(): number {
    return OUTAGE_MS - this.#silentMs;
  }

  #end(error: SurveyExportError): void {
    if (this.error) return;
    this.error = error;
    this.#onError();
  }

  #outage(): SurveyExportError {
    const { silence, host } = this.#client;
    const { lastFailure, lastGoodMs } = silence;
    const isAddressInDoubt = lastGoodMs === undefined && lastFailure?.status === undefined;
    const since = timeOfDay(host.clock.now() - this.#silentMs);
    const what =
      lastFailure?.code === "no_answer" ? say`has answered nothing` : say`has given no usable answer`;
    return new SurveyExportError(
      "transient",
      lastFailure?.code ?? "no_answer",
      say`The service ${what} since ${since} (${reasonFor(lastFailure)}).`,
      {
        advice: isAddressInDoubt ? CHECK_ADDRESS : RUN_AGAIN,
        scope: "run",
      },
    );
  }
}

const CHECK_ADDRESS = say`Check that base_url is right and that the service can be reached from here.`;
const RUN_AGAIN = say`Run the sync again; everything that was delivered is kept. If it continues, ask the service.`;

function reasonFor(failure: SurveyExportError | undefined): Message {
  if (failure === undefined) return say`no answer to any request`;
  if (failure.status !== undefined) return say`status ${failure.status}`;
  return failure.code === "no_answer" ? reasonOf(failure.cause) : failure.facts;
}
