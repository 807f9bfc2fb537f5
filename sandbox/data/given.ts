import type { AttributePair } from "./record.ts";

/** A response written down by a test or by someone trying the sandbox. */
export interface ResponseInput {
  /** As the service writes it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  readonly collected_at: string;
  /** Made up when left out, as is the respondent. */
  readonly uuid?: string;
  readonly respondent_uuid?: string;
  /** Attributes recorded with this response. */
  readonly attributes?: readonly AttributePair[];
  /** Laid over the response as it is sent, whatever the fields and values; `undefined` takes a field away. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A given response once it is in its survey. */
export interface HeldResponse {
  readonly uuid: string;
  readonly micros: number;
  /** Higher for what came later; decides among responses of one microsecond. */
  readonly order: number;
  readonly respondent: string;
  readonly attributes: readonly AttributePair[];
  readonly fields: Readonly<Record<string, unknown>>;
}
