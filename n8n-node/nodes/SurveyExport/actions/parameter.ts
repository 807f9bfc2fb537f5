import { fixed, joined, listed, type Message, say } from '@survey-export/core';
import type { INodeProperties } from 'n8n-workflow';
import { wordsOf } from '../shared/failure.ts';
import { SettingError } from '../shared/values.ts';
import { ACTION_FIELDS } from './fields.ts';
import type { Incoming } from './reading.ts';

/**
 * A parameter of the node. `extractValue`: what a locator holds; the form must show it then.
 * @throws SettingError for an expression that cannot be evaluated, with n8n's words for that. Of a collection, the field
 * with the expression is named
 */
export function parameter<Value>(
	incoming: Incoming,
	name: string,
	otherwise: Value,
	extractValue = false,
): Value {
	const { context, itemIndex } = incoming;
	try {
		return context.getNodeParameter(name, itemIndex, otherwise, { extractValue }) as Value;
	} catch (thrown) {
		for (const field of fieldsIn(fieldOf(name))) parameter(incoming, `${name}.${field.name}`, '');
		throw notEvaluated(name, thrown as Error);
	}
}

function notEvaluated(name: string, error: Error): SettingError {
	const { message, description } = wordsOf(error);
	return new SettingError(
		say`The expression in ${labelOf(name)} cannot be evaluated`,
		joined([say`n8n says "${message}".`, description]),
	);
}

/** A parameter that has one of `choices`. */
export function choiceFor<Choice extends string>(
	incoming: Incoming,
	name: string,
	otherwise: Choice,
	choices: readonly Choice[],
): Choice {
	const value = parameter(incoming, name, otherwise);
	const choice = choices.find((each) => each === value);
	if (choice !== undefined) return choice;
	throw new SettingError(
		say`${labelOf(name)} is not one of these: ${listed(choices.map(fixed))}`,
		say`Choose one of them.`,
	);
}

/** A parameter as the form names it. */
export const labelOf = (name: string): Message => say`"${fixed(fieldOf(name)?.displayName ?? name)}"`;

/** The field of a parameter, such as `limit`, or `filters.collectedAfter` of a collection. */
function fieldOf(name: string): INodeProperties | undefined {
	const [first, second] = name.split('.');
	const field = ACTION_FIELDS.find((each) => each.name === first);
	return second === undefined ? field : fieldsIn(field).find((each) => each.name === second);
}

const fieldsIn = (field: INodeProperties | undefined): readonly INodeProperties[] =>
	field?.type === 'collection' ? (field.options as INodeProperties[]) : [];
