import type { Subject } from '../failure.ts';

export const surveySubject = (surveyId: string): Subject => ({
	named: `Survey "${surveyId}"`,
	parameter: '"Survey IDs"',
});
