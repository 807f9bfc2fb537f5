/** A field of an answer, as the schema describes it. */
interface DescribedField {
  readonly type: "integer" | "number" | "string";
  readonly description: string;
}

/**
 * The fields that the service documents, by the part of an answered question that holds them: one object in `answer`,
 * or objects in the lists `answers` and `fields`.
 */
export const ANSWER_FIELDS = {
  answer: {
    id: {
      type: "integer",
      description: "Identifier of the chosen answer. Given for a choice and for a rating.",
    },
    content: {
      type: "string",
      description: "Text of the chosen answer. For an NPS score, the score as a string, from 0 to 10.",
    },
    comment: { type: "string", description: "Comment that the respondent added to the chosen answer." },
    rating: {
      type: "integer",
      description: "Rating that the chosen answer stands for, as a number.",
    },
    tag: {
      type: "string",
      description:
        "Group of an NPS score. Known values: detractor (0 to 6), passive (7 or 8), promoter (9 or 10).",
    },
  },
  answers: {
    id: {
      type: "integer",
      description: "Identifier of the answer, of the matrix row, or of the ranked item.",
    },
    content: { type: "string", description: "Text of the answer, of the matrix row, or of the ranked item." },
    comment: { type: "string", description: "Comment that the respondent added to this choice." },
    score: { type: "string", description: "Label of the option selected in this row of a matrix." },
    rank: {
      type: "integer",
      description: "Position that the respondent gave to this item of a ranking.",
    },
  },
  fields: {
    type: { type: "string", description: "Kind of the form field, such as email or phone." },
    content: { type: "string", description: "Text that the respondent entered into the field." },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, DescribedField>>>>;

/** Every `question_type` that the service documents. Which of them has which kind of answer is not documented. */
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
