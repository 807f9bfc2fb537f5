import { fixed, listed, type Message, say } from '@survey-export/core';
import * as shared from '../shared/parameter.ts';
import { SettingError } from '../shared/values.ts';
import { ACTION_FIELDS } from './fields.ts';
import type { Incoming } from './reading.ts';

/** A parameter of the action. `extractValue`: what a locator holds; the form must show it then. @throws SettingError */
export const parameter = <Value>(
	{ context, itemIndex }: Incoming,
	name: string,
	otherwise: Value,
	extractValue = false,
): Value =>
	shared.evaluated(
		ACTION_FIELDS,
		name,
		(each) => context.getNodeParameter(each, itemIndex, otherwise, { extractValue }) as Value,
	);

/** A parameter as the form names it. */
export const labelOf = (name: string): Message => shared.labelOf(ACTION_FIELDS, name);

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
