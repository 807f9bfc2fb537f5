import type { INodePropertyOptions } from 'n8n-workflow';

/** A choice of a parameter: the name that the editor shows, and what it means. */
export type Choice = readonly [name: string, description: string];

/** The choices of a parameter, by value, as n8n wants them. */
export const optionsFrom = (choices: Readonly<Record<string, Choice>>): INodePropertyOptions[] =>
	Object.entries(choices).map(([value, [name, description]]) => ({ name, value, description }));
