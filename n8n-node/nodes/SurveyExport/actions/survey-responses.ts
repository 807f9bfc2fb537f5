import type { IDataObject } from 'n8n-workflow';

import { collectNewestFirst, given, say, STREAMS, type SurveyResponse } from '@survey-export/core';
import {
	getManyOperation,
	collectedWithin,
	optionsOf,
	returnAllAndLimit,
	shownFor,
	SURVEY_ID,
} from './fields.ts';
import { namesIn } from '../shared/values.ts';
import {
	ATTRIBUTE_NAMES,
	INCLUDE_RESPONDENT_ATTRIBUTES,
	outputFields,
} from '../shared/output-fields.ts';
import { PERSONAL_DATA } from '../shared/personal-data.ts';
import { idFor, limitFor, periodFor } from './read.ts';
import type { GetMany } from './get-many.ts';
import { finishResponses, responsesAsItems } from './responses.ts';

const RESOURCE = 'surveyResponse';

export const surveyResponseGetMany: GetMany = {
	fields: [
		getManyOperation(
			RESOURCE,
			'Get the responses given to a survey, newest first',
			'Get many survey responses',
		),
		{ ...SURVEY_ID, displayOptions: shownFor(RESOURCE) },
		...returnAllAndLimit(RESOURCE),
		...outputFields(shownFor(RESOURCE).show),
		collectedWithin(RESOURCE),
		optionsOf(RESOURCE, [ATTRIBUTE_NAMES, INCLUDE_RESPONDENT_ATTRIBUTES, ...PERSONAL_DATA]),
	],
	subject: (context, itemIndex) => ({
		named: say`Survey ${given(idFor(context, itemIndex, 'surveyId'))}`,
		parameter: say`"Survey ID"`,
	}),
	async read(context, itemIndex, run, signal) {
		const options = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
		const wanted = {
			surveyIds: [idFor(context, itemIndex, 'surveyId')],
			respondentUuids: [],
			...periodFor(context, itemIndex),
			attributes: namesIn(options.attributeNames),
			signal,
			onUnreadable: run.onUnreadable,
		};
		const limit = limitFor(context, itemIndex);
		return await responsesAsItems<SurveyResponse>(context, itemIndex, run, signal, (output) =>
			collectNewestFirst(run.client, STREAMS.survey_responses, wanted, limit, output),
		);
	},
	finish: finishResponses,
};
