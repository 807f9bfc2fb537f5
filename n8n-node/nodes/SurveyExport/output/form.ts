import {
	type AnswerRow,
	answerRows,
	fixed,
	type Message,
	noOddAnswers,
	type RecordTreatment,
	type RespondentResponse,
	responseId,
	STREAMS,
	type SurveyResponse,
	say,
} from '@survey-export/core';
import { answerColumns } from './answer-columns.ts';
import { columnNames, type QuestionTexts, SIMPLIFIED } from './column-names.ts';
import { type FlatItem, type FlatRecord, type Primitive, primitive, tableOf } from './flat-item.ts';

/** A response, from the list of a survey or of a respondent. */
export type Response = SurveyResponse | RespondentResponse;

/** The values of the parameter "Output". */
export const OUTPUTS = ['simplified', 'answers', 'raw'] as const;
export type OutputName = (typeof OUTPUTS)[number];

/** What the items of a response depend on, besides the form. */
interface Outlet {
	readonly treatment: RecordTreatment;
	/** Called with answers that no column can hold. */
	warn(message: Message): void;
}

/** How the responses of a run become items. */
export interface Form {
	/** Whether and where the texts of questions are shown: in the items, or as the names of columns. */
	readonly showsTexts: 'no' | 'in items' | 'as names';
	/** The items of one response after the treatment, without the columns that only others have. */
	itemsOf(response: Response, outlet: Outlet): readonly FlatItem[];
	/** All items of the run as later nodes get them. `texts`: of the surveys' questions, if the form shows them. */
	finish(items: readonly FlatItem[], texts?: QuestionTexts): FlatRecord[];
}

/** Those of them that have one column each. */
const FIELDS = SIMPLIFIED.filter((name) => name !== 'answers' && name !== 'attributes');
const COLUMNS = STREAMS.survey_responses.columns;
/** The same without the answers, which are rows of their own. */
const COLUMNS_WITHOUT_ANSWERS = { ...COLUMNS, answers: { holds: 'unknown' } } as const;
const NO_ATTRIBUTES: FlatItem['attributes'] = new Map();

/** The columns of One Item per Answer: what differs from item to item stands first, where an editor shows it. */
const ANSWER_COLUMNS = [
	...['question', 'value_text', 'value_number', 'label', 'comment', 'nps_tag', 'value_boolean'],
	...['answer_type', 'response_uuid', 'collected_at', 'survey_id', 'survey_name', 'respondent_uuid'],
	...['question_id', 'question_type', 'position', 'answer_id', 'additional_fields', 'attributes'],
];

/** What a form depends on, besides the output. */
interface FormOptions {
	/** Whether the questions' texts are the names of their columns. */
	readonly isNamedByText?: boolean;
	/** Whether the items are of any surveys, and not of chosen ones. */
	readonly areOfAnySurvey?: boolean;
}

/** The form of an output. */
export function formOf(output: OutputName, options: FormOptions = {}): Form {
	const { isNamedByText = false, areOfAnySurvey = false } = options;
	if (output === 'raw') {
		return {
			showsTexts: 'no',
			itemsOf: (response, { treatment }) => [asItIs(raw(treatment.record(response, COLUMNS)))],
			finish: (items) => items.map(({ fixed }) => fixed),
		};
	}
	const toItems = output === 'answers' ? answerItems : simplifiedItem;
	const columns = { simplified: SIMPLIFIED, answers: ANSWER_COLUMNS }[output];
	return {
		showsTexts: output === 'answers' ? 'in items' : isNamedByText ? 'as names' : 'no',
		itemsOf: (response, outlet) =>
			toItems(outlet.treatment.record(response, COLUMNS_WITHOUT_ANSWERS), rowsOf(response, outlet)),
		finish(items, texts = new Map()) {
			const rows = tableOf(items, columns, areOfAnySurvey);
			if (output === 'answers') {
				for (const row of rows)
					row.question = texts.get(String(row.survey_id))?.get(Number(row.question_id)) ?? null;
			} else if (isNamedByText) rename(rows, columnNames(texts, areOfAnySurvey));
			return rows;
		},
	};
}

/** In place: there may be many. */
function rename(rows: FlatRecord[], names: ReadonlyMap<string, string>): void {
	for (const [at, row] of rows.entries()) {
		const named = Object.entries(row).map(([name, value]) => [names.get(name) ?? name, value]);
		rows[at] = Object.fromEntries(named);
	}
}

/** Made before the treatment: without its content an answer would look like one of another kind. */
function rowsOf(response: Response, { treatment, warn }: Outlet): readonly AnswerRow[] {
	// All of them, if some do not fit the column.
	const answers = response.additional_fields?.answers ?? response.answers;
	const odd = noOddAnswers();
	const rows = answerRows(answers, odd);
	const id = responseId(response.uuid);
	for (const what of odd.omitted.keys())
		warn(say`Response ${id} has ${fixed(what)}. It is omitted; the output "Raw" shows it.`);
	return rows.map((row) => treatment.record(row, STREAMS.survey_answers.columns));
}

function simplifiedItem(response: Response, rows: readonly AnswerRow[]): FlatItem[] {
	const fields: FlatItem['fixed'] = { ...response, response_uuid: response.uuid };
	const fixed = Object.fromEntries(FIELDS.map((name) => [name, primitive(fields[name])]));
	return [{ fixed, answers: answerColumns(rows), attributes: attributesOf(response) }];
}

/**
 * The rows of the stream `survey_answers`, and the attributes if some were asked for. An object is written as
 * JSON: Data Table refuses a whole insert that holds one. A missing number or boolean is undefined, see `missingIn`.
 */
function answerItems(response: Response, rows: readonly AnswerRow[]): FlatItem[] {
	const { collected_at, survey_id = null, survey_name = null, respondent_uuid = null } = response;
	const own = { response_uuid: response.uuid, collected_at, survey_id, survey_name, respondent_uuid };
	const attributes = attributesOf(response);
	return rows.map((row) => ({
		fixed: {
			question: null,
			...own,
			...row,
			comment: row.comment || null,
			answer_id: row.answer_id ?? undefined,
			value_number: row.value_number ?? undefined,
			value_boolean: row.value_boolean ?? undefined,
			additional_fields: primitive(row.additional_fields),
		},
		answers: {},
		attributes,
	}));
}

/** An item without columns that depend on others. */
export const asItIs = (fixed: FlatItem['fixed']): FlatItem => ({
	fixed,
	answers: {},
	attributes: NO_ATTRIBUTES,
});

/** By name. An attribute that was recorded with the response wins over one of the respondent. */
export function attributesOf(response: Pick<Response, 'attributes' | 'respondent_attributes'>) {
	const byName = new Map<string, Primitive>();
	for (const list of [response.respondent_attributes, response.attributes]) {
		for (const pair of Array.isArray(list) ? list : []) {
			if (pair?.name != null) byName.set(String(pair.name), primitive(pair.value));
		}
	}
	return byName.size === 0 ? NO_ATTRIBUTES : byName;
}

/** All fields of the service at the top level: the streams keep unknown ones in `additional_fields`, for databases. */
function raw(record: { readonly additional_fields?: object | null }): FlatItem['fixed'] {
	const { additional_fields: more, ...known } = record;
	return { ...more, ...known };
}
