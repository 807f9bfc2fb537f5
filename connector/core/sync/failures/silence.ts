import type { Client } from "../../client/client.ts";
import { CHECK_ADDRESS } from "../../client/request-errors.ts";
import { RUN_AGAIN } from "../../client/retry-policy.ts";
import { SurveyExportError } from "../../errors.ts";
import { say, timeOfDay } from "../../text/message.ts";

/** How long no event may be emitted before the caller gets an event that says so. */
const QUIET_MS = 60_000;
/**
 * A sync ends after so long without one good reply. What the service asks to wait for (429, 503) does not count. With 90
 * seconds, a survey whose links fail is not read, nor anything after 70 seconds of an outage.
 */
const OUTAGE_MS = 120_000;
/** Before a silence is believed, something else is asked for: the lists that are being read may fail by themselves. */
const DOUBT_MS = 90_000;

export interface SilenceOptions {
  /** When the caller took something last, in monotonic milliseconds. */
  readonly lastTakenMs: () => number;
  /** A minute without news for the caller has passed. */
  readonly onQuiet: () => void;
  /** Asks the service for something that should succeed. */
  readonly askForSomethingElse: () => Promise<unknown>;
  /** The service was silent for too long. */
  readonly onOutage: (error: SurveyExportError) => void;
}

/** How long the service has been silent in a sync, and when that is an outage. */
export class Silence {
  readonly #client: Client;
  readonly #startedMs: number;

  constructor(client: Client) {
    this.#client = client;
    this.#startedMs = client.host.clock.monotonicMs();
  }

  /** How long it has been, since this sync began. */
  get ms(): number {
    return this.#client.history.silentMs(this.#startedMs);
  }

  /** Waits for an outage, until `signal` is aborted. */
  async watch(
    { lastTakenMs, onQuiet, askForSomethingElse, onOutage }: SilenceOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.#client.host;
    let isInDoubt = false;
    for (;;) {
      const next = this.ms < DOUBT_MS ? DOUBT_MS : OUTAGE_MS;
      await clock.sleep(Math.min(QUIET_MS, next - this.ms), signal);
      if (this.ms >= OUTAGE_MS) return onOutage(this.outage());
      if (this.ms < DOUBT_MS) isInDoubt = false;
      else if (!isInDoubt) {
        isInDoubt = true;
        askForSomethingElse().catch(() => {});
      }
      if (clock.monotonicMs() - lastTakenMs() >= QUIET_MS) onQuiet();
    }
  }

  /** The silence as an error of the whole sync. */
  outage(): SurveyExportError {
    const { history, host } = this.#client;
    const { lastFailure, hasReplied } = history;
    const isAddressInDoubt = !hasReplied && lastFailure?.status === undefined;
    const since = timeOfDay(host.clock.now() - this.ms);
    const isSilent = lastFailure?.code === "no_answer";
    const what = isSilent ? say`has answered nothing` : say`has given no usable answer`;
    const facts = say`The service ${what} since ${since} (${history.reason}).`;
    const advice = isAddressInDoubt ? CHECK_ADDRESS : say`${RUN_AGAIN}.`;
    const code = lastFailure?.code ?? "no_answer";
    return new SurveyExportError("transient", code, facts, { advice, scope: "run" });
  }
}
