/** The service's records, as it sends them. */

export interface AttributePair {
  readonly name: string;
  readonly value: string;
}

export interface AttributeRecord extends AttributePair {
  readonly id: number;
}

export const SURVEY_TYPES = ["PageSurvey", "WidgetSurvey", "MobileSurvey", "MessengerSurvey"] as const;
export type SurveyType = (typeof SURVEY_TYPES)[number];

export const DEVICE_TYPES = ["Desktop", "Mobile", "Tablet", "Tv"] as const;
export const OPERATING_SYSTEMS = ["Android", "OS", "iOS", "Linux", "macOS", "Windows", "Other"] as const;

export const QUESTION_TYPES = [
  "single",
  "multiple",
  "dropdown_list",
  "rating",
  "ranking",
  "smiley_scale",
  "numerical_scale",
  "csat",
] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

/** The nine shapes an answer takes beyond its question's id and type. */
export type AnswerShape =
  | { readonly answer: { readonly id: number; readonly content: string; readonly comment?: string } }
  | {
      readonly answers: readonly {
        readonly id: number;
        readonly content: string;
        readonly comment?: string;
      }[];
    }
  | { readonly answer: { readonly id: number; readonly content: string; readonly rating: number } }
  | { readonly fields: readonly { readonly type: string; readonly content: string }[] }
  | { readonly answer: string }
  | { readonly answer: { readonly content: string; readonly tag: "detractor" | "passive" | "promoter" } }
  | { readonly answers: readonly { readonly id: number; readonly content: string; readonly score: string }[] }
  | { readonly answers: readonly { readonly id: number; readonly content: string; readonly rank: number }[] }
  | { readonly action_performed: boolean };

export type Answer = { readonly question_id: number; readonly question_type: QuestionType } & AnswerShape;

/** The fields of a response besides its id, timestamp, respondent and attributes. */
export interface ResponseContent {
  readonly url: string;
  readonly device_type: string;
  readonly operating_system: string;
  readonly platform: string;
  readonly language?: string;
  readonly answers: readonly Answer[];
}
