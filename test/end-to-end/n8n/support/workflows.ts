import type { IDataObject, INode, INodeParameters } from "n8n-workflow";

const isOurs = (type: string): boolean => type.startsWith("n8n-nodes-survey-export.");

/** An example as a user imports it, with a credential in our nodes. `parameters` go into these too. */
export function withCredential(text: string, credential: object, parameters: INodeParameters = {}) {
  const workflow = JSON.parse(text);
  const nodes = workflow.nodes.map((node: INode) =>
    isOurs(node.type)
      ? {
          ...node,
          parameters: { ...node.parameters, ...parameters },
          credentials: { surveyExportApi: credential },
        }
      : node,
  );
  return { ...workflow, nodes };
}

/** A node of a workflow, and the nodes whose items it takes: by name, in the order of its inputs. */
export interface Step {
  readonly type: string;
  readonly typeVersion?: number;
  readonly parameters?: INodeParameters;
  readonly after?: readonly string[];
  readonly webhookId?: string;
  readonly onError?: "continueRegularOutput" | "continueErrorOutput";
}

/** Get Many of the responses of a survey. */
export const surveyExport = (parameters: INodeParameters, ...after: readonly string[]): Step => ({
  type: "n8n-nodes-survey-export.surveyExport",
  parameters: { resource: "surveyResponse", operation: "getAll", ...parameters },
  after,
});

const START: Step = { type: "n8n-nodes-base.manualTrigger" };

/** A workflow. If a step follows the node "Start", it begins by hand there. */
export function workflowOf(name: string, steps: Readonly<Record<string, Step>>, credential: object) {
  const connections: Record<string, { main: [{ node: string; type: "main"; index: number }[]] }> = {};
  for (const [name, { after = [] }] of Object.entries(steps)) {
    for (const [index, source] of after.entries()) {
      connections[source] ??= { main: [[]] };
      connections[source].main[0].push({ node: name, type: "main", index });
    }
  }
  const all = Object.entries("Start" in connections ? { Start: START, ...steps } : steps);
  return {
    name,
    settings: { executionOrder: "v1" } satisfies IDataObject,
    nodes: all.map(([name, { after: _, ...step }], place) => ({
      id: `step-${place}`,
      name,
      typeVersion: 1,
      position: [250 * place, 0],
      parameters: {},
      ...step,
      ...(isOurs(step.type) ? { credentials: { surveyExportApi: credential } } : {}),
    })),
    connections,
  };
}

/** Survey Export Trigger → No Operation, polled every minute. */
export const triggerWorkflow = (name: string, parameters: INodeParameters, credential: object) =>
  workflowOf(
    name,
    {
      "New Response": {
        type: "n8n-nodes-survey-export.surveyExportTrigger",
        parameters: {
          pollTimes: { item: [{ mode: "everyMinute" }] },
          event: "surveyResponse",
          minimumAgeMinutes: 0,
          ...parameters,
        },
      },
      After: { type: "n8n-nodes-base.noOp", after: ["New Response"] },
    },
    credential,
  );

/** Parameters of a trigger that polls every five seconds. n8n refuses a single expression for less than a minute, and takes several. */
export const OFTEN = {
  pollTimes: {
    item: Array.from({ length: 12 }, (_, at) => ({ mode: "custom", cronExpression: `${5 * at} * * * * *` })),
  },
};
