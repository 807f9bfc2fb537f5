import type { IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { given, listed, respondentId, say, type SurveyExportError } from '@survey-export/core';
import { nodeErrorOf, type Render, type Subject } from '../shared/failure.ts';
import type { Told } from './memory.ts';

/** After this time the same report is made again. A little less than a day: polls come at slightly different times. */
const TELL_AGAIN_MS = 23 * 3_600_000;

type NodeError = ReturnType<typeof nodeErrorOf>;

export const surveySubject = (surveyId: string): Subject => ({
	named: say`Survey ${given(surveyId)}`,
	parameter: say`"Survey IDs"`,
});

/**
 * Reports of the trigger. They appear in n8n's list of executions as failed ones, where people and error workflows see
 * them. The responses that a poll hands over start an execution of their own.
 */
export class Reports {
	/** What the owner knows after this poll. A report that is not made any more is forgotten. */
	readonly told = new Map<string, Told>();
	readonly #context: IPollFunctions;
	readonly #render: Render;
	readonly #before: ReadonlyMap<string, Told>;

	constructor(context: IPollFunctions, render: Render, before: ReadonlyMap<string, Told>) {
		this.#context = context;
		this.#render = render;
		this.#before = before;
	}

	/** Whether the last poll made a report about surveys. */
	get knowsOfSurveys(): boolean {
		return this.#before.has('surveys');
	}

	/** The failures of surveys as one error, which names them all, or undefined if there are none. */
	failureOf(failures: ReadonlyMap<string, SurveyExportError>): NodeError | undefined {
		const [first, ...others] = failures;
		if (first === undefined) return undefined;
		const subject = () => surveySubject(first[0]);
		const error = nodeErrorOf(this.#context.getNode(), first[1], this.#render, { subject });
		if (others.length > 0) {
			const ids = listed(others.map(([id]) => given(id)));
			error.description = `${error.description ?? ''} ${this.#render(say`These surveys could not be read either: ${ids}.`)}`;
		}
		return error;
	}

	surveys(error: NodeError): void {
		this.#tell('surveys', error, `${error.message} ${error.description}`);
	}

	/** The people whose attributes could not be read. Who is named may change from poll to poll. */
	people(failures: ReadonlyMap<string, unknown>): void {
		const [first] = failures;
		if (first === undefined) return;
		const [uuid, failure] = first;
		const error = nodeErrorOf(this.#context.getNode(), failure, this.#render);
		const others =
			failures.size > 1 ? say` The same applies to ${failures.size - 1} other respondents.` : say``;
		const advice = this.#render(
			say`Their responses wait until a poll can read them, and other responses go on.${others} To get them without attributes, turn off "Include Respondent Attributes".`,
		);
		error.description = `${error.message}. ${error.description ?? ''} ${advice}`;
		error.message = this.#render(
			say`The attributes of respondent ${respondentId(uuid)} could not be read`,
		);
		this.#tell('people', error, '');
	}

	/** Responses that were left out: they lie within the lookback of several polls. */
	unreadable([first]: readonly SurveyExportError[]): void {
		if (first === undefined) return;
		const error = nodeErrorOf(this.#context.getNode(), first, this.#render);
		this.#tell('unreadable', error, this.#render(first.whole));
	}

	backlog(polls: number, mostPerPoll: number): void {
		this.#tell(
			'backlog',
			this.#warning(
				'More responses are waiting than the trigger may hand over',
				`The last ${polls} polls each handed over ${mostPerPoll} responses, and others are waiting. Raise "Max Responses per Poll", or poll more often.`,
			),
			'',
		);
	}

	otherService(): void {
		this.#context.__emitError(
			this.#warning(
				"The credential's Base URL has changed",
				'The trigger starts over: responses that exist now do not start the workflow, and later ones do.',
			),
		);
	}

	#warning(message: string, description: string): NodeOperationError {
		return new NodeOperationError(this.#context.getNode(), message, {
			level: 'warning',
			description,
		});
	}

	/** Makes the report, unless the owner got the same `text` within a day. */
	#tell(what: string, error: NodeError, text: string): void {
		const nowMs = Date.now();
		const known = this.#before.get(what);
		const isKnown =
			known !== undefined && known.text === text && nowMs - known.toldMs < TELL_AGAIN_MS;
		if (!isKnown) this.#context.__emitError(error);
		this.told.set(what, isKnown ? known : { text, toldMs: nowMs });
	}
}
