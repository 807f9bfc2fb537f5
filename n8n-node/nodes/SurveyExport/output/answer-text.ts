import { type Answer, COLUMNS_OF, kindNamed, kindOfObject } from '@survey-export/core';

/**
 * One answered question as text for a sheet or a message, for version 1 of the nodes. It knows the kinds of
 * answers by their fields, since the question's type does not say which kind an answer has:
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
 * What is none of these becomes JSON, so that nothing is lost silently.
 */
export function answerText(answered: Answer): string {
	const { answer, answers, fields, action_performed: performed } = answered;
	if (isObject(answer)) return partText('answer', answer);
	if (answer !== undefined && answer !== null) return bareText(answer);
	if (Array.isArray(answers)) {
		const ranked = [...answers].sort((one, other) => rankOf(one) - rankOf(other));
		return ranked.map((one) => partText('answers', one)).join('; ');
	}
	if (Array.isArray(fields)) {
		return fields
			.filter((field) => isObject(field) && textOf(field.content) !== '')
			.map((field) => partText('fields', field))
			.join('; ');
	}
	if (typeof performed === 'boolean') return bareText(performed);
	const rest = Object.entries(answered).filter(([name]) => !name.startsWith('question_'));
	return rest.length > 0 ? JSON.stringify(Object.fromEntries(rest)) : '';
}

type Part = 'answer' | 'answers' | 'fields';

function partText(part: Part, given: unknown): string {
	if (!isObject(given)) return bareText(given);
	const kind = kindOfObject(part, given);
	const { label, value_text: text, value_number: number, nps_tag: tag } = byColumn(kind, given);
	const { reads } = kindNamed(kind)!;
	if (reads === 'number. label') return `${textOf(number)}. ${textOf(label)}`;
	if (reads === 'label: value') return `${textOf(label)}: ${textOf(text)}`;
	if (
		Object.keys(given).length > 0 &&
		!Object.keys(given).some((name) => COLUMNS_OF[kind].has(name))
	) {
		return JSON.stringify(given);
	}
	// A kind without a text of its own is read by its number.
	const said = [text, number].find((value) => textOf(value) !== '');
	const note = given.comment ?? tag ?? number;
	return withNote(textOf(said), note === said ? undefined : note);
}

/** The fields of an object by the columns that they go to. */
function byColumn(
	kind: keyof typeof COLUMNS_OF,
	given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
	return Object.fromEntries([...COLUMNS_OF[kind]].map(([field, column]) => [column, given[field]]));
}

const rankOf = (given: unknown): number => {
	if (!isObject(given)) return 0;
	const kind = kindOfObject('answers', given);
	if (kindNamed(kind)?.reads !== 'number. label') return 0;
	return Number(byColumn(kind, given).value_number ?? 0);
};

function bareText(value: unknown): string {
	if (typeof value === 'boolean') return value ? 'Yes' : 'No';
	return Array.isArray(value) ? value.map(textOf).join('; ') : textOf(value);
}

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
