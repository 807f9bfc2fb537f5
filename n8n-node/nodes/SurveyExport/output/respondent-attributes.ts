import { read, type RespondentAttribute, type Service as Client } from '@survey-export/core';

/**
 * All attributes of the given respondents, by respondent. A respondent that the service does not know has
 * none. Costs one request for each respondent, more for one with over a hundred attributes.
 */
export async function attributesByRespondent(
	client: Client,
	uuids: Iterable<string | null | undefined>,
	signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly RespondentAttribute[]>> {
	const known = new Set<string>();
	for (const uuid of uuids) if (uuid != null) known.add(uuid);
	const byRespondent = new Map([...known].map((uuid) => [uuid, [] as RespondentAttribute[]]));
	if (known.size === 0) return byRespondent;
	const events = read(client, {
		surveyIds: [],
		respondentUuids: [...known],
		streams: new Map([['respondent_attributes', undefined]]),
		signal,
	});
	for await (const event of events) {
		if (event.type === 'failure') throw event.error;
		if (event.type !== 'records') continue;
		for (const record of event.records as readonly RespondentAttribute[]) {
			byRespondent.get(record.respondent_uuid)?.push(record);
		}
	}
	return byRespondent;
}
