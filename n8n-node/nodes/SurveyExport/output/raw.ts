import type { IDataObject } from 'n8n-workflow';

/**
 * A record with all fields of the service at its top level. The streams keep fields that this version does not
 * know in `additional_fields`, for databases.
 */
export function raw(record: { readonly additional_fields?: object | null }): IDataObject {
	const { additional_fields: more, ...known } = record;
	return { ...more, ...known } as IDataObject;
}
