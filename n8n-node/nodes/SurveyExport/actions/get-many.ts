import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import {
	type AttributesOf,
	type Client,
	type FlatItem,
	type FlatRecord,
	type RecordTreatment,
	type SurveyExportError,
} from '@survey-export/core';
import type { Subject } from '../shared/failure.ts';

/** The service and the attributes read so far, for all items of one execution. */
export interface Run {
	readonly client: Client;
	readonly attributesOf: AttributesOf;
	/** What happens to personal data in the output. */
	readonly treatment: RecordTreatment;
	/** Told of a record that cannot be read and is left out. */
	readonly onUnreadable: (error: SurveyExportError) => void;
}

/** The records that one item asked for. */
export interface Read {
	readonly items: readonly FlatItem[];
	/** How many records there were: a record may be several items, or none. */
	readonly records: number;
}

/** Get Many of one resource. */
export interface GetMany {
	readonly fields: INodeProperties[];
	/** The survey or respondent that the item asks for, for messages. */
	subject(context: IExecuteFunctions, itemIndex: number): Subject;
	/**
	 * The records for one item, newest first.
	 *
	 * @throws NodeOperationError for a parameter, SurveyExportError for a failure of the service
	 */
	read(context: IExecuteFunctions, itemIndex: number, run: Run, signal: AbortSignal): Promise<Read>;
	/** All records of the run, in the form that later nodes get. */
	finish(context: IExecuteFunctions, items: readonly FlatItem[]): FlatRecord[];
}
