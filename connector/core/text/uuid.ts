/** A UUID in lower case, as the source of a regular expression. */
export const UUID_PATTERN = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

const ANY_CASE = new RegExp(`^${UUID_PATTERN}$`, "i");

export const isUuid = (text: string): boolean => ANY_CASE.test(text);

/** One string for one respondent: a UUID in lower case, however it is written; ids of another form as they are. */
export const respondentKey = (id: string): string => (isUuid(id) ? id.toLowerCase() : id);
