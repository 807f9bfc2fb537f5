import { RETRY_POLICIES, type SurveyExportError, say } from '@survey-export/core';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { FlatItem } from '../output/flat-item.ts';
import type { QuestionTexts } from '../output/question-texts.ts';
import { type Connection, connectionFor } from '../shared/connect.ts';
import { explained } from '../shared/failure.ts';
import { type IncomingItem, incomingItem } from './incoming-item.ts';

/** The service, for all items with the same credentials. */
export interface Run extends Connection {
	/** Called with a record that cannot be read and is omitted. */
	readonly onUnreadable: (error: SurveyExportError) => void;
	/** What every further request of this run would meet. */
	errorOfAll?: SurveyExportError;
}

/** An incoming item, and the run that reads for it. */
export interface ItemOfRun extends IncomingItem {
	readonly run: Run;
	readonly signal: AbortSignal;
}

/** The records that one item asked for. */
export interface GetManyResult {
	readonly items: readonly FlatItem[];
	/** How many records there were: a record may be several items, or none. */
	readonly records: number;
	/** The texts of the questions, if the output shows them. */
	readonly texts?: QuestionTexts;
}

/** A warning for the user. */
const hint = (context: IExecuteFunctions, message: string): void =>
	context.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });

/**
 * One run for all items with the same credentials and the same treatment of personal data: what a run logs and quotes
 * is treated too. n8n resolves the credentials' expressions for each item.
 */
export function runsOf(context: IExecuteFunctions): (itemIndex: number) => Promise<Run> {
	const runs = new Map<string, Promise<Run>>();
	return async (itemIndex) => {
		const options = incomingItem(context, itemIndex).parameters.get('options', {} as IDataObject);
		const credentials = await context.getCredentials('surveyExportApi', itemIndex);
		const key = JSON.stringify([credentials, options.omitPersonalData]);
		const connect = () =>
			connectionFor(context, { retryPolicy: RETRY_POLICIES.execution, options, credentials });
		const run = runs.get(key) ?? startRun(context, connect());
		runs.set(key, run);
		return await run;
	};
}

async function startRun(context: IExecuteFunctions, connecting: Promise<Connection>): Promise<Run> {
	const connection = await connecting;
	let isReported = false;
	const warn: Run['warn'] = (message) => {
		connection.warn(message);
		if (isReported) return;
		isReported = true;
		hint(context, connection.render(say`${message} n8n's log has all of these messages.`));
	};
	const onUnreadable = (error: SurveyExportError) => warn(explained(error));
	return { ...connection, warn, onUnreadable };
}
