/** The key in the credential's field, without spaces around it, and without the "Basic " that people copy along. */
export const keyIn = (field: unknown): string =>
	String(field ?? '')
		.trim()
		.replace(/^Basic\s+/i, '');
