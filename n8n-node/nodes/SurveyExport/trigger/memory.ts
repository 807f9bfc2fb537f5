import type { IDataObject } from 'n8n-workflow';

import { SurveyExportError } from '@survey-export/core';
import type { Backlog } from './backlog.ts';
import type { Cursor } from './cursor.ts';

/** The trigger's memory, stored with the workflow. */
export interface Memory {
	readonly surveys: ReadonlyMap<string, Cursor>;
	readonly backlog?: Backlog | undefined;
	readonly handover?: Handover | undefined;
	/** The last report of responses that cannot be read, by survey. */
	readonly unreadable?: ReadonlyMap<string, string> | undefined;
}

/** The last responses that were handed to n8n, as the cursors of their surveys before that. */
export interface Handover {
	/** The run of n8n in which it happened. */
	readonly run: string;
	readonly before: ReadonlyMap<string, Cursor>;
}

interface Written {
	readonly surveys: readonly (readonly [string, Cursor])[];
	readonly backlog?: Backlog | undefined;
	readonly handover?: { readonly run: string; readonly before: Written['surveys'] } | undefined;
	readonly unreadable?: readonly (readonly [string, string])[] | undefined;
}

/** Names this run of n8n: another process, or n8n started again, has another name. */
export const THIS_RUN = crypto.randomUUID();

/**
 * Reads the memory from the node's static data. Version 1 (0.1 of this package) held the cursors as fields,
 * version 2 holds one JSON string: n8n watches each field of an object, and an id such as `__proto__` is lost.
 *
 * @throws SurveyExportError `invalid_state` when it is neither
 */
export function readMemory(stored: IDataObject): Memory {
	if (stored.version === undefined || stored.version === 1) {
		return { surveys: new Map(Object.entries((stored.surveys ?? {}) as Record<string, Cursor>)) };
	}
	const written = parsed(stored.memory);
	if (written === undefined) {
		throw new SurveyExportError(
			'config',
			'invalid_state',
			'Rename the node to let it begin anew: the responses that are there then start nothing.',
		);
	}
	const { surveys, backlog, handover, unreadable } = written;
	return {
		surveys: new Map(surveys),
		backlog,
		handover: handover && { run: handover.run, before: new Map(handover.before) },
		unreadable: unreadable && new Map(unreadable),
	};
}

function parsed(text: unknown): Written | undefined {
	try {
		const written = JSON.parse(String(text)) as Partial<Written> | null;
		return Array.isArray(written?.surveys) ? (written as Written) : undefined;
	} catch {
		return undefined;
	}
}

export function writeMemory(
	stored: IDataObject,
	{ surveys, backlog, handover, unreadable }: Memory,
): void {
	const written: Written = {
		surveys: [...surveys],
		backlog,
		handover: handover && { run: handover.run, before: [...handover.before] },
		unreadable: unreadable && [...unreadable],
	};
	delete stored.surveys;
	stored.version = 2;
	stored.memory = JSON.stringify(written);
}

/**
 * The cursors to go on from. n8n stores them before it has stored the execution, so a handover of an earlier
 * run may have started nothing: with `repeat`, its surveys go back to where they were before it.
 */
export function cursorsOf(memory: Memory, repeat: boolean): ReadonlyMap<string, Cursor> {
	const { surveys, handover } = memory;
	if (!repeat || handover === undefined || handover.run === THIS_RUN) return surveys;
	return new Map(
		[...surveys].map(([surveyId, cursor]) => [surveyId, handover.before.get(surveyId) ?? cursor]),
	);
}
