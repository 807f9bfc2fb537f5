import type { RespondentResponse } from '@survey-export/core';
import {
	collectedWithin,
	INCLUDE_RESPONDENT_ATTRIBUTES,
	optionsOf,
	respondentId,
	returnAllAndLimit,
	shownFor,
} from '../../parameters/fields.ts';
import { outputFields } from '../../parameters/output.ts';
import { PERSONAL_DATA } from '../../parameters/personal-data.ts';
import { idFor, limitFor, periodFor } from '../../parameters/read.ts';
import type { GetMany } from '../get-many.ts';
import { collectOfRespondent, respondentSubject } from '../of-respondent.ts';
import { askForFewerResponses, finishResponses, responsesAsItems } from '../responses.ts';

const RESOURCE = 'respondentResponse';

export const respondentResponseGetMany: GetMany = {
	fields: [
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
			collectOfRespondent(run, 'respondent_responses', respondent, period, limit, output, signal),
		);
	},
	finish: finishResponses,
	askForLess: askForFewerResponses,
};
