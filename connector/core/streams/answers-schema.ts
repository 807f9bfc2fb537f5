/** The schema of an element of the column `answers`: the service's own object for one answered question. */
export const ANSWERS = {
  title: "Answer",
  type: "object",
  additionalProperties: true,
  description:
    "One answered question. Besides the question's identifier and type, an element takes one of nine shapes: a choice with a comment (answer), several choices with comments (answers), a rating (answer), a contact form (fields), text (answer as a string), an NPS score (answer), a matrix (answers), a ranking (answers), or an action (action_performed).",
  properties: {
    question_id: {
      type: ["integer", "null"],
      description: "Identifier of the question. It is unique and never changes.",
    },
    question_type: {
      type: ["string", "null"],
      description:
        "Kind of the question. Known values: single, multiple, dropdown_list, rating, ranking, smiley_scale, numerical_scale, csat.",
    },
    answer: {
      title: "AnswerContent",
      type: ["object", "string", "null"],
      additionalProperties: true,
      description:
        "Answer to a question that takes exactly one: an object for a choice, a rating or an NPS score, or a string for a text.",
      properties: {
        id: {
          type: ["integer", "null"],
          description: "Identifier of the chosen answer. Given for a choice and for a rating.",
        },
        content: {
          type: ["string", "null"],
          description: "Text of the chosen answer. For an NPS score, the score as a string, from 0 to 10.",
        },
        comment: {
          type: ["string", "null"],
          description: "Comment that the respondent added to the chosen answer.",
        },
        rating: {
          type: ["integer", "null"],
          description: "Rating that the chosen answer stands for, as a number.",
        },
        tag: {
          type: ["string", "null"],
          description:
            "Group of an NPS score. Known values: detractor (0 to 6), passive (7 or 8), promoter (9 or 10).",
        },
      },
    },
    answers: {
      type: ["array", "null"],
      description:
        "Answers to a question that takes several: the choices made, the rows of a matrix, or the ranked items.",
      items: {
        title: "AnswerItem",
        type: "object",
        additionalProperties: true,
        description: "One choice, one row of a matrix, or one ranked item.",
        properties: {
          id: {
            type: ["integer", "null"],
            description: "Identifier of the answer, of the matrix row, or of the ranked item.",
          },
          content: {
            type: ["string", "null"],
            description: "Text of the answer, of the matrix row, or of the ranked item.",
          },
          comment: {
            type: ["string", "null"],
            description: "Comment that the respondent added to this choice.",
          },
          score: {
            type: ["string", "null"],
            description: "Label of the option selected in this row of a matrix.",
          },
          rank: {
            type: ["integer", "null"],
            description: "Position that the respondent gave to this item of a ranking.",
          },
        },
      },
    },
    fields: {
      type: ["array", "null"],
      description: "Fields of a contact form, as the respondent filled it in.",
      items: {
        title: "AnswerField",
        type: "object",
        additionalProperties: true,
        description: "One field of a contact form.",
        properties: {
          type: {
            type: ["string", "null"],
            description: "Kind of the form field, such as email or phone.",
          },
          content: {
            type: ["string", "null"],
            description: "Text that the respondent entered into the field.",
          },
        },
      },
    },
    action_performed: {
      type: ["boolean", "null"],
      description: "Whether the respondent performed the action that the question asked for.",
    },
  },
} as const;
