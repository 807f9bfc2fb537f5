import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Service } from '@survey-export/core';
import type { Subject } from '../failure.ts';

/** What Get Many means for one resource. */
export interface GetMany {
	readonly fields: INodeProperties[];
	/** What the item asks about, for messages. */
	subject(context: IExecuteFunctions, itemIndex: number): Subject;
	/**
	 * The records for one item, newest first.
	 *
	 * @throws NodeOperationError for a parameter, SurveyExportError for what the service does
	 */
	read(
		context: IExecuteFunctions,
		itemIndex: number,
		service: Service,
		signal: AbortSignal,
	): Promise<IDataObject[]>;
}
