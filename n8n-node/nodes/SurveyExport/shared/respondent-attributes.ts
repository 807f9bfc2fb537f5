import {
	type Client,
	inParallel,
	type RespondentAttribute,
	STREAMS,
	SurveyExportError,
} from '@survey-export/core';
import type { Response } from '../output/form.ts';
import { collectNewestFirst } from './newest-first.ts';

/** Adds all attributes of its respondent to each response. */
export type WithAttributes = ReturnType<typeof attributesReader>;

/**
 * Reads the attributes of each respondent once: a request for every hundred. A respondent whom the service does not know
 * has none. `onUnreadable` gets an attribute that cannot be read and is omitted.
 *
 * `onFailure`: called with each respondent who cannot be read, or not in the time of the signal. Their responses stay as they
 * are. Without it, such a respondent is an error.
 */
export function attributesReader(
	client: Client,
	onUnreadable: (error: SurveyExportError) => void,
	onFailure?: (error: SurveyExportError) => void,
) {
	const asked = new Map<string, Promise<ReturnType<typeof pairOf>[]>>();
	return async (responses: readonly Response[], signal: AbortSignal): Promise<Response[]> => {
		const respondents = new Set(responses.flatMap(({ respondent_uuid: uuid }) => uuid ?? []));
		const ofEach = await inParallel([...respondents], async (respondentUuid, _, ended) => {
			const wanted = { of: { respondentUuid }, onUnreadable, signal: AbortSignal.any([signal, ended]) };
			const read = () => {
				const own = collectNewestFirst(client, STREAMS.respondent_attributes, wanted, pairOf);
				asked.set(respondentUuid, own);
				return own;
			};
			// One that another item began may have ended with that item.
			const pairs = asked.get(respondentUuid)?.catch(read) ?? read();
			const failed = onFailure && ((thrown: unknown) => onFailure(SurveyExportError.from(thrown)));
			return [respondentUuid, await pairs.catch(failed)] as const;
		});
		const known = new Map(ofEach);
		return responses.map((response) => {
			const own = known.get(response.respondent_uuid ?? '');
			return own ? { ...response, respondent_attributes: own } : response;
		});
	};
}

const pairOf = ({ id, name, value }: RespondentAttribute) => ({ id, name, value });
