/** The columns of the simplified output: the answers stand where they can be seen in an editor. */
export const SIMPLIFIED = [
	...['response_uuid', 'collected_at', 'answers', 'survey_id', 'survey_name'],
	...['respondent_uuid', 'url', 'device_type', 'language', 'attributes'],
] as const;
/** Whether a column of an item may have this name. */
export const isColumn = (name: string): boolean =>
	SIMPLIFIED.some((column) => column === name) ||
	/^answer_\d+(_score|_tag|_comment)?$|^attribute_\w+$/.test(name);

/** By survey and question. A question that the service does not list has none. */
export type QuestionTexts = ReadonlyMap<string, TextsById>;
export type TextsById = ReadonlyMap<number, string>;

/** By question, without those of which two surveys say different things. */
function textsById(texts: QuestionTexts): TextsById {
	const all = [...texts.values()].flatMap((ofSurvey) => [...ofSurvey]);
	const byId = new Map(all);
	for (const [id, text] of all) if (byId.get(id) !== text) byId.delete(id);
	return byId;
}

const SUFFIXES = ['', '_score', '_tag', '_comment'];
/** In characters. */
const LONGEST_NAME = 60;
/** What could be another column's name, or a place in an object: a number comes before all other keys. */
const LIKE_A_NAME = / \((\d+|score|tag|comment)\)$|^\d+$/i;

/**
 * The names that the columns of these questions have by their texts: "Why?", "Why? (score)", "Why? (tag)" and "Why?
 * (comment)". A long text is cut at the same place for all four. If one of them might be another column's too, also with
 * other capital letters, all have the question's ID: "Why? (1003)". So they depend on the questions alone. `haveIds`: all
 * have it, since later runs may have other questions.
 */
export function columnNames(texts: QuestionTexts, haveIds = false): ReadonlyMap<string, string> {
	const stemOf = (text: string, id = '') => cut(text, LONGEST_NAME - `${id} (comment)`.length);
	const keyOf = (text: string) => stemOf(text).toLowerCase();
	const byId = textsById(texts);
	const alike = Map.groupBy(byId.values(), keyOf);
	const names = [...byId].flatMap(([id, text]) => {
		const isTaken = isColumn(text.toLowerCase()) || LIKE_A_NAME.test(text) || text in {};
		const isOwn = !haveIds && !isTaken && alike.get(keyOf(text))?.length === 1;
		const ending = isOwn ? '' : ` (${id})`;
		const stem = `${stemOf(text, ending)}${ending}`;
		return SUFFIXES.map((end) => [`answer_${id}${end}`, stem + end.replace(/_(.+)/, ' ($1)')] as const);
	});
	return new Map(names);
}

/** At most so many characters of a text. */
export function cut(text: string, most: number): string {
	const characters = [...text];
	const start = characters.slice(0, most - 1).join('');
	return characters.length > most ? `${start.trimEnd()}…` : text;
}
