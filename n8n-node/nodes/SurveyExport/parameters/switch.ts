import { fixed, outside, say } from '@survey-export/core';
import { SettingError } from '../setting-error.ts';

/**
 * Whether a switch is on. An expression or an agent may give it as text.
 *
 * @throws SettingError for text that is neither "true" nor "false"
 */
export function isOn(label: string, value: unknown): boolean {
	if (typeof value !== 'string') return Boolean(value);
	const text = value.trim().toLowerCase();
	if (text === 'true') return true;
	if (text === 'false' || text === '') return false;
	throw new SettingError(
		say`"${fixed(label)}" is neither true nor false`,
		say`It is ${outside(value, 100)}. Give true or false.`,
	);
}
