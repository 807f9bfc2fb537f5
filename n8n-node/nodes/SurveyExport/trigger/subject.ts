import { given, say } from '@survey-export/core';
import type { Subject } from '../shared/failure.ts';

export const surveySubject = (surveyId: string): Subject => ({
	named: say`Survey ${given(surveyId)}`,
	parameter: say`"Survey IDs"`,
});
