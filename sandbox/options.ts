import type { Choices } from "./choices.ts";
import type { Clock } from "./clock.ts";
import type { RespondentInput } from "./data/people.ts";
import type { SurveyOptions } from "./data/survey.ts";
import type { DataEvent } from "./faults/event.ts";
import type { Fault } from "./faults/fault.ts";
import type { Endpoint } from "./http/exchange.ts";
import type { Limits } from "./http/limits.ts";

/** What one request was and what became of it, told when its answer is ready. */
export interface AnsweredRequest {
  readonly url: string;
  readonly endpoint: Endpoint | undefined;
  /** 0 where a fault of the connection left none. */
  readonly status: number;
  readonly fault: string | undefined;
  /** Milliseconds of the service's clock. */
  readonly startedAtMs: number;
}

/** A service to be. Every part may be left out. */
export interface ServiceOptions {
  /** Surveys and people; default: four small generated surveys. */
  readonly surveys?: readonly SurveyOptions[];
  readonly respondents?: readonly RespondentInput[];
  /** Decides all that is generated and not given. Default 1. */
  readonly seed?: number;
  readonly apiKey?: string;
  /** False: the key's account has no plan that includes the interface. Default true. */
  readonly subscription?: boolean;
  /** Last segment must be the version. Default `/v2`. */
  readonly basePath?: string;
  /** Laid over the standard ones; a whole dialect is fine. */
  readonly choices?: Partial<Choices>;
  /**
   * Default 5 at once and 1000 a minute, for requests of every kind. A service in process that is given no clock
   * lives in a moment that never passes, and so has no limit a minute unless one is named.
   */
  readonly limits?: Limits | false;
  /** How long each answer takes, in milliseconds of the clock; a refusal by a limit comes at once. */
  readonly latencyMs?: number;
  readonly faults?: readonly Fault[];
  readonly events?: readonly DataEvent[];
  readonly clock?: Clock;
  /**
   * How far the clock behind the answers' `Date` header is ahead of `clock`, in milliseconds; negative for
   * behind. Default 0. The data, the limits and `Retry-After` dates keep to `clock`.
   */
  readonly serviceClockOffsetMs?: number;
  /** Keeps rendered pages (at most 512 MiB of text) until the data changes: for measuring clients. */
  readonly cachePages?: boolean;
  readonly onAnswer?: (answered: AnsweredRequest) => void;
}

export const defaultApiKey = "sandbox-key-4f1c";

/** Four surveys, one of each type, with years of responses from people who answered several of them. */
export function exampleSurveys(count: number, seed: number, surveys = 4): SurveyOptions[] {
  const kinds = [
    { type: "PageSurvey", name: "After purchase", density: "growing" },
    { type: "WidgetSurvey", name: "Pricing page", density: "even" },
    { type: "MobileSurvey", name: "App rating", density: "bursts" },
    { type: "MessengerSurvey", name: "Support chat", density: "recent" },
  ] as const;
  return Array.from({ length: surveys }, (_, number) => {
    const { type, name, density } = kinds[number % kinds.length]!;
    const round = Math.floor(number / kinds.length);
    return {
      id: String(1_001 + number),
      type,
      name: round === 0 ? name : `${name} ${round + 1}`,
      responses: {
        seed: seed * 1_000 + number,
        count,
        density,
        from: "2023-03-01T00:00:00.000000Z",
        to: "2026-09-30T12:00:00.000000Z",
        respondents: Math.max(1, Math.ceil(count / 3)),
      },
    };
  });
}
