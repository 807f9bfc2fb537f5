import type { Client } from "../client/client.ts";
import { CHECK_ADDRESS } from "../client/request-errors.ts";
import { RUN_AGAIN, wasAskedToWait } from "../client/retry-policy.ts";
import { SurveyExportError } from "../errors.ts";
import { say, timeOfDay } from "../text/message.ts";
import type { StreamInSync } from "./stream-in-sync.ts";

/** How long no event may be emitted before the caller gets an event that says so. */
const QUIET_MS = 60_000;
/** A sync ends after so long without one good answer. What the service asks to wait for (429, 503) does not count. */
const OUTAGE_MS = 120_000;
/** A key or plan that so many lists in a row are refused for is every list's, however few are requested at once. */
const MOST_REFUSALS = 5;

/**
 * Distinguishes lists that fail by themselves from a service that is down or refuses the key. A list that fails for such a reason
 * is reported when the next good page comes from anywhere. If none comes, there is one error about the service instead.
 * Without this: an outage is reported list by list, and not in one sentence.
 */
export class ListFailures {
  /** The error that ends the sync. */
  error: SurveyExportError | undefined;
  readonly #client: Client;
  readonly #onError: () => void;
  readonly #startedMs: number;
  #held: { readonly error: SurveyExportError; readonly report: (error: SurveyExportError) => void }[] = [];
  #hasPage = false;

  /** `onError`: the service has been silent for too long, or refuses every request. */
  constructor(client: Client, onError: () => void) {
    this.#client = client;
    this.#onError = onError;
    this.#startedMs = client.host.clock.monotonicMs();
  }

  /** How long the service has been silent, since this sync began. */
  get silentMs(): number {
    return this.#client.history.silentMs(this.#startedMs);
  }

  /** A list failed permanently. `report` is called with the error if it is the list's own. */
  failed(error: SurveyExportError, report: (error: SurveyExportError) => void): void {
    if (error.scope === "list" && (error.kind !== "transient" || wasAskedToWait(error))) report(error);
    else this.#held.push({ error, report });
    if (error.scope === "run" && (!isRefusal(error) || this.#refusals.length >= MOST_REFUSALS))
      this.giveUp(error);
  }

  /** A list of `streams` failed permanently. They say so once it is known that the failure is the list's own. */
  failedIn(streams: readonly StreamInSync[], error: SurveyExportError, surveyId?: string): void {
    for (const { failures } of streams) failures.isIncomplete = true;
    this.failed(error, (own) => {
      for (const { failures } of streams) failures.add(own, surveyId);
    });
  }

  /** A good page came. */
  pageCame(): void {
    this.#hasPage = true;
    this.#reportHeld();
  }

  /** Ends the sync if there is an outage, and calls `onQuiet` at the end of each minute without news since `lastMs`. */
  async watch(lastMs: () => number, onQuiet: () => void, signal: AbortSignal): Promise<void> {
    const { clock } = this.#client.host;
    for (;;) {
      await clock.sleep(Math.min(QUIET_MS, OUTAGE_MS - this.silentMs), signal);
      if (this.silentMs >= OUTAGE_MS) this.giveUp(this.#outage());
      if (this.error) return;
      if (clock.monotonicMs() - lastMs() >= QUIET_MS) onQuiet();
    }
  }

  /** Nothing remains to request: what was held back is reported, unless it all was one outage. */
  end(): void {
    const [refusal] = this.#refusals;
    if (refusal && !this.#hasPage) this.giveUp(refusal.error);
    else if (this.#wasOutage) this.giveUp(this.#outage());
    if (this.error === undefined) this.#reportHeld();
  }

  /** Ends the sync with an error. */
  giveUp(error: SurveyExportError): void {
    if (this.error) return;
    this.error = error;
    this.#onError();
  }

  #reportHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const { error, report } of held) report(error.ofList());
  }

  get #refusals() {
    return this.#held.filter(({ error }) => isRefusal(error));
  }

  /**
   * Several lists failed with nothing good between them, and the service was silent or the next ones failed as well: more
   * than are requested at once.
   */
  get #wasOutage(): boolean {
    const { history, rateLimiter } = this.#client;
    if (this.#held.length < 2) return false;
    if (!history.hasAnswered || this.#held.length > rateLimiter.maxConcurrentRequests) return true;
    return this.#held.every(({ error }) => error.code === "no_answer");
  }

  #outage(): SurveyExportError {
    const { history, host } = this.#client;
    const { lastFailure, hasAnswered } = history;
    const isAddressInDoubt = !hasAnswered && lastFailure?.status === undefined;
    const since = timeOfDay(host.clock.now() - this.silentMs);
    const isSilent = lastFailure?.code === "no_answer";
    const what = isSilent ? say`has answered nothing` : say`has given no usable answer`;
    const facts = say`The service ${what} since ${since} (${history.reason}).`;
    const advice = isAddressInDoubt ? CHECK_ADDRESS : say`${RUN_AGAIN}.`;
    const code = lastFailure?.code ?? "no_answer";
    return new SurveyExportError("transient", code, facts, { advice, scope: "run" });
  }
}

/** Whether the service refuses the key or the plan. */
export const isRefusal = ({ scope, kind }: SurveyExportError): boolean =>
  scope === "run" && kind === "config";
