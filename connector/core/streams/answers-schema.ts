import { ANSWER_FIELDS, QUESTION_TYPES } from "../answers/answer-fields.ts";
import { ANSWER_KINDS, DOCUMENTED_KINDS, type ObjectPart } from "../answers/answer-kinds.ts";

/**
 * The schema of the column `answers`, from the kinds of answers. It is true of whatever JSON the service sends as an
 * answer, as an entry of its lists or as a field inside, also if the service documents another.
 */
export const ANSWERS = {
  type: ["array", "null"],
  description: "One element for each answered question. Skipped questions are omitted.",
  items: {
    title: "Answer",
    type: "object",
    additionalProperties: true,
    description: `One answered question. Besides the question's identifier and type, an element takes one of these shapes: ${shapes()}.`,
    properties: {
      question_id: {
        type: ["integer", "null"],
        description: "Identifier of the question. It is unique and never changes.",
      },
      question_type: {
        type: ["string", "null"],
        description: `Kind of the question. Known values: ${QUESTION_TYPES.join(", ")}.`,
      },
      answer: {
        title: "AnswerContent",
        type: anyJson("object"),
        additionalProperties: true,
        description: "Answer to a question that takes exactly one: an object, or a string for a text.",
        properties: propertiesOf("answer"),
      },
      answers: {
        type: anyJson("array"),
        description:
          "Answers to a question that takes several, such as the choices made or the ranked items.",
        items: {
          title: "AnswerItem",
          type: anyJson("object"),
          additionalProperties: true,
          description: "One of several answers, such as a choice or a ranked item.",
          properties: propertiesOf("answers"),
        },
      },
      fields: {
        type: anyJson("array"),
        description: "Fields of a contact form, as the respondent filled it in.",
        items: {
          title: "AnswerField",
          type: anyJson("object"),
          additionalProperties: true,
          description: "One field of a contact form.",
          properties: propertiesOf("fields"),
        },
      },
      action_performed: {
        type: anyJson("boolean"),
        description: "Whether the respondent performed the action that the question asked for.",
      },
    },
  },
} as const;

/** Every JSON kind, the documented one first. */
function anyJson(documented: string): string[] {
  return [...new Set([documented, "object", "array", "string", "number", "boolean", "null"])];
}

function propertiesOf(part: ObjectPart) {
  return Object.fromEntries(
    Object.entries(ANSWER_FIELDS[part]).map(([name, { type, description }]) => [
      name,
      { type: anyJson(type), description },
    ]),
  );
}

function shapes(): string {
  const all = DOCUMENTED_KINDS.map((name) => {
    const kind = ANSWER_KINDS[name];
    const as = "is" in kind && kind.in === "answer" ? ` as a ${kind.is}` : "";
    return `${kind.about} (${kind.in}${as})`;
  });
  return `${all.slice(0, -1).join(", ")}, or ${all.at(-1)}`;
}
