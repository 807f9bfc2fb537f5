import type { GetMany } from './get-many.ts';
import { respondentAttributeGetMany } from './respondentAttribute/getMany.ts';
import { respondentResponseGetMany } from './respondentResponse/getMany.ts';
import { surveyResponseGetMany } from './surveyResponse/getMany.ts';

/** Get Many of each resource, by the value of the node's "Resource" field. */
export const GET_MANY = {
	surveyResponse: surveyResponseGetMany,
	respondentResponse: respondentResponseGetMany,
	respondentAttribute: respondentAttributeGetMany,
} satisfies Record<string, GetMany>;

export type Resource = keyof typeof GET_MANY;
