import { fixed, isUuid, type Message, outside, render, say } from '@survey-export/core';

/** A setting that cannot be used: `facts` name it, `advice` says why and what to do. */
export class SettingError extends Error {
	readonly facts: Message;
	readonly advice: Message;

	constructor(facts: Message, advice: Message) {
		super(render(facts));
		this.facts = facts;
		this.advice = advice;
	}
}

const FORBIDDEN = /[\s/\\?#%]|^\.{1,2}$|^.{201}/;

/**
 * An id as the service writes it. It becomes a part of an address, so it has at most 200 characters, and none that would
 * change the address. Of an address that somebody copied it is the only part that can be such an id: digits for a
 * survey, a UUID for a person.
 *
 * @throws SettingError that names the parameter
 */
export function checkedId(label: string, text: string): string {
	if (!FORBIDDEN.test(text)) return text;
	const parts = /^https?:\/\//i.test(text) ? text.split(/[/?#&=]/) : [];
	const isId = label === 'Respondent ID' ? isUuid : (part: string) => /^\d+$/.test(part);
	const [id, ...others] = parts.filter(isId);
	if (id !== undefined && others.length === 0) return id;
	throw new SettingError(
		say`"${fixed(label)}" is not an ID`,
		say`It is ${outside(text, 100)}. Give the ID alone, which has no spaces, slashes, question marks or percent signs.`,
	);
}

/** A list given as text with commas, or by an expression as an array, which may hold commas itself. */
export function namesIn(value: unknown): string[] {
	const parts = Array.isArray(value) ? value : String(value ?? '').split(',');
	return [...new Set(parts.map((part) => String(part).trim()).filter((part) => part !== ''))];
}

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
