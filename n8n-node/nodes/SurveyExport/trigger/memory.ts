import type { IDataObject } from 'n8n-workflow';

import { parseTimestamp, say, SurveyExportError } from '@survey-export/core';
import type { Backlog } from './backlog.ts';
import type { Cursor } from './cursor.ts';

/** The trigger's memory, stored with the workflow. */
export interface Memory {
	readonly surveys: ReadonlyMap<string, Cursor>;
	/** The fingerprint of the Base URL that the surveys belong to. A memory of earlier versions has none. */
	readonly service?: string | undefined;
	readonly backlog?: Backlog | undefined;
	readonly handover?: Handover | undefined;
	/** The last report of responses that cannot be read, by survey. */
	readonly unreadable?: ReadonlyMap<string, string> | undefined;
	/** The last report of surveys that cannot be read or wait for a respondent, by survey. */
	readonly failures?: ReadonlyMap<string, Told> | undefined;
}

/** A report that the owner has got, and when, in milliseconds since 1970. */
export interface Told {
	readonly message: string;
	readonly toldMs: number;
}

/** The last responses that were handed to n8n, as the cursors of their surveys before that. */
export interface Handover {
	/** The run of n8n in which it happened. */
	readonly run: string;
	readonly before: ReadonlyMap<string, Cursor>;
}

interface Written {
	readonly surveys: readonly (readonly [string, Cursor])[];
	readonly service?: string | undefined;
	readonly backlog?: Backlog | undefined;
	readonly handover?: { readonly run: string; readonly before: Written['surveys'] } | undefined;
	readonly unreadable?: readonly (readonly [string, string])[] | undefined;
	readonly failures?: readonly (readonly [string, Told])[] | undefined;
}

/** Names this run of n8n: another process, or n8n started again, has another name. */
export const THIS_RUN = crypto.randomUUID();

/**
 * Reads the memory from the node's static data: one JSON string, since n8n watches each field of an object, and an id
 * such as `__proto__` is lost.
 *
 * @throws SurveyExportError `invalid_state` when it is neither
 */
export function readMemory(stored: IDataObject): Memory {
	const { version } = stored;
	if (version === undefined) return { surveys: new Map() };
	if (version !== 2) {
		throw new SurveyExportError(
			'config',
			'invalid_state',
			say`A newer version of this package wrote it. Install that version again.`,
		);
	}
	const { surveys, service, backlog, handover, unreadable, failures } = parsed(stored.memory);
	return {
		surveys: cursorsIn(surveys),
		service,
		backlog,
		handover: handover && { run: handover.run, before: cursorsIn(handover.before) },
		unreadable: unreadable && new Map(unreadable),
		failures: failures && new Map(failures),
	};
}

function parsed(text: unknown): Written {
	try {
		const written = JSON.parse(String(text)) as unknown;
		if (isObject(written)) return written as unknown as Written;
	} catch {
		// Told below, as anything else that is no memory.
	}
	throw notReadable();
}

function cursorsIn(entries: unknown): ReadonlyMap<string, Cursor> {
	const areCursors =
		Array.isArray(entries) &&
		entries.every(
			(entry) => Array.isArray(entry) && typeof entry[0] === 'string' && isCursor(entry[1]),
		);
	if (!areCursors) throw notReadable();
	return new Map(entries as (readonly [string, Cursor])[]);
}

const isCursor = (value: unknown): value is Cursor =>
	isObject(value) &&
	isTimeOrNull(value.newest) &&
	isTimeOrNull(value.since) &&
	isObject(value.ids) &&
	Object.values(value.ids).every((time) => parseTimestamp(time) !== undefined);

const isTimeOrNull = (value: unknown) => value === null || parseTimestamp(value) !== undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** n8n keeps the memory by the node's name, or with durable poll cursors by its id: a new node has another id. */
const notReadable = () =>
	new SurveyExportError(
		'config',
		'invalid_state',
		say`Delete the node and add it again under another name to let it begin anew: the responses that are there then start nothing.`,
	);

export function writeMemory(
	stored: IDataObject,
	{ surveys, service, backlog, handover, unreadable, failures }: Memory,
): void {
	const written: Written = {
		surveys: [...surveys],
		service,
		backlog,
		handover: handover && { run: handover.run, before: [...handover.before] },
		unreadable: unreadable && [...unreadable],
		failures: failures && [...failures],
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
