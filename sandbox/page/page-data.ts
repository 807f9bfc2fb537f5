import type { SurveySummary } from "../data/survey.ts";
import type { ActiveFault } from "../faults/fault.ts";
import type { Load } from "../http/limits.ts";
import type { Service } from "../service.ts";
import { FAULTS_TO_TRY, type FaultToTry } from "./faults-to-try.ts";
import type { RecentRequest, RecentRequests, Second } from "./recent-requests.ts";

/** Everything that changes on the page. */
export interface PageData {
  readonly basePath: string;
  readonly apiKey: string;
  readonly surveys: readonly SurveySummary[];
  readonly load: Load;
  /** Of the last minute, oldest first. */
  readonly seconds: readonly Second[];
  /** Newest first. */
  readonly requests: readonly RecentRequest[];
  readonly faultsToTry: Readonly<Record<string, readonly FaultToTry[]>>;
  readonly activeFaults: readonly ActiveFault[];
}

/** What the page shows now. */
export function pageData(service: Service, recent: RecentRequests): PageData {
  return {
    basePath: service.basePath,
    apiKey: service.apiKey,
    surveys: service.surveys,
    load: service.load,
    seconds: recent.seconds(),
    requests: recent.listed,
    faultsToTry: FAULTS_TO_TRY,
    activeFaults: service.activeFaults,
  };
}
