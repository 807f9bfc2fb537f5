import { fixed, isUuid, type Message, SurveyExportError, say } from '@survey-export/core';

/** A wrong setting: `facts` name it, `advice` says what is expected. Neither quotes the value, which may be a key. */
export const settingError = (facts: Message, advice: Message): SurveyExportError =>
	new SurveyExportError('config', 'invalid_configuration', facts, { advice });

/** For somebody who has a survey's name only. */
export const WHERE_IDS_ARE = say`A survey can be chosen from the list, and "Get many surveys" shows the IDs.`;

const FORBIDDEN = /[\s/\\?#%]|^\.{1,2}$|^.{201}/;

const IDS = {
	surveyId: {
		isId: (text: string) => !FORBIDDEN.test(text),
		expected: say`Give the ID alone: no name, and no address. ${WHERE_IDS_ARE}`,
	},
	respondentId: {
		isId: isUuid,
		expected: say`Give the respondent's UUID. Every response carries it as respondent_uuid.`,
	},
};
export type IdName = keyof typeof IDS;

/**
 * An id as the service writes it: a respondent's is a UUID. It becomes a part of an address, so it has at most 200
 * characters, and none that would change the address. `label`: the setting, for messages.
 * @throws `invalid_configuration`
 */
export function checkedId(name: IdName, label: Message, text: string): string {
	const { isId, expected } = IDS[name];
	if (isId(text)) return text;
	throw settingError(say`${label} is not an ID`, expected);
}

/** A list given as text with commas, or by an expression as an array, which may hold commas itself. */
export function namesIn(value: unknown): string[] {
	const parts = Array.isArray(value) ? value : String(value ?? '').split(',');
	return [...new Set(parts.map((part) => String(part).trim()).filter((part) => part !== ''))];
}

/**
 * Whether a switch is on. An expression or an agent may give it as text.
 * @throws `invalid_configuration` for text that is neither "true" nor "false"
 */
export function isOn(label: string, value: unknown): boolean {
	if (typeof value !== 'string') return Boolean(value);
	const text = value.trim().toLowerCase();
	if (text === 'true') return true;
	if (text === 'false' || text === '') return false;
	throw settingError(say`"${fixed(label)}" is neither true nor false`, say`Give true or false.`);
}
