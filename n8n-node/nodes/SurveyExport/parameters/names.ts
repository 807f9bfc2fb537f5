/** A list given as text with commas, or by an expression as an array, which may hold commas itself. */
export function namesIn(value: unknown): string[] {
	const parts = Array.isArray(value) ? value : String(value ?? '').split(',');
	return [...new Set(parts.map((part) => String(part).trim()).filter((part) => part !== ''))];
}
