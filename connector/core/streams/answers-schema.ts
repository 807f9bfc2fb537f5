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
      answer: partOf(
        "answer",
        "AnswerContent",
        "Answer to a question that takes exactly one: an object, or a string for a text.",
      ),
      answers: {
        type: anyJson("array"),
        description:
          "Answers to a question that takes several, such as the choices made or the ranked items.",
        items: partOf("answers", "AnswerItem", "One of several answers, such as a choice or a ranked item."),
      },
      fields: {
        type: anyJson("array"),
        description: "Fields of a contact form, as the respondent filled it in.",
        items: partOf("fields", "AnswerField", "One field of a contact form."),
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

/** The schema of an object of this part. */
function partOf(part: ObjectPart, title: string, description: string) {
  const properties = Object.fromEntries(
    Object.entries(ANSWER_FIELDS[part]).map(([name, field]) => [
      name,
      { type: anyJson(field.type), description: field.description },
    ]),
  );
  return { title, type: anyJson("object"), additionalProperties: true, description, properties };
}

function shapes(): string {
  const all = DOCUMENTED_KINDS.map((name) => {
    const kind = ANSWER_KINDS[name];
    const as = "is" in kind && kind.in === "answer" ? ` as a ${kind.is}` : "";
    return `${kind.about} (${kind.in}${as})`;
  });
  return `${all.slice(0, -1).join(", ")}, or ${all.at(-1)}`;
}
