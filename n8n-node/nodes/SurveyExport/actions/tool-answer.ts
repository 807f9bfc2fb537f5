import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** A language model reads a tool's whole answer: this is about 15,000 of its tokens. */
export const LONGEST_TOOL_ANSWER = 60_000;
/** Records that a tool reads at most for one call, whatever limit it was given. */
export const MOST_FOR_TOOL = 500;

/** Whether an AI agent or an MCP client called the node: by its context, or by the type that n8n makes of it. */
export const isTool = (context: IExecuteFunctions): boolean =>
	context.isToolExecution?.() === true || context.getNode().type.endsWith('Tool');

/** Kept free for the note. */
const LONGEST_NOTE = 600;

/**
 * The items that fit into a tool's answer, and where some do not fit, or more may exist, a last item that says so and
 * how to ask for less.
 */
export function boundedForTool(
	items: readonly INodeExecutionData[],
	mayHaveMore: boolean,
	howToAskForLess: string,
): INodeExecutionData[] {
	let length = 2;
	const fitting = items.findIndex(({ json }) => {
		length += JSON.stringify(json).length + 1;
		return length > LONGEST_TOOL_ANSWER - LONGEST_NOTE;
	});
	const shown = fitting === -1 ? items : items.slice(0, fitting);
	if (shown.length === items.length && !mayHaveMore) return [...items];
	const held =
		shown.length > 0
			? `This answer is not complete: it holds the first ${shown.length} items.`
			: 'This answer is not complete: the first item alone is too long for it.';
	const json = { note: `${held} ${howToAskForLess}` };
	return [...shown, { json, pairedItem: shown.at(-1)?.pairedItem ?? { item: 0 } }];
}
