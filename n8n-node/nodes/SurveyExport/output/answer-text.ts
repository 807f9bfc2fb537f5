import type { Answer } from '@survey-export/core';

/**
 * One answered question as text for a sheet or a message, for version 1 of the nodes. It knows all nine shapes
 * of the service by their fields, since the question's type does not say which shape an answer has:
 *
 *     choice          Good value (because of the colours)
 *     choices         Price; Design (the new one)
 *     rating          Great (5)
 *     contact form    email: ada@example.com; phone: 555 0100
 *     plain text      as it was written
 *     NPS             9 (promoter)
 *     matrix          Price: Good; Support: Bad
 *     ranking         1. Support; 2. Price
 *     action          Yes
 *
 * A shape that is none of these becomes JSON, so that nothing is lost silently.
 */
export function answerText(answered: Answer): string {
	const { answer, answers, fields, action_performed: performed } = answered;
	if (typeof answer === 'string') return answer;
	if (isObject(answer)) {
		return withNote(textOf(answer.content), answer.comment ?? answer.tag ?? answer.rating);
	}
	if (Array.isArray(answers)) return [...answers].sort(byRank).map(part).join('; ');
	if (Array.isArray(fields)) {
		return fields
			.filter((field) => isObject(field) && textOf(field.content) !== '')
			.map((field) => `${textOf(field.type)}: ${textOf(field.content)}`)
			.join('; ');
	}
	if (typeof performed === 'boolean') return performed ? 'Yes' : 'No';
	const rest = Object.entries(answered).filter(([name]) => !name.startsWith('question_'));
	return rest.length > 0 ? JSON.stringify(Object.fromEntries(rest)) : '';
}

type Part = NonNullable<Answer['answers']>[number];

function part(given: Part): string {
	if (!isObject(given)) return textOf(given);
	const content = textOf(given.content);
	if (given.rank != null) return `${given.rank}. ${content}`;
	if (given.score != null) return `${content}: ${given.score}`;
	return withNote(content, given.comment);
}

const byRank = (one: Part, other: Part) => Number(one?.rank ?? 0) - Number(other?.rank ?? 0);

const withNote = (text: string, note: unknown) => {
	const noted = textOf(note);
	if (noted === '') return text;
	return text === '' ? noted : `${text} (${noted})`;
};

const textOf = (value: unknown): string => {
	if (value === undefined || value === null) return '';
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
