import type { IDataObject } from 'n8n-workflow';

import type { RespondentResponse } from '@survey-export/core';
import { simplifyResponse } from '../../output/simplify.ts';
import {
	collectedWithin,
	respondentId,
	returnAllAndLimit,
	simplify,
} from '../../parameters/fields.ts';
import { idFor, limitFor, periodFor } from '../../parameters/read.ts';
import type { GetMany } from '../get-many.ts';
import { collectOfRespondent, respondentSubject } from '../of-respondent.ts';

const RESOURCE = 'respondentResponse';

export const respondentResponseGetMany: GetMany = {
	fields: [
		respondentId(RESOURCE),
		...returnAllAndLimit(RESOURCE),
		simplify(RESOURCE),
		collectedWithin(RESOURCE),
	],
	subject: respondentSubject,
	async read(context, itemIndex, service, signal) {
		const simple = context.getNodeParameter('simplify', itemIndex, true) as boolean;
		return await collectOfRespondent<RespondentResponse>(
			service,
			'respondent_responses',
			idFor(context, itemIndex, 'respondentId'),
			periodFor(context, itemIndex),
			limitFor(context, itemIndex),
			simple ? simplifyResponse : (response) => response as unknown as IDataObject,
			signal,
		);
	},
};
