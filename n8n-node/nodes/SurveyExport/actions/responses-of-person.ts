import { type RespondentResponse, STREAMS } from '@survey-export/core';
import {
	getManyOperation,
	collectedWithin,
	optionsOf,
	respondentId,
	returnAllAndLimit,
	shownFor,
} from './fields.ts';
import { INCLUDE_RESPONDENT_ATTRIBUTES, outputFields } from '../shared/output-fields.ts';
import { PERSONAL_DATA } from '../shared/personal-data.ts';
import { idFor, limitFor, periodFor } from './read.ts';
import type { GetMany } from './get-many.ts';
import { collectOfRespondent, respondentSubject } from './of-respondent.ts';
import { finishResponses, responsesAsItems } from './responses.ts';

const RESOURCE = 'respondentResponse';

export const respondentResponseGetMany: GetMany = {
	fields: [
		getManyOperation(
			RESOURCE,
			'Get the responses that one person gave to any survey, newest first',
			'Get many respondent responses',
		),
		respondentId(RESOURCE),
		...returnAllAndLimit(RESOURCE),
		...outputFields(shownFor(RESOURCE).show),
		collectedWithin(RESOURCE),
		optionsOf(RESOURCE, [INCLUDE_RESPONDENT_ATTRIBUTES, ...PERSONAL_DATA]),
	],
	subject: respondentSubject,
	async read(context, itemIndex, run, signal) {
		const respondent = idFor(context, itemIndex, 'respondentId');
		const period = periodFor(context, itemIndex);
		const limit = limitFor(context, itemIndex);
		return await responsesAsItems<RespondentResponse>(context, itemIndex, run, signal, (output) =>
			collectOfRespondent(
				run,
				STREAMS.respondent_responses,
				respondent,
				period,
				limit,
				output,
				signal,
			),
		);
	},
	finish: finishResponses,
};
