import {
	given,
	idleExclusions,
	joined,
	listed,
	namesNotIds,
	type SurveyExportError,
	say,
} from '@survey-export/core';
import { type IPollFunctions, NodeOperationError } from 'n8n-workflow';
import type { Connection } from '../shared/connect.ts';
import { isOfOneList, type NodeError, nodeErrorOf, surveyPart } from '../shared/failure.ts';
import type { NewResponses } from './new-responses.ts';
import type { TriggerSettings } from './settings.ts';

/** After this time the same report is made again. A little less than a day: polls come at slightly different times. */
const REPORT_AGAIN_MS = 23 * 3_600_000;

/** When owners got a report since n8n has started, by node and by what it was about. */
const reported = new Map<string, Map<string, number>>();

/** What an error of several surveys is about: each of them, with the reason. */
const aboutSurveys = new WeakMap<NodeError, readonly string[]>();

/** The node, among all of this n8n. */
export const nodeOf = (context: IPollFunctions): string =>
	`${context.getWorkflow().id} ${context.getNode().id}`;

/**
 * Reports `error` as a failed execution, where users and error workflows see it: at once, and again after a day while
 * it lasts. Surveys that fail in turn, from poll to poll, are not new each time. What a poll hands over starts an
 * execution of its own. Undefined: there is nothing to report any more.
 */
export function report(context: IPollFunctions, error: NodeError | undefined): void {
	const node = nodeOf(context);
	if (error === undefined) return void reported.delete(node);
	const about = aboutSurveys.get(error) ?? [textOf(error)];
	const known = reported.get(node) ?? new Map<string, number>();
	const nowMs = Date.now();
	const isRecent = (each: string) => nowMs - (known.get(each) ?? Number.NEGATIVE_INFINITY) < REPORT_AGAIN_MS;
	if (about.every(isRecent)) return;
	for (const each of about) known.set(each, nowMs);
	reported.set(node, known);
	context.__emitError(error);
}

/** What owners read, without how often and how long it was tried: codes would not distinguish two answers of the service. */
const textOf = ({ message, description }: NodeError): string =>
	`${message} ${description}`.replace(/(?<!["\w])\d+/g, '');

/** Excluded surveys that do not exist, as one error, or undefined if there are none: their exclusion has no effect. */
export function idleExclusionsOf(
	context: IPollFunctions,
	{ surveyIds, excludedSurveyIds }: TriggerSettings,
	{ render, listed: found }: Connection,
	known: ReadonlySet<string>,
): NodeError | undefined {
	const entries = idleExclusions({ surveyIds: surveyIds ?? [], excludedSurveyIds }, found, known);
	if (entries.length === 0) return undefined;
	const names = joined(namesNotIds(entries, found));
	const which = entries.length === 1 ? say`this excluded ID` : say`these excluded IDs`;
	const message = render(say`No survey has ${which}: ${listed(entries.map((id) => given(id)))}`);
	const description = render(
		say`${names} Choose the surveys to exclude from the list, under Options > Excluded Survey Names or IDs, and remove those that were deleted. An entry without a survey excludes nothing.`,
	);
	return new NodeOperationError(context.getNode(), message, { description });
}

/** The failures of surveys as one error, which names them all, or undefined if there are none. */
export function failureOf(
	context: IPollFunctions,
	failures: NewResponses['failures'],
	{ render, listed: known }: Connection,
	{ hasWorked, wasThere }: { readonly hasWorked: boolean; readonly wasThere: (surveyId: string) => boolean },
) {
	const [first, ...others] = [...failures].sort(([one], [other]) => (one < other ? -1 : 1));
	if (first === undefined) return undefined;
	const [id, thrown] = first;
	const named = ([each]: readonly [id: string, error: unknown]) => surveyPart(each, known.get(each)?.name);
	const subject = () => say`Survey ${named(first)}`;
	const error = nodeErrorOf(context.getNode(), thrown, render, {
		subject,
		hasWorked,
		wasThere: () => wasThere(id),
	});
	const isNamed = isOfOneList(thrown);
	const unnamed = isNamed ? others : [first, ...others];
	if (unnamed.length > 0) {
		const which = isNamed ? say`These surveys could not be read either` : say`Not read`;
		const surveys = listed(unnamed.map(named));
		error.description = `${error.description ?? ''} ${render(say`${which}: ${surveys}.`)}`;
	}
	const reasonOf = ({ code, status = 0 }: SurveyExportError) => `${code} ${status}`;
	aboutSurveys.set(
		error,
		[...failures].map(([each, why]) => `${each} ${reasonOf(why)}`),
	);
	return error;
}
