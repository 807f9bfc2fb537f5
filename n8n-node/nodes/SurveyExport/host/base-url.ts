/** The credential's address as the core wants it: no blanks around it, no slash behind it. */
export function tidyBaseUrl(text: unknown): string {
	return String(text ?? '')
		.trim()
		.replace(/\/+$/, '');
}
