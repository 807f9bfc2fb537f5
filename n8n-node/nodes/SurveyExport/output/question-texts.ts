/** The texts of questions, by survey and by the question's ID. A question that the service does not list has none. */
export type QuestionTexts = ReadonlyMap<string, TextsById>;
export type TextsById = ReadonlyMap<number, string>;

/** The questions of a survey; none if it is not known. */
export const textsOf = (texts: QuestionTexts, surveyId: unknown): TextsById =>
	texts.get(String(surveyId)) ?? new Map();
