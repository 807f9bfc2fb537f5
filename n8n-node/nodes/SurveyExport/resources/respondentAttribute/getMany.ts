import type { RespondentAttribute } from '@survey-export/core';
import { attributeOutput } from '../../output/attribute.ts';
import { respondentId, returnAllAndLimit } from '../../parameters/fields.ts';
import { idFor, limitFor } from '../../parameters/read.ts';
import type { GetMany } from '../get-many.ts';
import { collectOfRespondent, respondentSubject } from '../of-respondent.ts';

const RESOURCE = 'respondentAttribute';

export const respondentAttributeGetMany: GetMany = {
	fields: [respondentId(RESOURCE), ...returnAllAndLimit(RESOURCE)],
	subject: respondentSubject,
	async read(context, itemIndex, service, signal) {
		return await collectOfRespondent<RespondentAttribute>(
			service,
			'respondent_attributes',
			idFor(context, itemIndex, 'respondentId'),
			{},
			limitFor(context, itemIndex),
			attributeOutput,
			signal,
		);
	},
};
