import type { IExecuteFunctions } from 'n8n-workflow';

import {
	collectNewestFirst,
	probe,
	respondentId,
	say,
	type StreamDefinition,
	type StreamRecord,
	SurveyExportError,
} from '@survey-export/core';
import type { Subject } from '../shared/failure.ts';
import type { Period } from './read.ts';
import { idFor } from './read.ts';
import type { Run } from './get-many.ts';

export function respondentSubject(context: IExecuteFunctions, itemIndex: number): Subject {
	return {
		named: say`Respondent ${respondentId(idFor(context, itemIndex, 'respondentId'))}`,
		parameter: say`"Respondent ID"`,
	};
}

/**
 * Records of one respondent, newest first. To the core a respondent that is not found is one without
 * records, since people disappear between syncs. Here somebody has typed the id and wants to know. So when
 * nothing came, one more request asks whether the respondent is known.
 */
export async function collectOfRespondent<Kind extends StreamRecord, Output>(
	{ client, onUnreadable }: Run,
	stream: StreamDefinition,
	respondentUuid: string,
	period: Period,
	limit: number | undefined,
	output: (record: Kind) => Output,
	signal: AbortSignal,
): Promise<Output[]> {
	const wanted = {
		surveyIds: [],
		respondentUuids: [respondentUuid],
		...period,
		signal,
		onUnreadable,
	};
	const found = await collectNewestFirst(client, stream, wanted, limit, output);
	if (found.length > 0) return found;
	if ((await probe(client, { respondentUuid }, signal)) === 'found') return found;
	throw new SurveyExportError(
		'config',
		'not_found',
		say`Respondent ${respondentId(respondentUuid)} was not found.`,
	);
}
