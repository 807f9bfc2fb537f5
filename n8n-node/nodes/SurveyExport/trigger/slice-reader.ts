import {
	readStreams,
	STREAMS,
	type Client,
	type SurveyExportError,
	type SurveyResponse,
} from '@survey-export/core';
import type { ReadSlice } from './oldest.ts';

/** Reads a survey's responses between two timestamps, newest first, page by page. */
export function sliceReader(
	client: Client,
	surveyId: string,
	attributes: readonly string[],
	signal: AbortSignal,
	/** Told of a response that cannot be read. It is left out, since reading it again would not help. */
	onUnreadable: (error: SurveyExportError) => void,
): ReadSlice<SurveyResponse> {
	return async (startDate, endDate, most) => {
		const responses: SurveyResponse[] = [];
		const events = readStreams(client, {
			surveyIds: [surveyId],
			respondentUuids: [],
			streams: new Map([[STREAMS.survey_responses, undefined]]),
			startDate,
			endDate,
			attributes,
			itemsPerPage: Math.min(most, 100),
			inOrder: true,
			signal,
		});
		for await (const event of events) {
			if (event.type === 'failure') {
				if (event.error.code !== 'unreadable_item') throw event.error;
				onUnreadable(event.error);
			}
			if (event.type !== 'records') continue;
			for (const record of event.records) responses.push(record as SurveyResponse);
			if (responses.length >= most) return { responses, complete: false };
		}
		return { responses, complete: true };
	};
}
