/** The service's records, as it sends them. */

export interface AttributePair {
  readonly name: string;
  readonly value: string;
}

export interface AttributeRecord extends AttributePair {
  readonly id: number;
}

export type SurveyType = "PageSurvey" | "WidgetSurvey" | "MobileSurvey" | "MessengerSurvey";

export const DEVICE_TYPES = ["Desktop", "Mobile", "Tablet", "Tv"] as const;
export const OPERATING_SYSTEMS = ["Android", "OS", "iOS", "Linux", "macOS", "Windows", "Other"] as const;

/** An answered question. `answers.ts` has one of every kind. */
export interface Answer {
  readonly question_id: number;
  readonly question_type: string;
  readonly [field: string]: unknown;
}

/** The fields of a response besides its id, timestamp, respondent and attributes. */
export interface ResponseContent {
  readonly url: string;
  readonly device_type: string;
  readonly operating_system: string;
  readonly platform: string;
  readonly language?: string;
  readonly answers: readonly Answer[];
}

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
