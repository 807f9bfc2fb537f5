import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** A language model reads a tool's whole answer: this is about 15,000 of its tokens. */
export const LONGEST_TOOL_ANSWER = 60_000;
/** Records that a tool reads at most for one call, whatever limit it was given. */
export const MOST_FOR_TOOL = 500;

/** Whether an AI agent or an MCP client called the node: by its context, or by the type that n8n makes of it. */
export const isTool = (context: IExecuteFunctions): boolean =>
	context.isToolExecution?.() === true || context.getNode().type.endsWith('Tool');

/**
 * The items that fit into a tool's answer, and where some do not fit, or more may exist, a last item that says
 * how to ask for less.
 */
export function boundedForTool(
	items: readonly INodeExecutionData[],
	mayHaveMore: boolean,
): INodeExecutionData[] {
	let length = 0;
	const fitting = items.findIndex(({ json }, index) => {
		length += JSON.stringify(json).length + 1;
		return index > 0 && length > LONGEST_TOOL_ANSWER;
	});
	const shown = fitting === -1 ? items : items.slice(0, fitting);
	if (shown.length === items.length && !mayHaveMore) return [...items];
	const note =
		`This answer is not complete: it holds the newest ${shown.length} items. ` +
		'To ask for others or for less, set Limit, Collected After and Collected Before ' +
		'(for example 2026-01-31T08:30:00Z), or Output "Selected Fields" with fewer fields.';
	return [...shown, { json: { note }, pairedItem: shown.at(-1)?.pairedItem ?? { item: 0 } }];
}
