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
		`"${label}" is not an ID`,
		`It is ${JSON.stringify(id.slice(0, 100))}. An ID has no blanks, slashes, question marks or percent signs.`,
	);
}
