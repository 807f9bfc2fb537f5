import type { IDataObject, INode, INodeParameters } from "n8n-workflow";

export const CREDENTIAL = { id: "surveyexport1", name: "Survey Export account" };

/** The credential for n8n's import, with its data. */
export const credentialWith = (data: IDataObject) => [{ ...CREDENTIAL, type: "surveyExportApi", data }];

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
}

export const surveyExport = (parameters: INodeParameters, after: readonly string[]): Step => ({
  type: "n8n-nodes-survey-export.surveyExport",
  parameters: { operation: "getAll", ...parameters },
  after,
});

const START: Step = { type: "n8n-nodes-base.manualTrigger" };

/** A workflow. If a step follows the node "Start", it begins by hand there. */
export function workflowOf(
  name: string,
  steps: Readonly<Record<string, Step>>,
  credential: object,
  settings: IDataObject = {},
) {
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
    settings: { executionOrder: "v1", ...settings },
    nodes: all.map(([name, { after: _, ...step }], place) => ({
      ...{ id: `step-${place}`, name, typeVersion: 1, position: [250 * place, 0], parameters: {}, ...step },
      ...(isOurs(step.type) ? { credentials: { surveyExportApi: credential } } : {}),
    })),
    connections,
  };
}

/** Start → Survey Export, for n8n's import. */
export const getManyWorkflow = (id: string, parameters: INodeParameters) => ({
  ...workflowOf(id, { "Survey Export": surveyExport(parameters, ["Start"]) }, CREDENTIAL),
  id,
  active: false,
});

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
          ...parameters,
        },
      },
      After: { type: "n8n-nodes-base.noOp", after: ["New Response"] },
    },
    credential,
  );

/** Schedule → Survey Export → No Operation; kept only when it fails. */
export const largeRunWorkflow = (parameters: INodeParameters, credential: object) =>
  workflowOf(
    "A large run",
    {
      Schedule: {
        type: "n8n-nodes-base.scheduleTrigger",
        parameters: { rule: { interval: [{ field: "seconds", secondsInterval: 5 }] } },
      },
      "Survey Export": surveyExport({ resource: "surveyResponse", ...parameters }, ["Schedule"]),
      After: { type: "n8n-nodes-base.noOp", after: ["Survey Export"] },
    },
    credential,
    { saveDataSuccessExecution: "none", saveDataErrorExecution: "all" },
  );

/** Webhook → Survey Export: each call of the webhook is an execution. */
export const webhookWorkflow = (
  name: string,
  path: string,
  parameters: INodeParameters,
  credential: object,
) =>
  workflowOf(
    name,
    {
      Webhook: {
        type: "n8n-nodes-base.webhook",
        typeVersion: 2,
        webhookId: path,
        parameters: { httpMethod: "POST", path, responseMode: "onReceived" },
      },
      "Survey Export": surveyExport({ resource: "surveyResponse", ...parameters }, ["Webhook"]),
    },
    credential,
  );
