import type { IDataObject } from 'n8n-workflow';

import {
	parseWatch,
	say,
	type StoredWatch,
	SurveyExportError,
	type WatchState,
} from '@survey-export/core';

/** The trigger's memory, stored with the workflow as one JSON string. */
interface Stored {
	/** The fingerprint of the Base URL that the surveys belong to. */
	readonly service: string;
	/** What was handed over. */
	readonly watch: StoredWatch;
	/** For Repeat After a Crash: the run of n8n that handed over the last responses, and the watch before that. */
	readonly handover?: { readonly run: string; readonly watch: StoredWatch } | undefined;
	/** The reports that the owner has got, by what they are about. */
	readonly told: readonly (readonly [string, Told])[];
	/** Polls in a row that handed over as many responses as they may. */
	readonly fullPolls: number;
}

/** A report that the owner has got, and when, in milliseconds since 1970. */
export interface Told {
	readonly text: string;
	readonly toldMs: number;
}

export interface Memory {
	readonly watch: WatchState;
	readonly told: ReadonlyMap<string, Told>;
	readonly fullPolls: number;
	/** Whether the memory is of another service, and starts over. */
	readonly isOfOtherService: boolean;
}

const VERSION = 1;
const NOTHING: Memory = {
	watch: new Map(),
	told: new Map(),
	fullPolls: 0,
	isOfOtherService: false,
};

/** Names this run of n8n: another process, or n8n started again, has another name. */
const THIS_RUN = crypto.randomUUID();

/**
 * Reads the memory from the node's static data. n8n stores it before it has stored the execution, so what an earlier
 * run handed over may have started nothing: with `repeats`, the memory is the one before that.
 *
 * @throws SurveyExportError `invalid_state`
 */
export function readMemory(data: IDataObject, service: string, repeats: boolean): Memory {
	if (data.version === undefined) return NOTHING;
	if (data.version !== VERSION) {
		throw invalid(say`Another version of this package wrote it. Install that version again.`);
	}
	try {
		const stored: Stored = JSON.parse(String(data.memory));
		if (stored.service !== service) return { ...NOTHING, isOfOtherService: true };
		const { handover, fullPolls } = stored;
		const goesBack = repeats && handover !== undefined && handover.run !== THIS_RUN;
		const watch = parseWatch(goesBack ? handover.watch : stored.watch);
		return { watch, told: new Map(stored.told), fullPolls, isOfOtherService: false };
	} catch {
		// n8n keeps the memory by the node's name, or with durable poll cursors by its ID: a new node has another one.
		throw invalid(
			say`To start over, delete the node and add it again under another name. Responses that exist by then do not start the workflow.`,
		);
	}
}

const invalid = (facts: ReturnType<typeof say>) =>
	new SurveyExportError('config', 'invalid_state', facts);

/** `before`: the watch to go back to, if these responses are to be handed over again. */
export function writeMemory(
	data: IDataObject,
	memory: Omit<Stored, 'handover'>,
	before: StoredWatch | undefined,
): void {
	const stored: Stored = { ...memory, handover: before && { run: THIS_RUN, watch: before } };
	data.version = VERSION;
	data.memory = JSON.stringify(stored);
}
