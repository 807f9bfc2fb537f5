import type { IDataObject } from 'n8n-workflow';

import type { SurveyResponse } from '@survey-export/core';
import { collectNewestFirst } from '../../output/collect.ts';
import { simplifyResponse } from '../../output/simplify.ts';
import {
	ATTRIBUTE_NAMES,
	collectedWithin,
	returnAllAndLimit,
	shownFor,
	simplify,
} from '../../parameters/fields.ts';
import { namesIn } from '../../parameters/names.ts';
import { idFor, limitFor, periodFor } from '../../parameters/read.ts';
import type { GetMany } from '../get-many.ts';

const RESOURCE = 'surveyResponse';

export const surveyResponseGetMany: GetMany = {
	fields: [
		{
			displayName: 'Survey ID',
			name: 'surveyId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 1042',
			description: 'ID of the survey whose responses to get',
			displayOptions: shownFor(RESOURCE),
		},
		...returnAllAndLimit(RESOURCE),
		simplify(RESOURCE),
		collectedWithin(RESOURCE),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			displayOptions: shownFor(RESOURCE),
			options: [ATTRIBUTE_NAMES],
		},
	],
	subject: (context, itemIndex) => ({
		named: `Survey "${idFor(context, itemIndex, 'surveyId')}"`,
		parameter: '"Survey ID"',
	}),
	async read(context, itemIndex, service, signal) {
		const options = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
		const simple = context.getNodeParameter('simplify', itemIndex, true) as boolean;
		return await collectNewestFirst<SurveyResponse>(
			service,
			'survey_responses',
			{
				surveyIds: [idFor(context, itemIndex, 'surveyId')],
				respondentUuids: [],
				...periodFor(context, itemIndex),
				attributes: namesIn(options.attributeNames),
				signal,
			},
			limitFor(context, itemIndex),
			simple ? simplifyResponse : (response) => response as unknown as IDataObject,
		);
	},
};
