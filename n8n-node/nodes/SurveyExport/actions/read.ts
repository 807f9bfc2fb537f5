import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Timestamp } from '@survey-export/core';
import { isTool, MOST_FOR_TOOL } from './tool-answer.ts';
import { checkedId, isOn } from '../shared/values.ts';
import { timestampFrom } from './timestamp.ts';

/** The limit for an item, or undefined when everything is to be returned. A tool never gets everything. */
export function limitFor(context: IExecuteFunctions, itemIndex: number): number | undefined {
	const most = isTool(context) ? MOST_FOR_TOOL : undefined;
	if (isOn('Return All', context.getNodeParameter('returnAll', itemIndex, false))) return most;
	const limit = Number(context.getNodeParameter('limit', itemIndex, 50));
	if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, most ?? limit);
	throw new NodeOperationError(context.getNode(), '"Limit" is not a whole number above 0', {
		description: 'Give 1 or more, or turn on "Return All".',
		itemIndex,
	});
}

/** An id that an item must have. */
export function idFor(
	context: IExecuteFunctions,
	itemIndex: number,
	name: 'surveyId' | 'respondentId',
): string {
	const label = name === 'surveyId' ? 'Survey ID' : 'Respondent ID';
	const id = String(context.getNodeParameter(name, itemIndex, '') ?? '').trim();
	if (id !== '') return checkedId(label, id);
	throw new NodeOperationError(context.getNode(), `"${label}" is empty`, {
		description:
			'Fill it in. If it comes from the incoming item by an expression, check that every item has the field.',
		itemIndex,
	});
}

export interface Period {
	readonly startDate?: Timestamp | undefined;
	readonly endDate?: Timestamp | undefined;
}

/** The filters for an item, as the core's bounds. */
export function periodFor(context: IExecuteFunctions, itemIndex: number): Period {
	const { collectedAfter, collectedBefore } = context.getNodeParameter(
		'filters',
		itemIndex,
		{},
	) as {
		collectedAfter?: unknown;
		collectedBefore?: unknown;
	};
	const bound = (label: string, value: unknown): Timestamp | undefined => {
		if (value === undefined || value === null || value === '') return undefined;
		const timestamp = timestampFrom(value, context.getTimezone());
		if (timestamp !== undefined) return timestamp;
		throw new NodeOperationError(context.getNode(), `"${label}" is not a date and time`, {
			description: `It is ${JSON.stringify(value)}. Give one like 2026-01-31 or 2026-01-31T08:30:00Z.`,
			itemIndex,
		});
	};
	const startDate = bound('Collected After', collectedAfter);
	const endDate = bound('Collected Before', collectedBefore);
	if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
		throw new NodeOperationError(
			context.getNode(),
			'"Collected After" is later than "Collected Before"',
			{ description: `No time lies after ${startDate} and before ${endDate}.`, itemIndex },
		);
	}
	return { startDate, endDate };
}
