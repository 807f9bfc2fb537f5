/** A request as the service sees it, from a socket or from a simulation. */
export interface ServiceRequest {
  /** Default GET. */
  readonly method?: string;
  /** Path and query below the origin, such as `/v2/surveys/1/responses?items_per_page=100`. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Only the control routes read it. */
  readonly body?: string;
}

/** A whole answer. */
export interface ServiceReply {
  readonly status: number;
  /** Names in lower case. The server adds lengths and encodings. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The lists of the API. */
export const ENDPOINTS = ["survey_responses", "respondent_responses", "respondent_attributes"] as const;
export type Endpoint = (typeof ENDPOINTS)[number];
