import type { IDataObject } from 'n8n-workflow';

import type { RespondentAttribute } from '@survey-export/core';
import { raw } from './raw.ts';

/** The attribute of version 1 of the node: as the service gives it. `collected_at`, the time of reading, is for syncs. */
export function attributeOutput(attribute: RespondentAttribute): IDataObject {
	const fields = raw(attribute);
	delete fields.collected_at;
	return fields;
}
