import { fixed, joined, type Message, say } from '@survey-export/core';
import type { INodeProperties } from 'n8n-workflow';
import { wordsOf } from './failure.ts';
import { SettingError } from './values.ts';

type Fields = readonly INodeProperties[];

/**
 * What n8n gives for a parameter of a form.
 * @throws SettingError for an expression that cannot be evaluated, with n8n's words for that. Of a collection, the field
 * with the expression is named
 */
export function evaluated<Value>(form: Fields, name: string, get: (name: string) => Value): Value {
	try {
		return get(name);
	} catch (thrown) {
		for (const field of fieldsIn(fieldOf(form, name))) evaluated(form, `${name}.${field.name}`, get);
		throw notEvaluated(labelOf(form, name), wordsOf(thrown as Error));
	}
}

const notEvaluated = (label: Message, { message, description }: ReturnType<typeof wordsOf>): SettingError =>
	new SettingError(
		say`The expression in ${label} cannot be evaluated`,
		joined([say`n8n says "${message}".`, description]),
	);

/** A parameter as the form names it. */
export const labelOf = (form: Fields, name: string): Message =>
	say`"${fixed(fieldOf(form, name)?.displayName ?? name)}"`;

/** The field of a parameter, such as `limit`, or `filters.collectedAfter` of a collection. */
function fieldOf(form: Fields, name: string): INodeProperties | undefined {
	const [first, second] = name.split('.');
	const field = form.find((each) => each.name === first);
	return second === undefined ? field : fieldsIn(field).find((each) => each.name === second);
}

const fieldsIn = (field: INodeProperties | undefined): Fields =>
	field?.type === 'collection' ? (field.options as INodeProperties[]) : [];
