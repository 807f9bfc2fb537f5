/** A record as plain data. */
export type FlatRecord = Record<string, unknown>;

/** Values that a sheet, a CSV file, a Data Table and a filter all take. */
export type Primitive = string | number | boolean | null;

/** Objects, which the service does not document here, as JSON. */
export function primitive(value: unknown): Primitive {
	if (value === undefined || value === null) return null;
	return typeof value === 'object' ? JSON.stringify(value) : (value as Primitive);
}

/** One output item before all columns of its run are known. A missing value is null. */
export interface FlatItem {
	/** The record's own fields. */
	readonly fixed: FlatRecord;
	/** Those of answers, by column. */
	readonly answers?: FlatRecord;
	/** By the attribute's own name. */
	readonly attributes?: ReadonlyMap<string, Primitive>;
}

/** Columns whose values are numbers, or text that may be a number. */
const MAY_BE_NUMBER = /^attribute_|^answer_\d+_score$|^nps_score$|^rating$/;

/**
 * What a column has in an item that lacks it. n8n's filters take null for 0 (`null <= 6` is true), so a missing number
 * is undefined: as a filter and as JSON see it, the item has no such key. The key is there all the same for a node that
 * makes a table of the keys, such as Convert to File.
 */
const missingIn = (column: string) => (MAY_BE_NUMBER.test(column) ? undefined : null);

/** In a list of columns, the place of those of all answers in the run, by question. */
export const ANSWER_COLUMNS = '(answers)';
/** In a list of columns, the place of those of all attributes, by name. */
export const ATTRIBUTE_COLUMNS = '(attributes)';

/** What a table depends on, besides its items. */
export interface TableOptions {
	/** The attributes that were asked for. They have their columns also if nobody in the run has them. */
	readonly attributeNames?: readonly string[];
	/** Whether the items are of any surveys. Each has few of the columns then, so nothing missing is null. */
	readonly areOfAnySurvey?: boolean;
}

/** Items as a table with these columns in this order. */
export function tableOf(
	items: readonly FlatItem[],
	columns: readonly string[],
	{ attributeNames = [], areOfAnySurvey = false }: TableOptions = {},
): FlatRecord[] {
	const missing = (column: string) =>
		areOfAnySurvey && column.startsWith('answer_') ? undefined : missingIn(column);
	const answers = new Set<string>();
	const names = new Set(attributeNames);
	for (const item of items) {
		for (const column in item.answers) answers.add(column);
		for (const name of item.attributes?.keys() ?? []) names.add(name);
	}
	const attributes = attributeColumns(names);
	const all: Readonly<Record<string, readonly string[]>> = {
		[ANSWER_COLUMNS]: [...answers].sort(byQuestion),
		[ATTRIBUTE_COLUMNS]: [...names].sort().flatMap((name) => attributes.get(name) ?? []),
	};
	const every = columns.flatMap((column) => all[column] ?? [column]);
	const empty: FlatRecord = Object.fromEntries(every.map((column) => [column, missing(column)]));
	return items.map((item) => {
		const row = { ...empty };
		const set = (column: string | undefined, value: unknown) => {
			if (column !== undefined && column in empty) row[column] = value ?? missing(column);
		};
		for (const column in item.fixed) if (column in empty) row[column] = item.fixed[column];
		for (const [column, value] of Object.entries(item.answers ?? {})) set(column, value);
		for (const [name, value] of item.attributes ?? []) set(attributes.get(name), value);
		return row;
	});
}

/** By the question's number; of one question, the answer before its score, tag and comment. */
function byQuestion(one: string, other: string): number {
	const [left, right] = [Number(one.split('_')[1]), Number(other.split('_')[1])];
	return left !== right ? left - right : one < other ? -1 : 1;
}

const LONGEST_NAME = 50;
const LEGAL = /^[A-Za-z0-9_]+$/;

/**
 * A column for each attribute name, legal in databases: letters, digits and `_`. Spaces and punctuation become `_`. A
 * name that loses more than these ends in a checksum of itself, and has the same column in every run.
 *
 * So does one of two names that would share a column, such as "first name" and "first_name": the legal one keeps it.
 * Since the names are those that were asked for, only another setting can change that.
 */
function attributeColumns(names: ReadonlySet<string>): ReadonlyMap<string, string> {
	const columns = new Map<string, string>();
	const taken = new Set<string>();
	const sorted = [...names].sort();
	const legalFirst = [true, false].flatMap((is) => sorted.filter((name) => LEGAL.test(name) === is));
	for (const name of legalFirst) {
		const short = name.replace(/[\s\-./:]+/g, '_');
		const isShort = short.length <= LONGEST_NAME && LEGAL.test(short) && !taken.has(short.toLowerCase());
		if (isShort) taken.add(short.toLowerCase());
		columns.set(name, `attribute_${isShort ? short : checked(name)}`);
	}
	return columns;
}

/** What is readable of a name, and a checksum of all of it (FNV-1a). */
function checked(name: string): string {
	const readable = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '');
	let hash = 0x811c9dc5;
	for (const unit of name) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
	const checksum = (hash >>> 0).toString(16).padStart(8, '0');
	return [readable.slice(0, LONGEST_NAME - 9), checksum].filter((part) => part !== '').join('_');
}
