import type { INodePropertyOptions } from 'n8n-workflow';

/** The choices of a parameter, by value: the name that the editor shows, and what it means. */
export type Choices = Readonly<Record<string, readonly [name: string, description: string]>>;

/** The same as n8n wants them. */
export const optionsFrom = (choices: Choices): INodePropertyOptions[] =>
	Object.entries(choices).map(([value, [name, description]]) => ({ name, value, description }));
