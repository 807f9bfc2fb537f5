import { listed, say } from '@survey-export/core';
import type { IPollFunctions } from 'n8n-workflow';
import type { Connection } from '../shared/connect.ts';
import { type NodeError, nodeErrorOf, surveyPart } from '../shared/failure.ts';
import type { NewResponses } from './new-responses.ts';

/** After this time the same report is made again. A little less than a day: polls come at slightly different times. */
const REPORT_AGAIN_MS = 23 * 3_600_000;

/** The reports that owners have got since n8n has started, by node. */
const reported = new Map<string, { readonly text: string; readonly reportedMs: number }>();

/** The node, among all of this n8n. */
export const nodeOf = (context: IPollFunctions): string =>
	`${context.getWorkflow().id} ${context.getNode().id}`;

/**
 * Reports `error` as a failed execution, where users and error workflows see it: at once, and again after a day while
 * it lasts. What a poll hands over starts an execution of its own. Undefined: there is nothing to report any more.
 */
export function report(context: IPollFunctions, error: NodeError | undefined): void {
	const node = nodeOf(context);
	if (error === undefined) return void reported.delete(node);
	// What owners read, without how often and how long it was tried: codes would not distinguish two answers of the service.
	const text = `${error.message} ${error.description}`.replace(/(?<!["\w])\d+/g, '');
	const last = reported.get(node);
	const reportedMs = Date.now();
	if (last?.text === text && reportedMs - last.reportedMs < REPORT_AGAIN_MS) return;
	reported.set(node, { text, reportedMs: reportedMs });
	context.__emitError(error);
}

/** The failures of surveys as one error, which names them all, or undefined if there are none. */
export function failureOf(
	context: IPollFunctions,
	failures: NewResponses['failures'],
	{ render, listed: known }: Connection,
	hasWorked: boolean,
) {
	const [first, ...others] = [...failures].sort(([one], [other]) => (one < other ? -1 : 1));
	if (first === undefined) return undefined;
	const named = (id: string) => surveyPart(id, known.get(id)?.name);
	const subject = () => say`Survey ${named(first[0])}`;
	const error = nodeErrorOf(context.getNode(), first[1], render, { subject, hasWorked });
	if (others.length > 0) {
		const surveys = listed(others.map(([id]) => named(id)));
		error.description = `${error.description ?? ''} ${render(say`These surveys could not be read either: ${surveys}.`)}`;
	}
	return error;
}
