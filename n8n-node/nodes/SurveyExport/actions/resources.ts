import {
	collectNewestFirst,
	collectOfRespondent,
	type FlatItem,
	type FlatRecord,
	given,
	missingInAny,
	respondentId,
	say,
	STREAMS,
} from '@survey-export/core';
import type { Subject } from '../shared/failure.ts';
import { namesIn } from '../shared/values.ts';
import { attributesOfPerson, finishAttributes } from './attributes-of-person.ts';
import { idFor, type Incoming, optionsFor, type Read, type Reading } from './reading.ts';
import { finishResponses, responsesAsItems } from './responses.ts';

/** Get Many of one resource. */
interface GetMany {
	/** The survey or respondent that the item asks for, for messages. */
	subject(incoming: Incoming): Subject;
	/**
	 * The records for one item, newest first.
	 *
	 * @throws SettingError for a parameter, SurveyExportError for a failure of the service
	 */
	read(reading: Reading): Promise<Read>;
	/** All records of the run, in the form that later nodes get. */
	finish(incoming: Incoming, items: readonly FlatItem[]): FlatRecord[];
}

const aSurvey = (incoming: Incoming): Subject => ({
	named: say`Survey ${given(idFor(incoming, 'surveyId'))}`,
	parameter: say`"Survey ID"`,
});
const aPerson = (incoming: Incoming): Subject => ({
	named: say`Respondent ${respondentId(idFor(incoming, 'respondentId'))}`,
	parameter: say`"Respondent ID"`,
});

/** By the value of the node's "Resource" field. */
export const GET_MANY = {
	surveyResponse: {
		subject: aSurvey,
		read: (reading) =>
			responsesAsItems(reading, (wanted, limit, output) => {
				const surveyIds = [idFor(reading, 'surveyId')];
				const attributes = namesIn(optionsFor(reading).attributeNames);
				const list = { ...wanted, surveyIds, respondentUuids: [], attributes };
				return collectNewestFirst(
					reading.run.client,
					STREAMS.survey_responses,
					list,
					limit,
					output,
				);
			}),
		finish: finishResponses,
	},
	respondentResponse: {
		subject: aPerson,
		read: (reading) =>
			responsesAsItems(reading, (wanted, limit, output) => {
				const person = idFor(reading, 'respondentId');
				const stream = STREAMS.respondent_responses;
				return collectOfRespondent(reading.run.client, stream, person, wanted, limit, output);
			}),
		finish: (incoming, items) => finishResponses(incoming, items, missingInAny),
	},
	respondentAttribute: { subject: aPerson, read: attributesOfPerson, finish: finishAttributes },
} satisfies Record<string, GetMany>;

export type Resource = keyof typeof GET_MANY;
