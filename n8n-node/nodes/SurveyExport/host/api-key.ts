/**
 * The key as the service wants it: without spaces around it, and without the "Basic " that people copy along
 * from an example. The credential's `authenticate` does the same to the request.
 */
export const usableKey = (text: unknown): string =>
	String(text ?? '')
		.trim()
		.replace(/^Basic\s+/i, '');
