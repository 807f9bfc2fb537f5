import type { GetMany } from './get-many.ts';
import { respondentAttributeGetMany } from './attributes-of-person.ts';
import { respondentResponseGetMany } from './responses-of-person.ts';
import { surveyResponseGetMany } from './survey-responses.ts';

/** Get Many of each resource, by the value of the node's "Resource" field. */
export const GET_MANY = {
	surveyResponse: surveyResponseGetMany,
	respondentResponse: respondentResponseGetMany,
	respondentAttribute: respondentAttributeGetMany,
} satisfies Record<string, GetMany>;

export type Resource = keyof typeof GET_MANY;
