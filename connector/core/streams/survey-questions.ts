import { certain } from "../errors.ts";
import { wholeNumber } from "../text/json.ts";
import { additionalFieldsOf, type Columns, fieldsFrom, type RecordOf, readAt } from "./column.ts";
import { defineStream } from "./definition.ts";
import {
  additionalFields,
  fittingOrMisfit,
  listOrMisfit,
  type Misfit,
  text,
  textOrMisfit,
} from "./fitting.ts";

const ENTRY = { type: "object", additionalProperties: true } as const;

const COLUMNS = {
  survey_id: {
    type: "string",
    description: "Identifier of the survey that asks the question. First part of the stream's primary key.",
    from: "list",
    holds: { plain: "an id that the service makes" },
  },
  id: {
    type: "integer",
    description:
      "Identifier of the question: question_id in survey_answers. It is unique and never changes. Second part of the stream's primary key.",
    from: "question.id",
    holds: { plain: "an id that the service makes" },
  },
  type: {
    type: ["string", "null"],
    description: "Kind of the question, as the service names it: question_type in survey_answers.",
    from: "question.type",
    holds: { plain: "one of the service's own words" },
  },
  question: {
    type: ["string", "null"],
    description: "The question as it is shown to respondents.",
    from: "question.question",
    holds: { plain: "the survey's author writes it" },
  },
  introduction: {
    type: ["string", "null"],
    description: "The text that is shown with the question.",
    from: "question.introduction",
    holds: { plain: "the survey's author writes it" },
  },
  answer_choices: {
    type: ["array", "null"],
    description: "The answers that can be chosen, with their ids: answer_id in survey_answers.",
    items: {
      title: "AnswerChoice",
      ...ENTRY,
      description: "An answer that can be chosen.",
      properties: {
        id: { type: ["integer", "null"], description: "Identifier of the choice." },
        content: { type: ["string", "null"], description: "Text of the choice." },
      },
    },
    from: "question.answer_choices",
    holds: "answer choices",
  },
  columns: {
    type: ["array", "null"],
    description: "The options of each row of a matrix.",
    items: { type: "string", description: "An option." },
    from: "question.columns",
    holds: { plain: "the survey's author writes them", fields: [] },
  },
  fields: {
    type: ["array", "null"],
    description: "The fields of a contact form.",
    items: {
      title: "FormField",
      ...ENTRY,
      description: "A field of the form.",
      properties: {
        type: { type: ["string", "null"], description: "Kind of the field: label in survey_answers." },
        label: { type: ["string", "null"], description: "Text of the field." },
      },
    },
    from: "question.fields",
    holds: { plain: "the survey's author writes them", fields: ["type", "label"] },
  },
  position: {
    type: "integer",
    description: "Number of the question in the service's list, from 1 on.",
    from: "list",
    holds: { plain: "our own count" },
  },
  collected_at: readAt("question"),
  additional_fields: additionalFieldsOf("question"),
} as const satisfies Columns;
const KNOWN = new Set(fieldsFrom("question", COLUMNS));

/** The questions of the surveys that a sync reads, as they are now. */
export const surveyQuestions = defineStream({
  name: "survey_questions",
  title: "SurveyQuestion",
  description:
    "One question of one survey, as it was when it was read. Each sync reads all of them again; Append + Deduped keeps those that were deleted since.",
  primaryKey: ["survey_id", "id"],
  columns: COLUMNS,
  isSnapshot: true,
  reads: "survey questions",
  records: (question, { surveyId, position, present, unknown }) => {
    const misfits: Misfit[] = [];
    const record: RecordOf<typeof COLUMNS> = {
      survey_id: certain(surveyId, "the survey of a list"),
      id: question.id,
      type: textOrMisfit(question.type, "question.type", misfits),
      question: textOrMisfit(question.question, "question.question", misfits),
      introduction: textOrMisfit(question.introduction, "question.introduction", misfits),
      answer_choices: listOrMisfit(question.answer_choices, CHOICE, "question.answer_choices", misfits),
      columns: fittingOrMisfit(question.columns, texts, "question.columns", misfits),
      fields: listOrMisfit(question.fields, FIELD, "question.fields", misfits),
      position: certain(position, "the position"),
      collected_at: certain(present, "the time of reading"),
      additional_fields: additionalFields(
        [{ entity: "question", fields: question, known: KNOWN }],
        misfits,
        unknown,
      ),
    };
    return [record];
  },
});

const CHOICE = { id: wholeNumber, content: text };
const FIELD = { type: text, label: text };

const texts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
