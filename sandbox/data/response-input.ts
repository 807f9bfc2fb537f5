import type { AttributePair } from "./record.ts";

/** A response as an option. */
export interface ResponseInput {
  /** As the service writes it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  readonly collected_at: string;
  /** Made up if left out; so is `respondent_uuid`. */
  readonly uuid?: string;
  readonly respondent_uuid?: string;
  /** Attributes recorded with this response. */
  readonly attributes?: readonly AttributePair[];
  /** Fields that replace those of the response as it is sent. `undefined` removes a field. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A response that a survey keeps in memory. */
export interface StoredResponse {
  readonly uuid: string;
  readonly micros: number;
  /** Higher for responses that were added later. Decides between responses of one microsecond. */
  readonly order: number;
  readonly respondent: string;
  readonly attributes: readonly AttributePair[];
  readonly fields: Readonly<Record<string, unknown>>;
}
