import type { IDataObject } from 'n8n-workflow';

import type { RespondentAttribute } from '@survey-export/core';

/** An attribute of a person as the service gives it; `collected_at` belongs to syncs and is always empty here. */
export function attributeOutput(attribute: RespondentAttribute): IDataObject {
	const fields: IDataObject = { ...(attribute as IDataObject) };
	delete fields.collected_at;
	return fields;
}
