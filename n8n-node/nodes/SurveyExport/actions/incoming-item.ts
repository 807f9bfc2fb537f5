import { fixed, parseTimestamp, say, type Timestamp } from '@survey-export/core';
import { type IDataObject, type IExecuteFunctions, tryToParseDateTime } from 'n8n-workflow';
import type { Wanted } from '../shared/newest-first.ts';
import { Parameters } from '../shared/parameters.ts';
import { checkedId, type IdName, isOn, settingError } from '../shared/values.ts';
import { ACTION_FIELDS } from './fields.ts';
import { isTool, MOST_FOR_TOOL } from './tool-answer.ts';

/** An incoming item. Each function here throws a `invalid_configuration` for a parameter that cannot be used for it. */
export interface IncomingItem {
	readonly context: IExecuteFunctions;
	readonly itemIndex: number;
	readonly parameters: Parameters;
}

/** The item with this index among the node's input. */
export function incomingItem(context: IExecuteFunctions, itemIndex: number): IncomingItem {
	const get = (name: string, otherwise: unknown, extractValue: boolean) =>
		context.getNodeParameter(name, itemIndex, otherwise, { extractValue });
	return { context, itemIndex, parameters: new Parameters(ACTION_FIELDS, get) };
}

/** Whether a parameter has no value: an agent may send an empty text for one that it omits. */
const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '';

/** The limit, or undefined if everything is to be returned. A tool never gets everything. */
export function limitFor({ context, parameters }: IncomingItem): number | undefined {
	const most = isTool(context) ? MOST_FOR_TOOL : undefined;
	if (isOn('Return All', parameters.get('returnAll', false))) return most;
	const value: unknown = parameters.get('limit', 50);
	const limit = isUnset(value) ? 50 : Number(value);
	if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, most ?? limit);
	throw settingError(say`"Limit" is not a whole number above 0`, say`Give a whole number, such as 50.`);
}

export function idFor({ parameters }: IncomingItem, name: IdName): string {
	const label = parameters.label(name);
	const id = String(parameters.get(name, '', true) ?? '').trim();
	if (id.includes(',')) {
		throw settingError(
			say`${label} holds more than one ID`,
			say`Give one item for each ID: the node reads once for each incoming item.`,
		);
	}
	if (id !== '') return checkedId(name, label, id);
	throw settingError(
		say`${label} is empty`,
		say`Fill it in. If it comes from the incoming item by an expression, check that every item has the field.`,
	);
}

/** The filters, as the core's bounds. */
export function periodFor({ context, parameters }: IncomingItem): Pick<Wanted, 'startDate' | 'endDate'> {
	const filters: IDataObject = parameters.get('filters', {});
	const bound = (label: string, value: unknown): Timestamp | undefined => {
		if (isUnset(value)) return undefined;
		const timestamp = timestampFrom(value, context.getTimezone());
		if (timestamp !== undefined) return timestamp;
		throw settingError(
			say`"${fixed(label)}" is not a date and time`,
			say`Give one like 2026-01-31 or 2026-01-31T08:30:00Z.`,
		);
	};
	const startDate = bound('Collected After', filters.collectedAfter);
	const endDate = bound('Collected Before', filters.collectedBefore);
	if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
		throw settingError(
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
