import { fixed, parseTimestamp, type SurveyExportError, say, type Timestamp } from '@survey-export/core';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import type { QuestionTexts } from '../output/column-names.ts';
import type { FlatItem } from '../output/flat-item.ts';
import type { Connection } from '../shared/connect.ts';
import type { Wanted } from '../shared/newest-first.ts';
import type { WithAttributes } from '../shared/respondent-attributes.ts';
import { checkedId, type IdName, isOn, SettingError } from '../shared/values.ts';
import { labelOf, parameter } from './parameter.ts';
import { isTool, MOST_FOR_TOOL } from './tool-answer.ts';

/** An incoming item. Each function here throws a `SettingError` for a parameter that cannot be used for it. */
export interface Incoming {
	readonly context: IExecuteFunctions;
	readonly itemIndex: number;
}

/** The service and the attributes read so far, for all items with the same credentials. */
export interface Run extends Connection {
	readonly withAttributes: WithAttributes;
	/** Told of a record that cannot be read and is left out. */
	readonly onUnreadable: (error: SurveyExportError) => void;
	/** What every further request of this run would meet. */
	errorOfAll?: SurveyExportError;
}

/** An incoming item, and what it is read with. */
export interface Reading extends Incoming {
	readonly run: Run;
	readonly signal: AbortSignal;
}

/** The records that one item asked for. */
export interface Read {
	readonly items: readonly FlatItem[];
	/** How many records there were: a record may be several items, or none. */
	readonly records: number;
	/** Of the questions, if the output shows them. */
	readonly texts?: QuestionTexts;
}

/** Whether a parameter has no value: an agent may send one that it leaves out as an empty text. */
const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '';

export const optionsFor = (incoming: Incoming): IDataObject => parameter(incoming, 'options', {});

/** The limit, or undefined if everything is to be returned. A tool never gets everything. */
export function limitFor(incoming: Incoming): number | undefined {
	const most = isTool(incoming.context) ? MOST_FOR_TOOL : undefined;
	if (isOn('Return All', parameter(incoming, 'returnAll', false))) return most;
	const value: unknown = parameter(incoming, 'limit', 50);
	const limit = isUnset(value) ? 50 : Number(value);
	if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, most ?? limit);
	throw new SettingError(say`"Limit" is not a whole number above 0`, say`Give a whole number, such as 50.`);
}

export function idFor(incoming: Incoming, name: IdName): string {
	const label = labelOf(name);
	const id = String(parameter(incoming, name, '', true) ?? '').trim();
	if (id.includes(',')) {
		throw new SettingError(
			say`${label} holds more than one ID`,
			say`Give one item for each ID: the node reads once for each incoming item.`,
		);
	}
	if (id !== '') return checkedId(name, label, id);
	throw new SettingError(
		say`${label} is empty`,
		say`Fill it in. If it comes from the incoming item by an expression, check that every item has the field.`,
	);
}

/** The filters, as the core's bounds. */
export function periodFor(incoming: Incoming): Pick<Wanted, 'startDate' | 'endDate'> {
	const filters: IDataObject = parameter(incoming, 'filters', {});
	const bound = (label: string, value: unknown): Timestamp | undefined => {
		if (isUnset(value)) return undefined;
		const timestamp = timestampFrom(value, incoming.context.getTimezone());
		if (timestamp !== undefined) return timestamp;
		throw new SettingError(
			say`"${fixed(label)}" is not a date and time`,
			say`Give one like 2026-01-31 or 2026-01-31T08:30:00Z.`,
		);
	};
	const startDate = bound('Collected After', filters.collectedAfter);
	const endDate = bound('Collected Before', filters.collectedBefore);
	if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
		throw new SettingError(
			say`"Collected After" is later than "Collected Before"`,
			say`No time lies between them. Exchange them, or leave one empty.`,
		);
	}
	return { startDate, endDate };
}

const DATE_AND_TIME =
	/^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.(\d+))?)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?(?:\[.*\])?$/i;

/**
 * The timestamp that a date field or an expression names, in UTC with microseconds, or undefined if it names none. A
 * time without a zone is in the workflow's time zone, as everywhere in n8n. n8n keeps milliseconds only. Here the
 * microseconds are kept, so that the time of one response can be the bound for others.
 */
export function timestampFrom(value: unknown, timeZone: string): Timestamp | undefined {
	const text = String(value instanceof Date ? value.toJSON() : value).trim();
	const [, day, fraction = ''] = DATE_AND_TIME.exec(text) ?? [];
	if (day === undefined) return undefined;
	try {
		const date = tryToParseDateTime(text, timeZone);
		// A day that does not exist, such as 31 June, would be taken for the next one.
		if (date.toISODate() !== day) return undefined;
		const seconds = date.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");
		return parseTimestamp(`${seconds}.${fraction.slice(0, 6).padEnd(6, '0')}Z`);
	} catch {
		return undefined;
	}
}
