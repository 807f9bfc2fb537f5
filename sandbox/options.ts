import type { Choices } from "./choices.ts";
import { itemAt } from "./data/random.ts";
import type { RespondentInput } from "./data/respondents.ts";
import type { SurveyOptions } from "./data/survey.ts";
import type { DataEvent, Fault } from "./faults/plan.ts";
import type { Limits } from "./http/limits.ts";
import type { Endpoint } from "./http/request.ts";
import type { Clock } from "./time.ts";

/** One request and its outcome, as `onAnswer` gets it when the answer is ready. */
export interface AnsweredRequest {
  readonly url: string;
  readonly endpoint: Endpoint | undefined;
  /** 0 if a fault of the connection left none. */
  readonly status: number;
  readonly fault: string | undefined;
  /** Milliseconds of the service's clock. */
  readonly startedAtMs: number;
}

/** The options of a service. All are optional. */
export interface ServiceOptions {
  /** Surveys and respondents; default: four small generated surveys. */
  readonly surveys?: readonly SurveyOptions[];
  readonly respondents?: readonly RespondentInput[];
  /** The same seed generates the same data. Default 1. */
  readonly seed?: number;
  readonly apiKey?: string;
  /** False: the account has no plan that includes API access. Default true. */
  readonly subscription?: boolean;
  /** The last segment is the version. Default `/v2`. */
  readonly basePath?: string;
  /** Changes to the standard choices, or a whole dialect. */
  readonly choices?: Partial<Choices>;
  /**
   * Default 5 at once and 1000 a minute, for requests of every kind. Without a `clock`, time stands still for a
   * service in process. It then has no limit per minute unless this option names one.
   */
  readonly limits?: Limits | false;
  /** How long each answer takes, in milliseconds of the clock; a refusal by a limit comes at once. */
  readonly latencyMs?: number;
  readonly faults?: readonly Fault[];
  readonly events?: readonly DataEvent[];
  /**
   * Plants known addresses, names and phone numbers in every response, survey and respondent, wherever such data
   * may be in reality. `PERSONAL_DATA` lists them. Default false.
   */
  readonly personalData?: boolean;
  readonly clock?: Clock;
  /**
   * How far the `Date` header is ahead of `clock`, in milliseconds; negative for behind. Default 0. The data,
   * the limits and the dates of `Retry-After` follow `clock`.
   */
  readonly serviceClockOffsetMs?: number;
  /** Keeps rendered pages, at most 512 MiB, until the data changes. For measuring clients. */
  readonly cachePages?: boolean;
  readonly onAnswer?: (answered: AnsweredRequest) => void;
}

/** Four surveys, one of each type, with years of responses from respondents who answered several of them. */
export function exampleSurveys(count: number, seed: number, surveys = 4): SurveyOptions[] {
  const kinds = [
    { type: "PageSurvey", name: "After purchase", density: "growing" },
    { type: "WidgetSurvey", name: "Pricing page", density: "even" },
    { type: "MobileSurvey", name: "App rating", density: "bursts" },
    { type: "MessengerSurvey", name: "Support chat", density: "recent" },
  ] as const;
  return Array.from({ length: surveys }, (_, number) => {
    const { type, name, density } = itemAt(kinds, number);
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
