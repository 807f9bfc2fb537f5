import { given, inParallel, STREAMS, type StreamRecord, SurveyExportError, say } from '@survey-export/core';
import type { Form } from '../output/form.ts';
import type { QuestionTexts, TextsById } from '../output/question-texts.ts';
import type { Connection } from './connect.ts';
import { collectNewestFirst } from './newest-first.ts';

/** How long questions may keep responses waiting. Then no survey is asked for its questions any more. */
const QUESTIONS_MS = 60_000;

/**
 * The texts of questions that the form shows, each on one line: a request for every hundred questions of a survey, once for
 * each connection. If they cannot be read, or not in the time of the signal, n8n's log says why. `surveyIds`: the surveys
 * of the items.
 */
export async function questionTexts(
	{ showsTexts }: Form,
	connection: Connection,
	surveyIds: readonly unknown[],
	signal: AbortSignal,
): Promise<QuestionTexts> {
	const ids = showsTexts ? [...new Set(surveyIds)].filter((id) => typeof id === 'string') : [];
	const ofEach = await inParallel(ids, async (id) => {
		const { texts } = connection.questions;
		const own = texts.get(id) ?? readTexts(connection, id, signal);
		texts.set(id, own);
		return [id, await own] as const;
	});
	return new Map(ofEach);
}

async function readTexts(connection: Connection, surveyId: string, ended: AbortSignal): Promise<TextsById> {
	const { client, warn, questions } = connection;
	if (questions.areSilent) return new Map();
	const signal = AbortSignal.any([ended, AbortSignal.timeout(QUESTIONS_MS)]);
	try {
		const wanted = { of: { surveyId }, signal };
		const all = await collectNewestFirst(client, STREAMS.survey_questions, wanted, idAndText);
		return new Map(all.filter(([, text]) => text !== ''));
	} catch (thrown) {
		const error = SurveyExportError.from(thrown);
		questions.areSilent ||= signal.aborted;
		const why = error.code === 'not_found' ? say`The service does not list them.` : error.facts;
		const facts = say`The questions of survey ${given(surveyId)} could not be read, so the output does not show their texts.`;
		warn(say`${facts} ${signal.aborted ? say`The time for it was over.` : why}`);
		return new Map();
	}
}

const idAndText = ({ id, question }: StreamRecord) =>
	[Number(id), (String(question ?? '').match(/\S+/g) ?? []).join(' ')] as const;
