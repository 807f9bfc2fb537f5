import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** A language model reads a tool's whole answer: this is about 15,000 of its tokens. */
const LONGEST_TOOL_ANSWER = 60_000;
/** Records that a tool reads at most for one call, whatever limit it was given. */
export const MOST_FOR_TOOL = 500;

/** Whether an AI agent or an MCP client called the node: by its context, or by the type that n8n makes of it. */
export const isTool = (context: IExecuteFunctions): boolean =>
	context.isToolExecution?.() === true || context.getNode().type.endsWith('Tool');

/** Kept free for the note. */
const LONGEST_NOTE = 600;

/** The items that fit into a tool's answer, without nulls. If there may be more, a last item says how to ask for less. */
export function boundedForTool(items: INodeExecutionData[], mayHaveMore: boolean): INodeExecutionData[] {
	const shown: INodeExecutionData[] = [];
	let length = 2;
	for (const { json, ...item } of items) {
		const text = JSON.stringify(json, (_name, value: unknown) => value ?? undefined);
		length += text.length + 1;
		if (length > LONGEST_TOOL_ANSWER - LONGEST_NOTE) break;
		shown.push({ ...item, json: JSON.parse(text) as IDataObject });
	}
	if (shown.length === items.length && !mayHaveMore) return shown;
	const held =
		shown.length > 0 ? `it holds the first ${shown.length} items` : 'the first item alone is too long for it';
	const json = {
		note: `This answer is not complete: ${held}. To see the others, ask again for fewer results: with a lower limit or a shorter time, if this tool has arguments for them.`,
	};
	return [...shown, { json, pairedItem: shown.at(-1)?.pairedItem ?? { item: 0 } }];
}
