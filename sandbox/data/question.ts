/** A question as a survey's list has it. */
export interface Question {
  readonly id: number;
  readonly type: string;
  /** The text that is shown. */
  readonly question: string;
  readonly introduction: string | null;
  readonly answer_choices: readonly { readonly id: number; readonly content: string }[];
  /** Only a matrix has them. Its rows are the choices. */
  readonly columns?: readonly string[];
  /** Only a form has them. */
  readonly fields?: readonly { readonly type: string; readonly label: string }[];
}

/** What only some questions have. */
export interface QuestionParts extends Partial<Pick<Question, "introduction" | "columns" | "fields">> {
  readonly choices?: readonly string[];
  /** The number of the first choice. Default 0. */
  readonly firstChoice?: number;
}

/** A question. The id of a choice is 100 times the question's, plus the number of the choice. */
export function questionOf(id: number, type: string, text: string, parts: QuestionParts = {}): Question {
  const { choices = [], firstChoice = 0, introduction = null, ...more } = parts;
  const answer_choices = choices.map((content, place) => ({ id: id * 100 + firstChoice + place, content }));
  return { id, type, question: text, introduction, answer_choices, ...more };
}
