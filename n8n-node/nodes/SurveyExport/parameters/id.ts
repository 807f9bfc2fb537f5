import { fixed, outside, say } from '@survey-export/core';
import { SettingError } from '../setting-error.ts';

const FORBIDDEN = /[\s/\\?#%]|^\.{1,2}$/;

/**
 * An id as the service writes it. It becomes a part of an address, so it holds nothing that would change the
 * address.
 *
 * @throws SettingError that names the parameter
 */
export function checkedId(label: string, id: string): string {
	if (!FORBIDDEN.test(id)) return id;
	throw new SettingError(
		say`"${fixed(label)}" is not an ID`,
		say`It is ${outside(id, 100)}. An ID has no spaces, slashes, question marks or percent signs.`,
	);
}
