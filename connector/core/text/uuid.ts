/** A UUID in lower case, as the source of a regular expression. */
export const UUID_PATTERN = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

const LOWER_CASE = new RegExp(`^${UUID_PATTERN}$`);
const ANY_CASE = new RegExp(`^${UUID_PATTERN}$`, "i");

export const isLowerCaseUuid = (text: string): boolean => LOWER_CASE.test(text);
export const isUuid = (text: string): boolean => ANY_CASE.test(text);
