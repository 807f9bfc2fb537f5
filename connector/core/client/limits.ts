export interface Limits {
  readonly maxConcurrentRequests: number;
  readonly requestsPerMinute: number;
}

/** The service's own limits, for the whole workspace. No other number of requests at once is higher. */
export const SERVICE_LIMITS: Limits = { maxConcurrentRequests: 5, requestsPerMinute: 1000 };

/** What is used unless the user sets something else: a tenth of the minute stays free for other programs. */
export const DEFAULT_LIMITS: Limits = { ...SERVICE_LIMITS, requestsPerMinute: 900 };
