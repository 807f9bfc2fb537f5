/** A setting that cannot be used: the message names it, the description says why and what to do. */
export class SettingError extends Error {
	readonly description: string;

	constructor(message: string, description: string) {
		super(message);
		this.description = description;
	}
}
