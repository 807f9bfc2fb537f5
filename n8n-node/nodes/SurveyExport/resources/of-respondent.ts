import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	probe,
	type Service,
	type StreamName,
	type StreamRecord,
	SurveyExportError,
} from '@survey-export/core';
import type { Subject } from '../failure.ts';
import { collectNewestFirst } from '../output/collect.ts';
import type { Period } from '../parameters/read.ts';
import { idFor } from '../parameters/read.ts';

export function respondentSubject(context: IExecuteFunctions, itemIndex: number): Subject {
	return {
		named: `Respondent "${idFor(context, itemIndex, 'respondentId')}"`,
		parameter: '"Respondent ID"',
	};
}

/**
 * Records of one person, newest first. To the core a person who is not there is one who has nothing, since
 * people do disappear between syncs; here somebody has typed the id, and wants to know. So when nothing
 * came, one more request asks whether the person is there.
 */
export async function collectOfRespondent<Kind extends StreamRecord>(
	service: Service,
	stream: StreamName,
	respondentUuid: string,
	period: Period,
	limit: number | undefined,
	output: (record: Kind) => IDataObject,
	signal: AbortSignal,
): Promise<IDataObject[]> {
	const wanted = { surveyIds: [], respondentUuids: [respondentUuid], ...period, signal };
	const found = await collectNewestFirst(service, stream, wanted, limit, output);
	if (found.length > 0) return found;
	if ((await probe(service, { respondentUuid }, signal)) === 'found') return found;
	throw new SurveyExportError(
		'config',
		'not_found',
		`Respondent "${respondentUuid}" is not there.`,
	);
}
