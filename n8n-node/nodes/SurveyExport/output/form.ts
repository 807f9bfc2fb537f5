import {
	type AnswerRow,
	answerRows,
	fixed,
	type Message,
	noOddAnswers,
	type RecordTreatment,
	responseId,
	STREAMS,
	say,
} from '@survey-export/core';
import { ANSWER_ITEM_COLUMNS, addQuestion, answerItems } from './answer-items.ts';
import { type FlatItem, type FlatRecord, type TableOptions, tableOf } from './flat-item.ts';
import { addLegend, answerColumns, QUESTION_COLUMNS } from './question-columns.ts';
import type { QuestionTexts } from './question-texts.ts';
import { attributesOf, flatFields, type Response } from './response.ts';
import { addQuestions, SIMPLIFIED, simplifiedFields } from './simplified.ts';

/** The values of the parameter "Output". */
export const OUTPUTS = ['simplified', 'columns', 'answers', 'raw'] as const;
export type OutputName = (typeof OUTPUTS)[number];

/** What the items of a response depend on, besides the form. */
interface Outlet {
	readonly treatment: RecordTreatment;
	/** Called with answers that no column can hold. */
	warn(message: Message): void;
}

/** How the responses of a run become items. */
export interface Form {
	/** Whether the items show the texts of the questions. */
	readonly showsTexts: boolean;
	/** The items of one response after the treatment, without the columns that only others have. */
	itemsOf(response: Response, outlet: Outlet): readonly FlatItem[];
	/** All items of the run as later nodes get them. `texts`: of the surveys' questions, if the form shows them. */
	finish(items: readonly FlatItem[], texts?: QuestionTexts): FlatRecord[];
}

const COLUMNS = STREAMS.survey_responses.columns;
/** The same without the answers, which are rows of their own. */
const COLUMNS_WITHOUT_ANSWERS = { ...COLUMNS, answers: { holds: 'unknown' } } as const;

/** A form whose items are rows of a table. Each of its parts is in the file of its output. */
interface TableForm {
	readonly columns: readonly string[];
	readonly items: (response: Response, rows: readonly AnswerRow[]) => Omit<FlatItem, 'attributes'>[];
	/** Puts the texts of questions into the rows of the table. */
	readonly addTexts: (rows: readonly FlatRecord[], texts: QuestionTexts) => void;
}

const TABLE_FORMS: Readonly<Record<Exclude<OutputName, 'raw'>, TableForm>> = {
	simplified: {
		columns: SIMPLIFIED,
		items: (response, rows) => [{ fixed: simplifiedFields(response, rows) }],
		addTexts: addQuestions,
	},
	columns: {
		columns: QUESTION_COLUMNS,
		items: (response, rows) => [{ fixed: flatFields(response), answers: answerColumns(rows) }],
		addTexts: addLegend,
	},
	answers: {
		columns: ANSWER_ITEM_COLUMNS,
		items: (response, rows) => answerItems(response, rows).map((fixed) => ({ fixed })),
		addTexts: addQuestion,
	},
};

const RAW: Form = {
	showsTexts: false,
	itemsOf: (response, { treatment }) => [{ fixed: allFields(treatment.record(response, COLUMNS)) }],
	finish: (items) => items.map(({ fixed }) => fixed),
};

/** The form of an output. */
export function formOf(output: OutputName, options: TableOptions = {}): Form {
	if (output === 'raw') return RAW;
	const { columns, items: itemsOf, addTexts } = TABLE_FORMS[output];
	return {
		showsTexts: true,
		itemsOf(response, outlet) {
			const treated = outlet.treatment.record(response, COLUMNS_WITHOUT_ANSWERS);
			const attributes = attributesOf(treated);
			return itemsOf(treated, rowsOf(response, outlet)).map((item) => ({ ...item, attributes }));
		},
		finish(items, texts = new Map()) {
			const rows = tableOf(items, columns, options);
			addTexts(rows, texts);
			return rows;
		},
	};
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

/** All fields of the service at the top level: the streams keep unknown ones in `additional_fields`, for databases. */
function allFields(record: { readonly additional_fields?: object | null }): FlatItem['fixed'] {
	const { additional_fields: more, ...known } = record;
	return { ...more, ...known };
}
