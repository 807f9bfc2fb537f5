/** The columns of the simplified output: the answers stand where they can be seen in an editor. */
export const SIMPLIFIED = [
	...['response_uuid', 'collected_at', 'answers', 'survey_id', 'survey_name'],
	...['respondent_uuid', 'url', 'device_type', 'language', 'attributes'],
] as const;
/** What can be selected from any survey; besides, each column of an answer or an attribute by its name. */
export const SELECTABLE: readonly string[] = [...SIMPLIFIED, 'operating_system', 'platform', 'survey_type'];
export const isSelectable = (name: string): boolean =>
	SELECTABLE.includes(name) || /^answer_\d+(_score|_tag|_comment)?$|^attribute_\w+$/.test(name);

/** By the question's ID. One that the service does not list has none. */
export type QuestionTexts = ReadonlyMap<number, string>;
