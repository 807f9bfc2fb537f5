import { parseWatch, SurveyExportError, say, storedWatch, type WatchState } from '@survey-export/core';
import type { IDataObject } from 'n8n-workflow';

/** Whether a poll has stored anything. The memory is one JSON string in the node's static data. */
export const hasMemory = ({ memory }: IDataObject): boolean => memory !== undefined;

/** @throws SurveyExportError `invalid_state` */
export function readMemory(data: IDataObject): WatchState {
	if (!hasMemory(data)) return new Map();
	try {
		return parseWatch(JSON.parse(String(data.memory)));
	} catch {
		throw unreadable();
	}
}

/** n8n keeps the memory by the node's name, or with durable poll cursors by its ID: a new node has another one. */
const unreadable = () =>
	new SurveyExportError(
		'config',
		'invalid_state',
		say`To start over, delete the node and add it again under another name. Responses that exist by then do not start the workflow.`,
	);

export function writeMemory(data: IDataObject, watch: WatchState, lookbackMs: number): void {
	data.memory = JSON.stringify(storedWatch(watch, lookbackMs));
}
